/**
 * Publishes the content of an earlier version again. The new version shares its trees, schemas and metadata, so it costs two documents
 * and a sidecar, however many records there are. http-api §7.
 */
import { changeBetween, diffTrees, emptyTree, type Tree, type ViewRoots } from '@ulmus/content'
import { findVersionById, giveWay, openObjectWriter, type Tx, type VersionRow } from '@ulmus/storage'
import type { RestoredVersion, RestoreVersion, VersionPath } from '@ulmus/wire'
import { type Acting, demandNow } from '../access/authority.ts'
import { findCollectionTo, type VisibleCollection } from '../access/find-collection.ts'
import { mayPublish } from '../access/policy.ts'
import { typeTree } from '../answers/places.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal, taskFor } from '../principal.ts'
import { LostMarks } from '../pushes/commit/lost-marks.ts'
import { demandHead } from '../pushes/schemas/accepted.ts'
import { demandConfirmed, formerlyPrivateIn } from '../pushes/schemas/made-public.ts'
import { byType } from '../pushes/schemas/push-schema.ts'
import { baseSchemas } from '../pushes/schemas/session-schemas.ts'
import { retryIfSwept } from '../upkeep/retry-if-swept.ts'
import {
  digestOfView,
  readContent,
  refusalOfWithdrawn,
  semverOf,
  shownCounts,
  type VersionContent,
} from '../versions/content.ts'
import { abortOnError, makeVersion, numberAfter } from '../versions/land.ts'
import { namesIn } from '../versions/schemas.ts'
import { readSidecar, writeSidecar } from '../versions/sidecar.ts'
import { namedVersion } from '../versions/versions.ts'

export type Restores = ReturnType<typeof restoresOf>

export const restoresOf = (context: Context) => ({
  /**
   * Makes the content of a version the latest one again. What became private since stays private, unless `confirm_public` names it.
   * @throws collection_not_found, not_a_member, key_limited, publishers_only, version_not_found, version_withdrawn, version_conflict,
   * private_field_made_public, private_record_made_public, quota_exceeded
   */
  async restore(who: Principal, path: VersionPath, wanted: RestoreVersion): Promise<RestoredVersion> {
    const seen = await findCollectionTo('write', context, who, path)
    const { collection, owner } = seen
    demand(mayPublish(who, collection))
    const by = { who: demandCaller(who), collection, owner }
    const version = await namedVersion(context, seen, path.v)
    if (version.withdrawnAt !== null) throw refusalOfWithdrawn(version)
    if (wanted.base_version !== undefined) demandHead(seen, wanted.base_version)
    await demandNow(context, by)
    // A version that is not withdrawn has a head that is its own or newer.
    const made = await retryIfSwept(context.objects, () =>
      restore(context, { by, seen, head: seen.head!, version }, wanted),
    )
    return answerOf(made ?? seen.head!, version, made === undefined)
  },
})

interface Restore {
  readonly by: Acting
  readonly seen: VisibleCollection
  readonly head: VersionRow
  /** The version that comes back. */
  readonly version: VersionRow
}

/** Returns undefined if the head has this content. */
async function restore(
  context: Context,
  { by, seen, head, version }: Restore,
  { message, confirm_public: confirmed = [] }: RestoreVersion,
): Promise<VersionRow | undefined> {
  const [now, then] = await Promise.all([readContent(context, head), readContent(context, version)])
  const [sidecarNow, sidecarThen] = await Promise.all([
    readSidecar(context.objects, now.sidecar),
    readSidecar(context.objects, then.sidecar),
  ])
  const { database, blobs, objects } = context
  const task = taskFor(by.who)
  const [base, next] = [await baseSchemas(context, head), (await baseSchemas(context, version)).list]
  await demandConfirmed(
    context,
    { collectionId: version.collectionId, head },
    { next, confirmed, restored: semverOf(version) },
    task,
  )
  const marks = new LostMarks(objects, new Set(confirmed))
  const [before, after] = [unmarkedIn(sidecarNow), unmarkedIn(sidecarThen)]
  for (const type of Object.keys(sidecarThen.roots.full.types)) {
    const trees = { full: treeIn(sidecarNow.roots.full, type), unmarked: before(type) }
    await marks.note(type, trees, idsEntering(context, trees.unmarked, after(type)))
  }
  marks.demandConfirmed(semverOf(version))
  const formerlyPrivate = await formerlyPrivateIn(
    context,
    { schemas: byType(base.list), sidecar: sidecarNow },
    next,
    task,
  )
  const writer = openObjectWriter({ database, blobs, objects })
  const content: VersionContent = {
    ...then,
    sidecar: await abortOnError(writer, () => writeSidecar(writer, { ...sidecarThen, formerlyPrivate })),
  }
  const compared = changeBetween(now, content)
  const change = compared === 'none' && content.sidecar !== now.sidecar ? 'other' : compared
  if (change === 'none') {
    await writer.abort()
    return undefined
  }
  return makeVersion(context, {
    collection: { id: version.collectionId },
    by,
    base: head,
    semver: numberAfter(head, seen.collection.newestWithdrawn, change),
    content,
    writer,
    fields: await namesIn(objects, then.public),
    message: message ?? `Restore ${semverOf(version)}`,
    also: (tx) => demandReadable(tx, version),
  })
}

/** Withdrawals lock the collection, as landing does: an erasure must not leave its data in a version that lands beside it. */
async function demandReadable(tx: Tx, { id }: VersionRow): Promise<void> {
  const version = await findVersionById(tx, id)
  if (version === undefined) throw new RegistryError('collection_not_found')
  if (version.withdrawnAt !== null) throw refusalOfWithdrawn(version)
}

const treeIn = (roots: ViewRoots, type: string): Tree => typeTree(roots, type) ?? emptyTree

/** Trees of the records without a private mark, by type, also of private types. */
const unmarkedIn =
  ({ roots, hiddenTrees }: Awaited<ReturnType<typeof readSidecar>>) =>
  (type: string): Tree =>
    typeTree(roots.public, type) ?? (Object.hasOwn(hiddenTrees, type) ? hiddenTrees[type]! : emptyTree)

/** Differences compared between two yields to the event loop. */
const comparedAtOnce = 256

/** Ids that `after` has and `before` lacks, ascending. */
async function* idsEntering({ objects }: Context, before: Tree, after: Tree): AsyncGenerator<string> {
  let compared = 0
  for await (const change of diffTrees(before, after, { node: (hash) => objects.node(hash) })) {
    if (++compared % comparedAtOnce === 0) await giveWay()
    if (change.before === undefined) yield change.key
  }
}

function answerOf(version: VersionRow, restored: VersionRow, unchanged: boolean): RestoredVersion {
  const { recordCount, fileCount } = shownCounts(version, 'full')
  return {
    semver: semverOf(version),
    restored: semverOf(restored),
    hash: digestOfView(version, 'full'),
    publicHash: digestOfView(version, 'public'),
    recordCount,
    fileCount,
    ...(unchanged && { unchanged }),
  }
}
