/**
 * Removes a record from all versions. A version is bound to its digest and cannot lose a record: a version without it is published, and
 * all that have it are withdrawn and erased. http-api §11.
 */
import { findEntry, formatSemver, idFault, typeFault } from '@ulmus/content'
import { countPublicForks, giveWay, listVersions, type VersionRow } from '@ulmus/storage'
import type { ErasedRecord, EraseRecord, HistoryPath, RecordErasure } from '@ulmus/wire'
import { findCollectionTo, findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { mayPublish } from '../access/policy.ts'
import { typeTree } from '../answers/places.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { publishLine } from '../pushes/publish-line.ts'
import type { Pushes } from '../pushes/pushes.ts'
import { demandHead } from '../pushes/schemas/accepted.ts'
import { rootsOf, semverOf } from '../versions/content.ts'
import { numberAfter } from '../versions/land.ts'
import { withdrawAll } from '../withdrawals/withdrawals.ts'

export type RecordErasures = ReturnType<typeof recordErasuresOf>

/** Versions withdrawn in one transaction, which others wait for. */
const withdrawnAtOnce = 100
const versionsAtOnce = 100

const usualReason = 'A record was removed from all versions.'

export const recordErasuresOf = (context: Context, pushes: Pushes) => ({
  /** @throws collection_not_found, insufficient_scope, key_limited, not_a_member, insufficient_role, record_not_found */
  plan: async (who: Principal, path: HistoryPath): Promise<RecordErasure> =>
    (await planFor(context, who, path)).plan,

  /** Repeating an interrupted call finishes it. @throws the errors of `plan`; version_conflict, publishers_only, quota_exceeded */
  async erase(who: Principal, path: HistoryPath, wanted: EraseRecord): Promise<ErasedRecord> {
    const { seen, plan, planned } = await planFor(context, who, path)
    const { type, id } = path
    demandHead(seen, wanted.base_version)
    const made =
      plan.publishes === null
        ? null
        : await publishLine(pushes, who, path, {
            kind: 'deletes',
            line: JSON.stringify({ type, id }),
            opening: { base_version: wanted.base_version, message: 'Remove a record' },
          })
    const reason = wanted.reason ?? usualReason
    const versions: string[] = []
    for (let left = plan.versions.length; left > 0; ) {
      const batch = await withdrawAll(context, who, path, {
        wanted: { reason, erase: true },
        async choose(now) {
          // A version that was published meanwhile keeps the record: its publisher added it again.
          const having = (await versionsWith(context, now, path)).having.filter(({ id }) => planned.has(id))
          left = having.length - withdrawnAtOnce
          return having.slice(0, withdrawnAtOnce)
        },
        // Ids may be personal data, so the log does not have them.
        also: (tell, { collection, owner }) => {
          if (left > 0) return
          const details = { type, versions: plan.versions.length }
          const target = `${owner.slug}/${collection.slug}`
          tell({ action: 'record.erased', account: owner.id, target, details })
        },
      })
      versions.push(...batch.versions.map(semverOf))
    }
    const { head: latest } = await findVisibleCollection(context, who, path)
    return {
      ...{ type, id, erasedAt: instantText(context.now()), reason, versions },
      published: made ?? null,
      latest: latest === null ? null : semverOf(latest),
      forks: plan.forks,
    }
  },
})

async function planFor(
  context: Context,
  who: Principal,
  path: HistoryPath,
): Promise<{ seen: VisibleCollection; plan: RecordErasure; planned: ReadonlySet<string> }> {
  const seen = await findCollectionTo('withdraw', context, who, path)
  const { collection, head } = seen
  const { type, id } = path
  const isPossible = idFault(id) === undefined && typeFault(type) === undefined
  const { having, stays } = isPossible ? await versionsWith(context, seen, path) : none
  if (having.length === 0) throw new RegistryError('record_not_found', { say: { type, id } })
  const publishes = head !== null && having.some((version) => version.id === head.id)
  if (publishes) demand(mayPublish(who, collection))
  return {
    seen,
    planned: new Set(having.map((version) => version.id)),
    plan: {
      ...{ type, id },
      latest: head === null ? null : semverOf(head),
      publishes: publishes ? formatSemver(numberAfter(head, collection.newestWithdrawn, 'content')) : null,
      versions: having.map((version) => ({
        semver: semverOf(version),
        withdrawn: version.withdrawnAt !== null,
      })),
      stays,
      forks: await countPublicForks(context.database, collection.id),
    },
  }
}

interface Versions {
  /** Newest first. */
  readonly having: VersionRow[]
  /** Number of readable versions without the record. */
  readonly stays: number
}

const none: Versions = { having: [], stays: 0 }

/** Finds the versions that have a record, with withdrawn ones that are still stored. */
async function versionsWith(
  context: Context,
  { collection }: VisibleCollection,
  { type, id }: HistoryPath,
): Promise<Versions> {
  const having: VersionRow[] = []
  let stays = 0
  /** By sidecar, then by the root of the type: versions share both. */
  const sidecars = new Map<string, boolean>()
  const trees = new Map<string | null, boolean>()
  for await (const version of storedVersions(context, collection.id)) {
    let has = sidecars.get(version.sidecar)
    if (has === undefined) {
      const tree = typeTree(await rootsOf(context, version, 'full'), type)
      const root = tree?.root ?? null
      has = trees.get(root)
      has ??= tree !== undefined && (await findEntry(tree, id, context.objects)) !== undefined
      trees.set(root, has)
      sidecars.set(version.sidecar, has)
      await giveWay()
    }
    if (has) having.push(version)
    else if (version.withdrawnAt === null) stays++
  }
  return { having, stays }
}

async function* storedVersions({ database }: Context, collectionId: string): AsyncGenerator<VersionRow> {
  let beyond: VersionRow | undefined
  for (;;) {
    const page = { limit: versionsAtOnce, offset: 0, backwards: false }
    const rows = await listVersions(database, collectionId, { ...page, ...(beyond && { beyond }) })
    yield* rows.filter(({ erasure }) => erasure === null)
    if (rows.length < versionsAtOnce) return
    beyond = rows.at(-1)
  }
}
