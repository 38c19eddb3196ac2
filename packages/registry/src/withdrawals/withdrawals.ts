/**
 * Withdrawals, which make versions unreadable and keep their numbers taken, and deprecations, which only warn. http-api §11.
 *
 *     readable ── withdrawn ──▶ 410, stays stored ── erase ──▶ 410, erased by the next sweep (upkeep/sweep/erasure.ts)
 */

import { compareSemver, parseSemver, topicsOf, type ViewDocument } from '@ulmus/content'
import {
  countWithdrawn,
  findNewestStanding,
  findVersionById,
  forgetAuditMessages,
  forgetWordsOfPush,
  type HeadFound,
  keepWithdrawnNames,
  keepWithdrawnNumber,
  lockCollection,
  markFilesInViews,
  markVersion,
  moveHead,
  ObjectCorrupt,
  type Tx,
  unmarkFilesInViews,
  type VersionRow,
} from '@ulmus/storage'
import type { VersionItem, VersionPath, WithdrawnVersion, WithdrawVersion } from '@ulmus/wire'
import { demandStill } from '../access/authority.ts'
import { findVisibleCollection, type Seen } from '../access/find-collection.ts'
import { mayDeprecate, mayWithdraw } from '../access/policy.ts'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { recordInherited } from '../files/known-files.ts'
import { demandCaller, type Principal, taskFor } from '../principal.ts'
import { namesToKeep } from '../pushes/schemas/made-public.ts'
import { deprecationOf, documentOf, refusalOfWithdrawn, semverOf, withdrawalOf } from '../versions/content.ts'
import { fieldNames } from '../versions/field-names.ts'
import { foundOf, listedDescription } from '../versions/land.ts'
import { readSchemaObjects } from '../versions/schemas.ts'
import { namedVersion } from '../versions/versions.ts'
import { filesLeftBy, type LeftFiles } from './left-files.ts'

/** Facts about a version for the form that withdraws or deprecates it. */
export type VersionMarks = Pick<VersionItem, 'semver' | 'withdrawn' | 'deprecated'>

/** State read before the transaction, which checks that it still holds. */
interface Look {
  readonly seen: Seen
  readonly version: VersionRow
  /** The head after the withdrawal of `version`. */
  readonly head: VersionRow | null
  readonly found: HeadFound
  readonly files: LeftFiles
  /** Private names of the head, if it is withdrawn; null if there are none. */
  readonly privateNames: string | null
  /** Number of versions of the collection withdrawn before. While it is unchanged, the facts read about other versions hold. */
  readonly withdrawn: number
}

export type Withdrawals = ReturnType<typeof withdrawalsOf>

export const withdrawalsOf = (context: Context) => ({
  /**
   * Makes a version unreadable; `latest` is then the newest remaining one. Withdrawals are permanent. Repeating one changes
   * nothing, but may add the erasure.
   * @throws collection_not_found, Moved, version_not_found, insufficient_scope, key_limited, not_a_member, insufficient_role
   */
  withdraw: (who: Principal, path: VersionPath, wanted: WithdrawVersion): Promise<WithdrawnVersion> =>
    withdraw(context, who, path, wanted),

  /**
   * Warns readers of the version; null ends the warning.
   * @throws the errors of `withdraw`; version_withdrawn
   */
  deprecate: (who: Principal, path: VersionPath, message: string | null): Promise<{ ok: true }> =>
    deprecate(context, who, path, message),

  /**
   * The marks of a version, withdrawn or not, for a caller who may deprecate it.
   * @throws the errors of `withdraw`
   */
  marks: async (who: Principal, path: VersionPath): Promise<VersionMarks> => {
    const version = await namedVersion(context, await seenFor(mayDeprecate, context, who, path), path.v)
    const [withdrawn, deprecated] = [withdrawalOf(version), deprecationOf(version)]
    return {
      semver: semverOf(version),
      ...(withdrawn && { withdrawn }),
      ...(deprecated && { deprecated }),
    }
  },
})

/** A collection whose versions the caller may withdraw or deprecate. @throws the errors of `withdraw` */
async function seenFor(
  may: typeof mayWithdraw,
  context: Context,
  who: Principal,
  path: VersionPath,
): Promise<Seen> {
  const seen = await findVisibleCollection(context, who, path)
  demand(may(who, seen.collection, seen.role), { owner: seen.owner.slug, needed: 'admin' })
  return seen
}

/** Attempts at most: another version may land or be withdrawn between reading and recording. */
const looksMax = 20

async function withdraw(
  context: Context,
  who: Principal,
  path: VersionPath,
  wanted: WithdrawVersion,
): Promise<WithdrawnVersion> {
  for (let looks = 1; ; looks++) {
    const look = await lookAt(context, who, path)
    try {
      return await audited(context, who, (tx, tell) => record(context, tx, tell, { who, look, wanted }))
    } catch (error) {
      if (!(error instanceof MovedOn)) throw error
      if (looks === looksMax) throw new RegistryError('unavailable', { cause: error })
    }
  }
}

class MovedOn extends Error {}

async function lookAt(context: Context, who: Principal, path: VersionPath): Promise<Look> {
  const seen = await seenFor(mayWithdraw, context, who, path)
  const withdrawn = await countWithdrawn(context.database, seen.collection.id)
  const version = await namedVersion(context, seen, path.v)
  const nothing = { full: [], public: [] }
  if (version.withdrawnAt !== null)
    return {
      ...{ seen, version, head: seen.head, found: nothingFound, withdrawn },
      ...{ files: { left: nothing, kept: nothing }, privateNames: null },
    }
  const isHead = seen.head?.id === version.id
  const head = isHead ? await findNewestStanding(context.database, seen.collection.id, version.id) : seen.head
  const files = await filesLeftBy(context, seen.collection, version)
  const privateNames = isHead ? await namesToKeep(context, version, taskFor(who)) : null
  const found = isHead && head !== null ? await foundIn(context, head) : nothingFound
  return { seen, version, head, found, files, privateNames, withdrawn }
}

const nothingFound: HeadFound = { description: null, topics: [], readme: '', fields: '', facets: [] }

/** Searchable words and facets of a version that becomes the head. */
async function foundIn(context: Context, head: VersionRow): Promise<HeadFound> {
  const shown = await documentOf(context, head, 'public')
  const { metadata } = shown
  const listed = { description: listedDescription(metadata), topics: topicsOf(metadata) }
  return { ...listed, ...foundOf(shown, head), fields: await namesInSchemas(context, shown) }
}

/** Empty if damage makes the schemas unreadable: that must not prevent a withdrawal. */
async function namesInSchemas({ objects }: Context, shown: ViewDocument): Promise<string> {
  async function* texts() {
    for await (const { type, bytes } of readSchemaObjects(objects, shown))
      yield [type, decoder.decode(bytes)] as const
  }
  try {
    return await fieldNames(texts())
  } catch (error) {
    if (!(error instanceof ObjectCorrupt)) throw error
    return ''
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

async function record(
  context: Context,
  tx: Tx,
  tell: Tell,
  { who, look, wanted }: { who: Principal; look: Look; wanted: WithdrawVersion },
): Promise<WithdrawnVersion> {
  const { seen, head, found, files, privateNames } = look
  const { collection, owner } = seen
  const locked = await lockCollection(tx, collection.id, 'update')
  await demandStill(context, tx, { who: demandCaller(who), collection, owner }, mayWithdraw)
  const version = await findVersionById(tx, look.version.id)
  if (locked === undefined || version === undefined) throw new RegistryError('collection_not_found')
  const at = context.now()
  const isFirstTime = version.withdrawnAt === null
  const erase = wanted.erase === true && version.erasure === null
  if (isFirstTime) {
    const isSameHead = locked.headId === (seen.head?.id ?? null)
    const isSame = isSameHead && (await countWithdrawn(tx, collection.id)) === look.withdrawn
    if (!isSame || look.version.withdrawnAt !== null) throw new MovedOn()
    if (head?.id !== locked.headId)
      await moveHead(tx, collection.id, { ...found, headId: head?.id ?? null, updatedAt: at })
    if (privateNames !== null) await keepWithdrawnNames(tx, collection.id, privateNames)
    await recordInherited(tx, collection.id, [...new Set([...files.kept.full, ...files.kept.public])])
    await markFilesInViews(tx, collection.id, files.kept)
    await unmarkFilesInViews(tx, collection.id, files.left)
    if (isNewer(version, locked.newestWithdrawn))
      await keepWithdrawnNumber(tx, collection.id, semverOf(version))
  }
  const marks = {
    ...(isFirstTime && { withdrawnAt: at, withdrawnReason: wanted.reason }),
    ...(erase && { erasure: 'asked' as const, ...wordless }),
  }
  if (isFirstTime || erase) {
    await markVersion(tx, version.id, marks)
    const target = `${owner.slug}/${collection.slug}@${semverOf(version)}`
    if (erase) {
      await forgetWordsOfPush(tx, collection.id, semverOf(version))
      await forgetAuditMessages(tx, version)
    }
    const details = { erase, ...(isFirstTime && { reason: wanted.reason }) }
    tell({ action: 'version.withdrawn', account: owner.id, target, details })
  }
  const after = { ...version, ...marks }
  const { at: withdrawnAt, reason, erase: isErased } = withdrawalOf(after)!
  return {
    semver: semverOf(version),
    withdrawnAt,
    reason,
    erase: isErased,
    latest: head === null ? null : semverOf(head),
  }
}

/** Changes that remove all texts about a version. */
const wordless = {
  ...{ message: null, appId: null, actorId: null, workload: null, license: null, listedTypes: null },
  ...{ deprecation: null, deprecatedAt: null },
}

const isNewer = (version: VersionRow, than: string | null): boolean => {
  const other = than === null ? undefined : parseSemver(than)
  return other === undefined || compareSemver(version, other) > 0
}

async function deprecate(
  context: Context,
  who: Principal,
  path: VersionPath,
  message: string | null,
): Promise<{ ok: true }> {
  const seen = await seenFor(mayDeprecate, context, who, path)
  const { collection, owner } = seen
  const { id } = await namedVersion(context, seen, path.v)
  await audited(context, who, async (tx, tell) => {
    await lockCollection(tx, collection.id, 'update')
    await demandStill(context, tx, { who: demandCaller(who), collection, owner }, mayDeprecate)
    const version = await findVersionById(tx, id)
    if (version === undefined) throw new RegistryError('collection_not_found')
    if (version.withdrawnAt !== null) throw refusalOfWithdrawn(version)
    if (version.deprecation === message) return
    await markVersion(tx, id, { deprecation: message, deprecatedAt: message === null ? null : context.now() })
    const target = `${owner.slug}/${collection.slug}@${semverOf(version)}`
    tell({ action: 'version.deprecated', account: owner.id, target, details: { message, version: id } })
  })
  return { ok: true }
}
