/**
 * Builds the next version of a session: reads the base, builds the content, and writes its objects without recording them. A
 * commit then lands the version; a dry run only reports it.
 */
import {
  changeBetween,
  documentDigest,
  type Hash,
  type JsonObject,
  mergeMetadata,
  parseJson,
} from '@ulmus/content'
import { findCollectionById, openObjectWriter, type PushRow } from '@ulmus/storage'
import { type Acting, demandNow, onBehalfOf } from '../../access/authority.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { knownFiles } from '../../files/known-files.ts'
import type { VersionContent } from '../../versions/content.ts'
import { fieldNames } from '../../versions/field-names.ts'
import { abortOnError, numberAfter, type VersionMaking } from '../../versions/land.ts'
import { confirmationsIn } from '../opening/confirmations.ts'
import { ReferringTypes, recordWarnings } from '../references/record-warnings.ts'
import { formerlyPrivateIn } from '../schemas/made-public.ts'
import { byType, type PushSchema } from '../schemas/push-schema.ts'
import { removedTypes } from '../schemas/removed-types.ts'
import { pushedSchemas } from '../schemas/session-schemas.ts'
import { joinedWarnings, type PushWarnings } from '../schemas/warnings.ts'
import type { EntriesSource, PushEntry } from '../spills/entries.ts'
import { mergedEntries, tieredSpills } from '../spills/spills.ts'
import { TemporarySpills } from '../spills/temporary-spills.ts'
import { leaseOf } from '../state/lease.ts'
import { type Base, demandBase, emptyDocument, readBase } from './base.ts'
import { buildContent } from './build.ts'
import type { Built } from './build-input.ts'
import { checkCarriedOver } from './carried-over-check.ts'
import { refuseTwoHashes, snapshotEntries } from './snapshot-entries.ts'

/** Progress of a commit or a dry run, in lines of a delta or records of a snapshot's manifest. The session's row shows it. */
export interface Progress {
  recordsDone: number
  recordsTotal: number
}

/** A version that is built and written, and not recorded. */
export interface NextVersion {
  /** The receiver must finish or abort its writer. */
  making: VersionMaking
  built: Built
  change: Change
  warnings: PushWarnings
}

type Change = Exclude<ReturnType<typeof changeBetween>, 'none'>

/**
 * Builds the next version and returns the result of `end` on it.
 * @param push the row at the time of its lease
 * @param requester the caller whose request waits; undefined: on behalf of the account that requested it
 * @throws version_conflict, files_missing, schema_violation, private_record_made_public, private_value_in_id, no_changes; for a snapshot
 * also manifest_incomplete, manifest_conflict, records_missing; the errors of `end`.
 */
export async function withNextVersion<T>(
  context: Context,
  push: PushRow,
  { progress, requester }: { progress: Progress; requester: Acting | undefined },
  end: (next: NextVersion) => Promise<T>,
): Promise<T> {
  const { database, objects, blobs } = context
  progress.recordsDone = 0
  await demandBase(context, push)
  const by = requester ?? (await behalfOfCommitter(context, push))
  await demandNow(context, by)
  // The work counts for the account that owns the collection, not for the caller.
  const owner = by.owner.id
  const kept = await pushedSchemas(context, push)
  const pushed = kept && byType(kept.list)
  const base = await readBase(context, push, pushed)
  const schemas = pushed ?? base.schemas
  const spills = await tieredSpills(context, leaseOf(push), refuseTwoHashes)
  progress.recordsTotal = push.manifestExpected ?? spills.reduce((sum, spill) => sum + spill.entries, 0)
  const referring = new ReferringTypes(schemas)
  const entries: EntriesSource =
    push.kind === 'delta'
      ? (passed) => counted(mergedEntries(context, spills), passed)
      : await snapshotEntries(context, push, { base, spills })
  await checkCarriedOver(context, { base: base.full, baseSchemas: base.schemas, schemas, entries, owner })
  const writer = openObjectWriter({ database, blobs, objects })
  const passing = new TemporarySpills(context, push.id)
  try {
    const patch = push.metadata === null ? {} : (parseJson(push.metadata) as JsonObject)
    const next = await abortOnError(writer, async () => {
      const built = await buildContent(
        { objects, writer, work: context.work, owner },
        {
          base,
          baseSchemas: base.schemas,
          schemas,
          formerlyPrivate: await formerlyPrivateIn(context, base, kept?.list, { owner }),
          entries: referring.noting(entries),
          metadata: mergeMetadata(base.full.metadata, patch),
          confirmed: new Set(confirmationsIn(push.confirmPublic)),
          declared: push.files as Hash[],
          replacesDeclared: push.kind === 'snapshot',
          fileSizes: (files) => sizesOfKnown(context, push.collectionId, files),
          passing,
          progress,
        },
      )
      const change = demandChange(base, built)
      const look = { base: base.full, schemas, entries, owner }
      const warnings = joinedWarnings(
        removedTypes(base.full, schemas),
        await recordWarnings(context, referring, look),
      )
      const making: VersionMaking = {
        collection: { id: push.collectionId },
        by,
        base: base.version,
        semver: numberAfter(base.version, by.collection.newestWithdrawn, change),
        content: built.content,
        fields: kept && (await publicNames(base, kept.list)),
        writer,
        message: push.message,
        appId: push.appId,
        actorId: push.actorId,
      }
      return { making, built, change, warnings }
    })
    return await end(next)
  } finally {
    await passing.drop()
  }
}

/** Names in the public schemas of a push; undefined if they are those of the base. */
async function publicNames(base: Base, list: readonly PushSchema[]): Promise<string | undefined> {
  const shown = list.filter(({ publicHash }) => publicHash !== null)
  const before = new Map(Object.entries(base.public.types))
  const isSame = ({ type, publicHash }: PushSchema) => before.get(type)?.schema === publicHash
  if (shown.length === before.size && shown.every(isSame)) return undefined
  return fieldNames(shown.map(({ type, text, publicText }) => [type, publicText ?? text]))
}

/** @throws collection_not_found. */
async function behalfOfCommitter(context: Context, push: PushRow): Promise<Acting> {
  const found = await findCollectionById(context.database, push.collectionId, null)
  if (found === undefined) throw new RegistryError('collection_not_found')
  return onBehalfOf({ accountId: push.committerId ?? push.accountId, means: push.committerMeans }, found)
}

async function* counted(
  entries: AsyncGenerator<PushEntry[]>,
  passed: (records: number) => void = () => undefined,
): AsyncGenerator<PushEntry[]> {
  for await (const batch of entries) {
    passed(batch.length)
    yield batch
  }
}

/** @throws files_missing with the unknown files. */
export function demandFiles(files: readonly Hash[], known: { has(file: Hash): boolean }): void {
  const missing = files.filter((file) => !known.has(file))
  if (missing.length === 0) return
  throw new RegistryError('files_missing', {
    details: { filesNeeded: missing.sort().map((file) => `sha256:${file}`) },
  })
}

/** @throws files_missing with the files that the collection may not refer to. */
async function sizesOfKnown(
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<Map<Hash, number>> {
  const known = await knownFiles(context, collectionId, files)
  demandFiles(files, known)
  return known
}

/**
 * Requires a change: a first version must have content; a later one must differ from its base in a digest. Marks of records in private
 * types are in neither.
 * @throws no_changes.
 */
function demandChange(base: Base, { content }: Built): Change {
  const change = changeFrom(base, content)
  if (change === 'none') throw new RegistryError('no_changes')
  return change
}

function changeFrom(base: Base, content: VersionContent): ReturnType<typeof changeBetween> {
  if (base.version === null) {
    const isEmpty = documentDigest(content.full) === documentDigest(emptyDocument)
    return isEmpty ? 'none' : 'first'
  }
  return changeBetween({ full: base.full, public: base.public }, content)
}
