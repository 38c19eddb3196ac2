/** How a version comes to be: objects durable first, then one transaction that records them and moves the head. */
import {
  digestLabel,
  documentText,
  formatSemver,
  type Hash,
  hashText,
  type JsonObject,
  metadataIn,
  parseHash,
  type Semver,
  type ViewDocument,
  type ViewRoots,
} from '@ulmus/content'
import {
  findHead,
  finishMetadataJob,
  isForeignKeyViolation,
  isOneStatement,
  type Landing,
  landMetadataUpdate,
  landVersion,
  type ObjectWriter,
  objectsPackKey,
  type PackedObjects,
  type Queries,
  recordPacks,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { type Acting, authorityOf, demandNow, demandStill } from '../access/authority.ts'
import type { View } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { listedDescription } from './listed-description.ts'
import { readSidecar } from './sidecar.ts'

/** What a version points at: the documents of its two views and its sidecar. */
export interface VersionContent {
  readonly full: ViewDocument
  readonly public: ViewDocument
  /** Hash of the sidecar object (`sidecar.ts`). */
  readonly sidecar: Hash
}

/** A hash that a row holds. */
export const storedHash = (text: string): Hash => {
  const hash = parseHash(text)
  if (hash === undefined) throw new Error(`the database holds ${JSON.stringify(text)} where a hash belongs`)
  return hash
}

export const documentOf = (context: Context, version: VersionRow, view: View): Promise<ViewDocument> =>
  context.objects.document(storedHash(view === 'full' ? version.fullDigest : version.publicDigest))

/** The trees of a view. */
export const rootsOf = async (context: Context, version: VersionRow, view: View): Promise<ViewRoots> =>
  (await readSidecar(context.objects, storedHash(version.sidecar))).roots[view]

/** The document of a view as it is stored. */
export const documentBytes = (context: Context, version: VersionRow, view: View): Promise<Uint8Array> =>
  context.objects.documentBytes(storedHash(view === 'full' ? version.fullDigest : version.publicDigest))

/** The metadata of a version, as JSON. It may have a MiB, and is not parsed. */
export async function metadataBytes(context: Context, version: VersionRow, view: View): Promise<Uint8Array> {
  const [bytes, roots] = await Promise.all([
    documentBytes(context, version, view),
    rootsOf(context, version, view),
  ])
  return metadataIn(bytes, roots)
}

export async function readContent(context: Context, version: VersionRow): Promise<VersionContent> {
  const [full, open] = await Promise.all([
    documentOf(context, version, 'full'),
    documentOf(context, version, 'public'),
  ])
  return { full, public: open, sidecar: storedHash(version.sidecar) }
}

/** The digest that readers of a view are shown: `private:…` for members, `public:…` for others. */
export const shownDigest = (version: VersionRow, view: View): string =>
  view === 'full'
    ? digestLabel('private', storedHash(version.fullDigest))
    : digestLabel('public', storedHash(version.publicDigest))

/** Counts of a version as the reader of a view sees them. `totalBytes`: sizes of records and files together. */
export const shownCounts = (version: VersionRow, view: View) =>
  view === 'full'
    ? { recordCount: version.fullRecords, fileCount: version.fullFiles, totalBytes: version.fullBytes }
    : { recordCount: version.publicRecords, fileCount: version.publicFiles, totalBytes: version.publicBytes }

/**
 * What its maker says of a version. Outsiders are told nothing of one in which only private things changed: it has a number and a time.
 */
export const shownWords = (version: VersionRow, view: View) =>
  view === 'full' || version.publicChanged
    ? { message: version.message, appId: version.appId, actorId: version.actorId }
    : { message: null, appId: null, actorId: null }

/** `v1.2.3` of a version row. */
export const semverOf = (version: VersionRow): string => formatSemver(version)

/** The same content with other metadata: two new documents over the same roots; no tree is read. */
export const withMetadata = (content: VersionContent, metadata: JsonObject): VersionContent => ({
  ...content,
  full: { ...content.full, metadata },
  public: { ...content.public, metadata },
})

export interface VersionMaking {
  collection: { id: string }
  /** On whose behalf; looked at again as it lands. */
  by: Acting
  /** The version it follows, which must still be the head. Null: there is none. */
  base: VersionRow | null
  /** What `baseSemver` says; default: the semver of `base`. */
  baseSemver?: string | null
  semver: Semver
  content: VersionContent
  /** Holds the objects that the content needs and the store lacks. The documents are added, and it is finished or aborted, here. */
  writer: ObjectWriter
  message?: string | null
  appId?: string | null
  actorId?: string | null
  /** Runs last in the transaction: what must be true exactly if the version is. */
  also?: (tx: Tx, version: VersionRow) => Promise<void>
  /** Id of the running metadata update that the version completes. */
  completes?: string
}

/** The metadata update that a version was to complete has ended otherwise, or is gone with its collection. */
export class UpdateEnded extends Error {}

/** What an object takes in the database: its row, its keys in two indexes, and all of that in the log. Bytes, about. */
const rowBytes = 1_024

/**
 * Makes a version, whole or not at all: durable when it resolves.
 * @throws version_conflict with `currentVersion` when the head is no longer `base`; collection_not_found when it was deleted
 *   meanwhile; what `demandStill` does; UpdateEnded; StorageFull.
 */
export async function makeVersion(context: Context, making: VersionMaking): Promise<VersionRow> {
  const { writer, content } = making
  const full = writtenDocument(content.full)
  const open = content.public === content.full ? full : writtenDocument(content.public)
  const packed = await abortOnError(writer, async () => {
    for (const { digest, text } of [full, open]) await writer.add('plain', digest, text)
    const written = await writer.finish()
    await context.space.demand(written.packs.reduce((sum, { entries }) => sum + entries.length * rowBytes, 0))
    return written
  })
  const version = versionRow(context, making, { full: full.digest, public: open.digest })
  const landing: Landing = {
    version,
    from: making.base?.id ?? null,
    headDescription: listedDescription(content.full.metadata),
  }
  const asks = { mayStand: false }
  try {
    const { completes: job, also } = making
    if (job !== undefined && also === undefined && isOneStatement(packed))
      await landAtOnce(context, making, { ...landing, job, packed }, asks)
    else await landInTransaction(context, making, { ...landing, packed }, asks)
  } catch (error) {
    // When only the commit can have failed, perhaps only its answer was lost: then the version stands on its packs. If not, they are
    // leftovers for a sweep.
    if (!asks.mayStand) await writer.abort()
    throw error
  }
  for (const { kind, hash } of packed.replaced) context.objects.forget(kind, hash)
  // Whoever asks next, asks for these.
  for (const { digest, text } of [full, open]) context.objects.primeDocument(digest, text)
  return version
}

/** `mayStand`: what was asked of the database last may have been done, also when it did not answer. */
interface Asks {
  mayStand: boolean
}

async function landInTransaction(
  context: Context,
  making: VersionMaking,
  landing: Landing & { packed: PackedObjects },
  asks: Asks,
): Promise<void> {
  await context.database.transact(async (tx) => {
    // It may run again after a conflict.
    asks.mayStand = false
    await demandStill(context, tx, making.by)
    await recordPacks(tx, landing.packed)
    if (!(await landVersion(tx, landing))) throw await whyNotOnHead(tx, making)
    await making.also?.(tx, landing.version)
    if (making.completes !== undefined) {
      const { id: resultVersionId, createdAt: at } = landing.version
      const end = { at, status: 'completed' as const, resultVersionId, unchanged: false }
      if (!(await finishMetadataJob(tx, making.completes, end))) throw new UpdateEnded()
    }
    asks.mayStand = true
  })
}

async function landAtOnce(
  context: Context,
  making: VersionMaking,
  landing: Landing & { packed: PackedObjects; job: string },
  asks: Asks,
): Promise<void> {
  const { database } = context
  const update = { ...landing, pack: landing.packed.packs[0]!, at: landing.version.createdAt }
  asks.mayStand = true
  try {
    if (
      await database.transactOnce((tx) =>
        landMetadataUpdate(tx, { ...update, by: authorityOf(context, making.by) }),
      )
    )
      return
  } catch (error) {
    if (!isForeignKeyViolation(error, objectsPackKey)) throw error
    // An object is there in a way that takes statements of its own to rely on, or has just been removed.
    return landInTransaction(context, making, landing, asks)
  }
  asks.mayStand = false
  await demandNow(context, making.by)
  throw await whyNotOnHead(database, making)
}

/** What `work` makes; `writer` is aborted when it rejects. For what precedes the transaction that may record what was written. */
export async function abortOnError<T>(writer: ObjectWriter, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

function writtenDocument(document: ViewDocument): { digest: Hash; text: string } {
  const text = documentText(document)
  return { digest: hashText(text), text }
}

/** Why a version did not land. */
async function whyNotOnHead(at: Queries, { collection, base }: VersionMaking): Promise<Error> {
  const head = await findHead(at, collection.id)
  if (head === undefined) return new RegistryError('collection_not_found')
  if (head?.id === base?.id) return new UpdateEnded()
  return new RegistryError('version_conflict', {
    details: { currentVersion: head === null ? null : semverOf(head) },
    say: { baseVersion: base === null ? null : semverOf(base) },
  })
}

function versionRow(context: Context, making: VersionMaking, digests: Record<View, Hash>): VersionRow {
  const { full, public: open, sidecar } = making.content
  const fullTotals = totalsOf(full)
  const publicTotals = totalsOf(open)
  return {
    id: newId(),
    collectionId: making.collection.id,
    ...making.semver,
    baseSemver: making.baseSemver ?? (making.base === null ? null : semverOf(making.base)),
    fullDigest: digests.full,
    publicDigest: digests.public,
    sidecar,
    fullRecords: fullTotals.records,
    fullFiles: full.files.count,
    fullBytes: fullTotals.bytes,
    publicRecords: publicTotals.records,
    publicFiles: open.files.count,
    publicBytes: publicTotals.bytes,
    publicChanged: making.base === null ? !isEmpty(open) : making.base.publicDigest !== digests.public,
    message: making.message ?? null,
    appId: making.appId ?? null,
    actorId: making.actorId ?? null,
    createdAt: context.now(),
  }
}

const isEmpty = ({ files, metadata, types }: ViewDocument): boolean =>
  files.root === null && Object.keys(metadata).length === 0 && Object.keys(types).length === 0

/** Of all types; bytes of records and files together. */
export function totalsOf(document: ViewRoots): { records: number; bytes: number } {
  const totals = { records: 0, bytes: document.files.bytes }
  for (const type of Object.values(document.types)) {
    totals.records += type.count
    totals.bytes += type.bytes
  }
  return totals
}
