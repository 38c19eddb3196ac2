/**
 * Withdrawals, which make versions unreadable and keep their numbers taken, and deprecations, which only warn. http-api §11.
 *
 *     readable ── withdrawn ──▶ 410, stays stored ── erase ──▶ 410, erased by the next sweep (upkeep/sweep/erasure.ts)
 */

import { compareSemver, parseSemver, topicsOf, type ViewDocument } from '@ulmus/content'
import {
  correctStrips,
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
  ObjectCorruptError,
  type Tx,
  unmarkFilesInViews,
  type VersionRow,
} from '@ulmus/storage'
import type { CollectionPath, VersionItem, VersionPath, WithdrawnVersion, WithdrawVersion } from '@ulmus/wire'
import { demandStill } from '../access/authority.ts'
import { findCollectionTo, type VisibleCollection } from '../access/find-collection.ts'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { recordInherited } from '../files/known-files.ts'
import { demandCaller, type Principal, taskFor } from '../principal.ts'
import { namesToKeep } from '../pushes/schemas/made-public.ts'
import { deprecationOf, documentOf, refusalOfWithdrawn, semverOf, withdrawalOf } from '../versions/content.ts'
import { foundOf, listedDescription } from '../versions/land.ts'
import { namesIn } from '../versions/schemas.ts'
import { namedVersion } from '../versions/versions.ts'
import { filesLeftBy, type LeftFiles } from './left-files.ts'

/** Facts about a version for the form that withdraws or deprecates it. */
export type VersionMarks = Pick<VersionItem, 'semver' | 'withdrawn' | 'deprecated'>

/** State read before the transaction, which checks that it still holds. */
interface Look {
  readonly seen: VisibleCollection
  readonly versions: readonly VersionRow[]
  /** The head after the withdrawal of `versions`. */
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
   * @throws collection_not_found, MovedError, version_not_found, insufficient_scope, key_limited, not_a_member, insufficient_role
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
    const version = await namedVersion(
      context,
      await findCollectionTo('deprecate', context, who, path),
      path.v,
    )
    const [withdrawn, deprecated] = [withdrawalOf(version), deprecationOf(version)]
    return {
      semver: semverOf(version),
      ...(withdrawn && { withdrawn }),
      ...(deprecated && { deprecated }),
    }
  },
})

/** Attempts at most: another version may land or be withdrawn between reading and recording. */
const looksMax = 20

async function withdraw(
  context: Context,
  who: Principal,
  path: VersionPath,
  wanted: WithdrawVersion,
): Promise<WithdrawnVersion> {
  const choose = async (seen: VisibleCollection) => [await namedVersion(context, seen, path.v)]
  const { versions, head } = await withdrawAll(context, who, path, { choose, wanted })
  const [version] = versions as [VersionRow]
  const { at: withdrawnAt, reason, erase: isErased } = withdrawalOf(version)!
  return {
    semver: semverOf(version),
    withdrawnAt,
    reason,
    erase: isErased,
    latest: head === null ? null : semverOf(head),
  }
}

export interface WithdrawSeveral {
  /** The versions, from the collection as it is now; called again if it changed before they were recorded. */
  readonly choose: (seen: VisibleCollection) => Promise<VersionRow[]>
  readonly wanted: WithdrawVersion
  /** Runs last in the transaction. */
  readonly also?: (tell: Tell, seen: VisibleCollection) => void
}

/** Withdraws versions together. Returns them as they are then, and the newest one that is left. @throws the errors of `withdraw` */
export async function withdrawAll(
  context: Context,
  who: Principal,
  path: CollectionPath,
  several: WithdrawSeveral,
): Promise<{ versions: VersionRow[]; head: VersionRow | null }> {
  for (let looks = 1; ; looks++) {
    const look = await lookAt(context, who, path, several)
    try {
      return await audited(context, who, (tx, tell) => record(context, tx, tell, { who, look, several }))
    } catch (error) {
      if (!(error instanceof MovedOnError)) throw error
      if (looks === looksMax) throw new RegistryError('unavailable', { cause: error })
    }
  }
}

class MovedOnError extends Error {}

async function lookAt(
  context: Context,
  who: Principal,
  path: CollectionPath,
  { choose }: WithdrawSeveral,
): Promise<Look> {
  const seen = await findCollectionTo('withdraw', context, who, path)
  const withdrawn = await countWithdrawn(context.database, seen.collection.id)
  const versions = await choose(seen)
  const readable = versions.filter(({ withdrawnAt }) => withdrawnAt === null)
  const isHead = readable.some(({ id }) => id === seen.head?.id)
  const ids = readable.map(({ id }) => id)
  const head = isHead ? await findNewestStanding(context.database, seen.collection.id, ids) : seen.head
  const nothing = { full: [], public: [] }
  const files =
    readable.length > 0
      ? await filesLeftBy(context, seen.collection, readable)
      : { left: nothing, kept: nothing }
  const privateNames = isHead ? await namesToKeep(context, seen.head!, taskFor(who)) : null
  const found = isHead && head !== null ? await foundIn(context, head) : nothingFound
  return { seen, versions, head, found, files, privateNames, withdrawn }
}

const nothingFound: HeadFound = { description: null, topics: [], readme: '', fields: '', facets: [] }

/** Searchable words and facets of a version that becomes the head. */
async function foundIn(context: Context, head: VersionRow): Promise<HeadFound> {
  const shown = await documentOf(context, head, 'public')
  const { metadata } = shown
  const listed = { description: listedDescription(metadata), topics: topicsOf(metadata) }
  return { ...listed, ...foundOf(shown, head), fields: await readableNames(context, shown) }
}

/** Empty if damage makes the schemas unreadable: that must not prevent a withdrawal. */
async function readableNames({ objects }: Context, shown: ViewDocument): Promise<string> {
  try {
    return await namesIn(objects, shown)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    return ''
  }
}

async function record(
  context: Context,
  tx: Tx,
  tell: Tell,
  { who, look, several }: { who: Principal; look: Look; several: WithdrawSeveral },
): Promise<{ versions: VersionRow[]; head: VersionRow | null }> {
  const { seen, head, found, files, privateNames } = look
  const { collection, owner } = seen
  const locked = await lockCollection(tx, collection.id, 'update')
  await demandStill(context, tx, { who: demandCaller(who), collection, owner }, 'withdraw')
  if (locked === undefined) throw new RegistryError('collection_not_found')
  const withdrawn = await countWithdrawn(tx, collection.id)
  const isSameHead = locked.headId === (seen.head?.id ?? null)
  const withdraws = look.versions.some(({ withdrawnAt }) => withdrawnAt === null)
  // Repeating a withdrawal concerns no other version.
  if (withdraws && !(isSameHead && withdrawn === look.withdrawn)) throw new MovedOnError()
  if (withdraws) {
    if (head?.id !== locked.headId)
      await moveHead(tx, collection.id, { ...found, headId: head?.id ?? null, updatedAt: context.now() })
    if (privateNames !== null) await keepWithdrawnNames(tx, collection.id, privateNames)
    await recordInherited(tx, collection.id, [...new Set([...files.kept.full, ...files.kept.public])])
    await markFilesInViews(tx, collection.id, files.kept)
    await unmarkFilesInViews(tx, collection.id, files.left)
  }
  let newest = locked.newestWithdrawn
  const versions: VersionRow[] = []
  for (const { id } of look.versions) {
    const version = await markWithdrawn(context, tx, tell, { id, seen, wanted: several.wanted })
    versions.push(version)
    if (isNewer(version, newest)) newest = semverOf(version)
  }
  if (withdraws) await correctStrips(tx, [collection.id])
  if (withdraws && newest !== null && newest !== locked.newestWithdrawn)
    await keepWithdrawnNumber(tx, collection.id, newest)
  several.also?.(tell, seen)
  return { versions, head }
}

/** Marks one version, with its entry in the audit log. Returns it as it is then. */
async function markWithdrawn(
  context: Context,
  tx: Tx,
  tell: Tell,
  {
    id,
    seen: { collection, owner },
    wanted,
  }: { id: string; seen: VisibleCollection; wanted: WithdrawVersion },
): Promise<VersionRow> {
  const version = await findVersionById(tx, id)
  if (version === undefined) throw new RegistryError('collection_not_found')
  const isFirstTime = version.withdrawnAt === null
  const erase = wanted.erase === true && version.erasure === null
  if (!isFirstTime && !erase) return version
  const marks = {
    ...(isFirstTime && { withdrawnAt: context.now(), withdrawnReason: wanted.reason }),
    ...(erase && { erasure: 'asked' as const, ...wordless }),
  }
  await markVersion(tx, version.id, marks)
  const target = `${owner.slug}/${collection.slug}@${semverOf(version)}`
  if (erase) {
    await forgetWordsOfPush(tx, collection.id, semverOf(version))
    await forgetAuditMessages(tx, version)
  }
  const details = { erase, ...(isFirstTime && { reason: wanted.reason }) }
  tell({ action: 'version.withdrawn', account: owner.id, target, details })
  return { ...version, ...marks }
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
  const seen = await findCollectionTo('deprecate', context, who, path)
  const { collection, owner } = seen
  const { id } = await namedVersion(context, seen, path.v)
  await audited(context, who, async (tx, tell) => {
    await lockCollection(tx, collection.id, 'update')
    await demandStill(context, tx, { who: demandCaller(who), collection, owner }, 'deprecate')
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
