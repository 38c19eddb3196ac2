/**
 * Backup storage: a folder or a bucket, in which all backups share their blobs (docs/formats.md). The manifest completes a backup and is
 * written last, in one step.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { parseJson } from '@ulmus/content'
import {
  allSpillsPrefix,
  BlobMissingError,
  type BlobStore,
  filesPrefix,
  installationName,
  linesOf,
  openDiskStore,
  openS3Store,
  packsPrefix,
  type S3Settings,
} from '@ulmus/storage'
import { type CopiedBlob, checked, copyBlob } from './copy.ts'

/** Format of manifests, as in docs/formats.md. Raise it with a change that older programs would misread: they refuse it. */
export const manifestFormat = 1
const backupsPrefix = 'backups/'
/** Longest line in the list of blobs: a name, a size and a hash. Bytes. */
const blobLineBytesMax = 65_536
/** Blob with the id of the installation that keeps its backups here. */
const ownerName = 'backups/installation'
/** Prefixes of blobs, the same in a registry and in its backups. */
export const blobPrefixes = [packsPrefix, filesPrefix, allSpillsPrefix]

/** A folder, or a bucket. */
export type ShelfPlace = { folder: string; bucket?: undefined } | { bucket: S3Settings; folder?: undefined }

/** A backup cannot be made or read there. The message gives the reason and the remedy. */
export class ShelfUnfitError extends Error {
  override name = 'ShelfUnfitError'
}

interface Part {
  readonly bytes: number
  readonly sha256: string
}

/** Manifest of a backup, stored as JSON: change its members together with docs/formats.md. */
export interface Manifest {
  readonly format: number
  /** Time of the dump. */
  readonly at: string
  /** Version of the program that made the backup. */
  readonly by: string
  readonly installation: string
  /** The last migration of the database. */
  readonly migration: number
  readonly rows: Readonly<Record<string, number>>
  /** `backups/<id>/database` and `backups/<id>/blobs`. */
  readonly database: Part
  readonly blobs: Part & { readonly count: number; readonly total: number }
  /** Push sessions that ended before all their data was copied. A restore deletes them. */
  readonly endedPushes: readonly string[]
}

/** An open place of backups. Its functions only read; `claimShelf`, `writeBackup` and `removeOldBackups` write. */
export interface Shelf {
  /** Location for messages: `/srv/backups` or `s3://bucket/prefix`. */
  readonly place: string
  readonly store: BlobStore
  /** Ids of all backups here, ascending by time. */
  ids(): Promise<string[]>
  manifest(id: string): Promise<Manifest>
  /** The blobs of a backup. */
  blobs(id: string, manifest: Manifest): Promise<CopiedBlob[]>
  /** The dump of the database, checked against the manifest; a damaged one ends in BlobDamagedError. */
  database(id: string, manifest: Manifest): AsyncIterable<Uint8Array>
}

/**
 * Opens a place of backups.
 * @param isNew true: create a missing folder
 * @throws ShelfUnfitError for a missing folder, unless `isNew`
 */
export async function openShelf(at: ShelfPlace, isNew: boolean): Promise<Shelf> {
  const place = at.bucket === undefined ? at.folder : `s3://${at.bucket.bucket}/${at.bucket.prefix}`
  if (at.folder !== undefined && !isNew && (await stat(at.folder).catch(() => undefined)) === undefined)
    throw new ShelfUnfitError(`There is no folder ${at.folder}.`)
  const store = at.bucket === undefined ? await openDiskStore(at.folder) : await openS3Store(at.bucket)
  return {
    place,
    store,
    ids: () => idsIn(store),
    manifest: (id) => readManifest(store, id, place),
    blobs: (id, manifest) => readBlobs(store, id, manifest, place),
    database: (id, { database: part }) =>
      checked(store.stream(nameOf(id, 'database')), { name: nameOf(id, 'database'), ...part }),
  }
}

/** Name of a part of a backup in the store, as in docs/formats.md. */
export const nameOf = (id: string, part: 'manifest' | 'database' | 'blobs') => `${backupsPrefix}${id}/${part}`

/** A sortable timestamp in the characters of blob names: 20260131t120000123z. */
export const idOf = (at: Date): string => at.toISOString().replaceAll(/[-:.]/g, '').toLowerCase()

async function idsIn(store: BlobStore): Promise<string[]> {
  const ids: string[] = []
  for await (const { name } of store.list(backupsPrefix)) {
    const [, id] = /^backups\/([^/]+)\/manifest$/.exec(name) ?? []
    if (id !== undefined) ids.push(id)
  }
  return ids.sort()
}

/** @throws ShelfUnfitError if the manifest is missing, damaged, or of a format that this program does not read */
async function readManifest(store: BlobStore, id: string, place: string): Promise<Manifest> {
  let manifest: Manifest
  try {
    manifest = parseJson(Buffer.from(await store.read(nameOf(id, 'manifest'))).toString()) as Manifest
  } catch (error) {
    if (error instanceof BlobMissingError || error instanceof RangeError)
      throw new ShelfUnfitError(`There is no backup ${id} in ${place}.`)
    if (error instanceof SyntaxError)
      throw new ShelfUnfitError(`The manifest of the backup ${id} in ${place} is damaged.`)
    throw error
  }
  if (manifest.format === manifestFormat) return manifest
  throw new ShelfUnfitError(
    `The backup ${id} in ${place} has the format ${manifest.format}, and this program reads ${manifestFormat}. Use the release that made it (${manifest.by}), or a newer one.`,
  )
}

/**
 * Checks that this installation may keep backups here, and claims a place without an owner.
 * @throws ShelfUnfitError if it has another installation's backups, or a registry's objects
 */
export async function claimShelf({ store, place }: Shelf, installation: string): Promise<void> {
  const owner = await ownerOf(store)
  if (owner === installation) return
  if (owner !== undefined)
    throw new ShelfUnfitError(
      `${place} has backups of another installation (${owner}; this one is ${installation}). Name another place.`,
    )
  for (const prefix of [installationName, ...blobPrefixes])
    for await (const _ of store.list(prefix))
      throw new ShelfUnfitError(
        `${place} holds the objects of a registry, so it cannot hold backups. Name an empty one.`,
      )
  await store.put(ownerName, Buffer.from(`${installation}\n`))
}

async function ownerOf(store: BlobStore): Promise<string | undefined> {
  try {
    return Buffer.from(await store.read(ownerName))
      .toString()
      .trim()
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined
    throw error
  }
}

/** Writes a backup whose blobs are in the store already, the manifest last. */
export async function writeBackup(
  { store }: Shelf,
  id: string,
  dump: string,
  backup: { blobs: readonly CopiedBlob[] } & Omit<Manifest, 'format' | 'database' | 'blobs'>,
): Promise<Manifest> {
  const { blobs, ...facts } = backup
  const bytes = (await stat(dump)).size
  const file = { stream: () => createReadStream(dump) }
  const database = await copyBlob(file, store, { name: nameOf(id, 'database'), bytes })
  const lines = blobs.map(({ name, bytes, sha256 }) => `${JSON.stringify([name, bytes, sha256])}\n`)
  const list = await promisify(zstdCompress)(lines.join(''))
  const listHash = createHash('sha256').update(list).digest('hex')
  await store.put(nameOf(id, 'blobs'), list)
  const manifest: Manifest = {
    format: manifestFormat,
    ...facts,
    database: { bytes, sha256: database.sha256 },
    blobs: {
      bytes: list.length,
      sha256: listHash,
      count: blobs.length,
      total: blobs.reduce((sum, blob) => sum + blob.bytes, 0),
    },
  }
  await store.put(nameOf(id, 'manifest'), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
  return manifest
}

/** @throws ShelfUnfitError for a malformed list, BlobDamagedError */
async function readBlobs(
  store: BlobStore,
  id: string,
  { blobs: part }: Manifest,
  place: string,
): Promise<CopiedBlob[]> {
  const unfit = (why: string, cause?: unknown) =>
    new ShelfUnfitError(
      `The list of blobs of the backup ${id} in ${place} is damaged: ${why}. Take another backup (\`--backup ID\`).`,
      { cause },
    )
  const name = nameOf(id, 'blobs')
  const blobs: CopiedBlob[] = []
  for await (const line of linesOf(checked(store.stream(name), { name, ...part }), {
    bytesMax: blobLineBytesMax,
    tooLong: (number) => unfit(`line ${number} is longer than ${blobLineBytesMax} bytes`),
    damaged: (cause) => unfit('it does not unpack', cause),
    cutOff: () => unfit('it ends too early'),
  })) {
    if (blobs.length === part.count)
      throw unfit(`it has more than the ${part.count} lines that the manifest says`)
    try {
      const [name, bytes, sha256] = parseJson(line.toString()) as [string, number, string]
      blobs.push({ name, bytes, sha256 })
    } catch (error) {
      throw unfit(`line ${blobs.length + 1} is not a blob`, error)
    }
  }
  return blobs
}
