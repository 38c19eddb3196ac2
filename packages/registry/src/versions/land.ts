/**
 * Landing of versions: writes the objects first, then records them and moves the head in one transaction (storage
 * `land_version`).
 */
import {
  compareSemver,
  documentText,
  type Hash,
  hashText,
  type JsonObject,
  nextSemver,
  parseSemver,
  type Semver,
  topicsOf,
  type VersionChange,
  type ViewDocument,
} from '@ulmus/content'
import {
  type AuditEventRow,
  facetsOf,
  findHead,
  type Landing,
  landVersion,
  NotLandedError,
  ObjectsSweptError,
  type ObjectWriter,
  packAlone,
  recordPacks,
  standing,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { type Acting, authorityOf, demandNow } from '../access/authority.ts'
import type { View } from '../access/policy.ts'
import { demandRoom, quotaRefusal } from '../accounts/quotas.ts'
import { auditRow } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { type Caller, meansOf } from '../principal.ts'
import { semverOf, totalsOf, type VersionContent } from './content.ts'

/** A version to make: commits, metadata updates and forks all describe theirs with it. */
export interface VersionMaking {
  collection: { id: string }
  /** Author and authority of the version; checked again as it lands. */
  by: Acting
  /** The preceding version, which must still be the head; null if there is none. */
  base: VersionRow | null
  /** Recorded as the base's semver. Default: the semver of `base`. */
  baseSemver?: string | null
  semver: Semver
  content: VersionContent
  /**
   * Writer with the objects that the content needs and the store lacks. `makeVersion` adds the documents, and finishes or aborts
   * it.
   */
  writer: ObjectWriter
  /** Names in the schemas of the public view (`fieldNames`). Undefined: those of `base`. */
  fields?: string | undefined
  message?: string | null
  appId?: string | null
  actorId?: string | null
  /** Runs last in the transaction, for changes that must hold exactly if the version exists. */
  also?: (tx: Tx, version: VersionRow) => Promise<void>
  /** A metadata update or push session to end in the same transaction. */
  ends?: (version: VersionRow) => Landing['ends']
}

/**
 * Approximate size of an object in the database: its row, its keys in two indexes, and all of that in the write-ahead log. Bytes.
 */
const rowBytes = 1_024

/**
 * Makes a version completely or not at all; durable when it resolves.
 * @throws version_conflict with `currentVersion` if the head is no longer `base`; collection_not_found if it was deleted
 * meanwhile; publishers_only; quota_exceeded; the errors of `demandNow`; NotLandedError if the update or session has ended otherwise;
 * ObjectsSweptError; StorageFullError.
 */
export async function makeVersion(context: Context, making: VersionMaking): Promise<VersionRow> {
  const { writer, content } = making
  const { version, packed, documents } = await writeVersion(context, making)
  const { database } = context
  const landing: Landing = {
    version,
    from: making.base?.id ?? null,
    headDescription: listedDescription(content.full.metadata),
    topics: topicsOf(content.full.metadata),
    found: { ...foundOf(content.public, version), fields: making.fields },
    by: authorityOf(context, making.by),
    audit: versionMadeRow(making.by, version),
    ends: making.ends?.(version),
    usualQuota: context.limits.quotaBytes,
  }
  const pack = making.also === undefined ? packAlone(packed) : undefined
  // From here on, an error may follow a success whose answer was lost.
  let mayStand = pack !== undefined
  try {
    if (pack !== undefined) await database.transactOnce((tx) => landVersion(tx, { ...landing, pack }))
    else {
      await database.transact(async (tx) => {
        // The transaction may run again after a conflict.
        mayStand = false
        await recordPacks(tx, packed)
        await landVersion(tx, landing)
        await making.also?.(tx, version)
        mayStand = true
      })
    }
  } catch (error) {
    const isRefused = error instanceof NotLandedError || error instanceof ObjectsSweptError
    // An existing version needs these packs. Otherwise a sweep finds them.
    if (isRefused || !mayStand) await writer.abort()
    throw error instanceof NotLandedError ? await refusalFor(context, making, error) : error
  }
  for (const { kind, hash } of packed.replaced) context.objects.forget(kind, hash)
  for (const { digest, text } of documents) context.objects.primeDocument(digest, text)
  context.jobs.wake('events')
  const { full, public: publicView } = content
  context.readmes.landed(making.by.owner.slug, full.metadata['readme'], publicView.metadata['readme'])
  return version
}

/**
 * Writes the version that `makeVersion` would make, as far as that can fail, and aborts it: records nothing.
 * @throws quota_exceeded; StorageFullError, and the errors of stores.
 */
export async function tryVersion(context: Context, making: VersionMaking): Promise<VersionRow> {
  const { version, packed } = await writeVersion(context, making)
  await making.writer.abort()
  await demandRoom(context, context.database, making.by, { more: packed.bytes, received: false })
  return version
}

/**
 * Writes a version's packs durably and returns them with its row and the documents of both views. Aborts the writer if it
 * rejects.
 */
async function writeVersion(context: Context, making: VersionMaking) {
  const { writer, content } = making
  const full = writtenDocument(content.full)
  const publicDocument = content.public === content.full ? full : writtenDocument(content.public)
  const documents = [full, publicDocument]
  const packed = await abortOnError(writer, async () => {
    for (const { digest, text } of documents) await writer.add('plain', digest, text)
    const written = await writer.finish()
    await context.space.demand(written.packs.reduce((sum, { entries }) => sum + entries.length * rowBytes, 0))
    return written
  })
  const digests = { full: full.digest, public: publicDocument.digest }
  const version = versionRow(context, making, digests, packed.bytes)
  return { version, packed, documents }
}

/** Result of `work`; aborts `writer` if it rejects. For steps before the transaction that may record the written objects. */
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

/** Reason why the version did not land, for the caller. */
async function refusalFor(
  context: Context,
  { base, by, collection }: VersionMaking,
  notLanded: NotLandedError,
): Promise<Error> {
  if (notLanded.why === 'update_ended' || notLanded.why === 'lease_lost') return notLanded
  await demandNow(context, by)
  if (notLanded.why === 'publisher_gone') {
    const reason = 'The trusted publisher of this job was removed. Nothing was recorded.'
    return new RegistryError('unauthenticated', { say: { reason } })
  }
  if (notLanded.why === 'publishers_only') return new RegistryError('publishers_only')
  if (notLanded.why === 'over_quota') return quotaRefusal(context, by)
  const head = await findHead(context.database, collection.id)
  if (head === undefined) return new RegistryError('collection_not_found')
  return new RegistryError('version_conflict', {
    details: { currentVersion: head === null ? null : semverOf(head) },
    say: { baseVersion: base === null ? null : semverOf(base) },
  })
}

function versionRow(
  context: Context,
  making: VersionMaking,
  digests: Record<View, Hash>,
  storedBytes: number,
): VersionRow {
  const { full, public: publicView, sidecar } = making.content
  const fullTotals = totalsOf(full)
  const publicTotals = totalsOf(publicView)
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
    publicFiles: publicView.files.count,
    publicBytes: publicTotals.bytes,
    publicChanged: making.base === null ? !isEmpty(publicView) : making.base.publicDigest !== digests.public,
    storedBytes,
    license: listedText(full.metadata['license'], listedLicenseMax),
    listedTypes: { full: listedTypes(full), public: listedTypes(publicView) },
    message: making.message ?? null,
    appId: making.appId ?? null,
    actorId: making.actorId ?? null,
    ...madeBy(making.by.who),
    ...standing,
    createdAt: context.now(),
  }
}

const isEmpty = ({ files, metadata, types }: ViewDocument): boolean =>
  files.root === null && Object.keys(metadata).length === 0 && Object.keys(types).length === 0

/** Author fields of a version. */
export const madeBy = (who: Caller): Pick<VersionRow, 'madeBy' | 'madeWithKey' | 'workload'> => ({
  madeBy: who.accountId,
  madeWithKey: meansOf(who).key ?? null,
  workload: meansOf(who).workload ?? null,
})

/** Audit row for a version that lands. */
export function versionMadeRow({ who, owner, collection }: Acting, version: VersionRow): AuditEventRow {
  const target = `${owner.slug}/${collection.slug}@${semverOf(version)}`
  return auditRow(who, { action: 'version.made', account: owner.id, target }, version.createdAt)
}

/** Length of a description in lists and details, in characters; the metadata has the whole text. */
const listedDescriptionMax = 10_000

/** Length of a licence in lists, in characters. */
const listedLicenseMax = 200

/** Types of a version that lists name, the first by name; the version has the others. */
const listedTypesMax = 6

const listedTypes = ({ types }: ViewDocument): string[] => Object.keys(types).sort().slice(0, listedTypesMax)

/** The description of metadata as rows have it for lists. */
export const listedDescription = ({ description }: JsonObject): string | null =>
  listedText(description, listedDescriptionMax)

/** Readme and facets of a version, for searches. @param shown its public view */
export const foundOf = ({ metadata, types }: ViewDocument, version: VersionRow) => ({
  readme: typeof metadata['readme'] === 'string' ? metadata['readme'] : '',
  facets: facetsOf({ ...version, types: Object.keys(types) }),
})

/** Metadata text for a row: shortened, and without U+0000, which PostgreSQL's text cannot store. */
function listedText(text: unknown, most: number): string | null {
  if (typeof text !== 'string') return null
  const whole = text.replaceAll('\0', '\ufffd')
  return whole.length <= most ? whole : `${whole.slice(0, most).toWellFormed()}…`
}

/**
 * Number of the version after `base`, or after a newer withdrawn version: numbers stay taken, and later versions have higher ones
 * (http-api §11). A first version after withdrawn ones counts as a schema change.
 * @param newestWithdrawn with its `v`; null: none was withdrawn
 */
export function numberAfter(
  base: Semver | null,
  newestWithdrawn: string | null,
  change: VersionChange,
): Semver {
  const withdrawn = newestWithdrawn === null ? undefined : parseSemver(newestWithdrawn)
  if (withdrawn === undefined || (base !== null && compareSemver(base, withdrawn) > 0))
    return nextSemver(base, change)
  return nextSemver(withdrawn, change === 'first' ? 'schema' : change)
}
