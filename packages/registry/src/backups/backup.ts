/**
 * Makes backups: the database at one moment, and every blob that it references. The dump comes first: blobs never change, and a
 * sweep keeps unreferenced ones for a week, so all blobs of the dump still exist after it. Blobs that the target has are not
 * copied again.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { BlobMissingError, type BlobStore } from '@ulmus/storage'
import type { StoresConfig } from '../stores/stores.ts'
import { type Contents, contentsOf, type NamedBlob } from './contents.ts'
import { type CopiedBlob, copyOwnBlob, forEachBlob, hashBlob, listed } from './copy.ts'
import { openObjects, recordBackup, takeDump } from './dump-taking.ts'
import { removeOldBackups } from './retention.ts'
import {
  blobPrefixes,
  claimShelf,
  idOf,
  openShelf,
  type Shelf,
  type ShelfPlace,
  ShelfUnfitError,
  writeBackup,
} from './shelf.ts'

export interface BackupOptions {
  /** Version of the program. */
  by: string
  /** Backups to keep in the target, including this one; undefined: all. */
  keep?: number | undefined
  now?: () => Date
  /** Called between the steps, for tests. */
  onStep?: (step: 'dumped' | 'copied') => Promise<void>
}

/** Outcome of a backup, for the operator. */
export interface BackupReport {
  readonly id: string
  /** Rows of all tables. */
  readonly rows: number
  readonly blobs: { readonly count: number; readonly bytes: number }
  /** Those of `blobs` that the target lacked. */
  readonly copied: { readonly count: number; readonly bytes: number }
  /** Ids of removed backups. */
  readonly removed: readonly string[]
  /** Why the database does not record this backup, so that the metrics do not show it; undefined: it does. */
  readonly unrecorded: string | undefined
}

/** Dumps attempted: a blob that a dump references may disappear before it is copied. */
const triesMax = 3

/**
 * Makes a backup of the stores. Servers may run meanwhile.
 * @throws ShelfUnfitError, BlobDamagedError, DumpRefusedError, and the errors of opening the stores. A failure makes no backup and damages none.
 */
export async function backUp(
  config: StoresConfig,
  to: ShelfPlace,
  options: BackupOptions,
): Promise<BackupReport> {
  refuseOwnObjects(config, to)
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-backup-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  for (let tries = 1; ; tries++) {
    const at = (options.now ?? (() => new Date()))()
    const began = performance.now()
    const dump = join(folder, `dump-${tries}`)
    await takeDump(config, dump)
    const contents = await contentsOf(dump)
    await options.onStep?.('dumped')
    await using stores = new AsyncDisposableStack()
    const blobs = await openObjects(config, contents.installation, stores)
    const shelf = await openShelf(to, true)
    stores.defer(() => shelf.store.close())
    await claimShelf(shelf, contents.installation)
    const copy = new Copying(blobs, shelf, dump)
    try {
      await copy.run(contents)
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error
      if (tries === triesMax) throw lacking(error)
      continue
    }
    await options.onStep?.('copied')
    const { installation, migration, rows } = contents
    const id = idOf(at)
    const manifest = await writeBackup(shelf, id, dump, {
      ...{ at: at.toISOString(), by: options.by, installation, migration, rows },
      ...{ blobs: copy.blobs, endedPushes: [...copy.endedPushes] },
    })
    const removed = options.keep === undefined ? [] : await removeOldBackups(shelf, options.keep, at)
    const made = {
      seconds: (performance.now() - began) / 1_000,
      bytes: manifest.database.bytes + manifest.blobs.bytes + manifest.blobs.total,
    }
    const unrecorded = await recordBackup(config, made).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    )
    return {
      id,
      rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
      blobs: tallyOf(copy.blobs),
      copied: tallyOf(copy.copied),
      removed,
      unrecorded,
    }
  }
}

const tallyOf = (blobs: readonly CopiedBlob[]) => ({
  count: blobs.length,
  bytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0),
})

const lacking = (error: BlobMissingError) =>
  new ShelfUnfitError(
    `${error.message} The database names it, so no backup can be whole. \`ulmus-server fsck\` says what is damaged.`,
    { cause: error },
  )

/**
 * Refuses a target inside the registry's own storage. A backup in the data folder would be lost with it; in the same bucket and
 * prefix, both would share blobs.
 */
function refuseOwnObjects({ dataFolder, bucket }: StoresConfig, to: ShelfPlace): void {
  const isInside =
    to.folder !== undefined && `${resolve(to.folder)}${sep}`.startsWith(`${resolve(dataFolder)}${sep}`)
  const isTheBucket =
    to.bucket !== undefined &&
    bucket !== undefined &&
    to.bucket.bucket === bucket.bucket &&
    (to.bucket.prefix.startsWith(bucket.prefix) || bucket.prefix.startsWith(to.bucket.prefix))
  if (isInside)
    throw new ShelfUnfitError(
      `${to.folder} is in the data folder ${dataFolder}, and would be lost with it. Name another place.`,
    )
  if (isTheBucket)
    throw new ShelfUnfitError(
      `s3://${to.bucket.bucket}/${to.bucket.prefix} and the objects in s3://${bucket.bucket}/${bucket.prefix} are one in the other. Name another bucket or prefix.`,
    )
}

/** Copies the blobs that the target lacks. */
class Copying {
  readonly #from: BlobStore
  readonly #shelf: Shelf
  readonly #dump: string
  readonly blobs: CopiedBlob[] = []
  readonly copied: CopiedBlob[] = []
  readonly endedPushes = new Set<string>()

  constructor(from: BlobStore, shelf: Shelf, dump: string) {
    this.#from = from
    this.#shelf = shelf
    this.#dump = dump
  }

  /** @throws BlobMissingError for a pack or a file */
  async run(contents: Contents): Promise<void> {
    const stored = await listed(this.#shelf.store, blobPrefixes)
    const known = await this.#lastBackup()
    await forEachBlob(contents.blobs, async (blob) => {
      try {
        this.blobs.push(await this.#one(blob, stored.get(blob.name), known.get(blob.name)))
      } catch (error) {
        // Spills of a push disappear when it ends. A version that it made is in the next backup.
        if (!(error instanceof BlobMissingError) || blob.pushId === undefined) throw error
        this.endedPushes.add(blob.pushId)
      }
    })
  }

  /** SHA-256 of the last backup's blobs, by name. */
  async #lastBackup(): Promise<Map<string, string>> {
    const last = (await this.#shelf.ids()).at(-1)
    if (last === undefined) return new Map()
    const blobs = await this.#shelf.blobs(last, await this.#shelf.manifest(last))
    return new Map(blobs.map(({ name, sha256 }) => [name, sha256]))
  }

  async #one(
    { name, bytes, sha256 }: NamedBlob,
    storedBytes: number | undefined,
    known: string | undefined,
  ): Promise<CopiedBlob> {
    if (storedBytes === bytes) {
      // A blob left by an interrupted backup is complete: hash it only.
      const stored = sha256 ?? known ?? (await hashBlob(this.#shelf.store, { name, bytes }))
      return { name, bytes, sha256: stored }
    }
    const copied = await copyOwnBlob(this.#from, this.#shelf.store, { name, bytes, sha256 }, this.#dump)
    this.copied.push(copied)
    return copied
  }
}
