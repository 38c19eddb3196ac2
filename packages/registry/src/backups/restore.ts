/** Restores a backup into empty stores, or only checks it. Each blob is checked against the manifest as it is read. */
import { BlobMissingError } from '@ulmus/storage'
import type { StoresConfig } from '../stores/stores.ts'
import { type RestoredLog, settleLog } from '../version-log/restored.ts'
import { BlobDamagedError, copyBlob, forEachBlob, hashBlob } from './copy.ts'
import { type FillingReport, fillStores } from './filling.ts'
import { nameOf, openShelf, type Shelf, type ShelfPlace, ShelfUnfitError } from './shelf.ts'

export interface RestoreReport extends FillingReport {
  /** Id and time of the restored backup. */
  readonly id: string
  readonly at: string
}

/**
 * Restores the backup `id`, or the last one, into the empty stores of `config`.
 * @param log default: continues under another name
 * @throws ShelfUnfitError, and the errors of `fillStores`
 */
export async function restore(
  from: ShelfPlace,
  config: StoresConfig,
  id?: string,
  log: RestoredLog = { kind: 'restarts' },
): Promise<RestoreReport> {
  const shelf = await openShelf(from, false)
  try {
    const { id: chosen, manifest, blobs } = await chosenIn(shelf, id)
    const report = await fillStores(config, {
      mark: `restore ${chosen}`,
      installation: manifest.installation,
      migration: manifest.migration,
      dump: () => shelf.database(chosen, manifest),
      objects: { blobs, copy: (to, blob) => copyBlob(shelf.store, to, blob) },
      endedPushes: manifest.endedPushes,
      settle: (database) => settleLog(database, log),
    }).catch((error: unknown) => {
      throw faultIn(chosen, shelf, error)
    })
    return { id: chosen, at: manifest.at, ...report }
  } finally {
    await shelf.store.close()
  }
}

export interface CheckedBackup {
  readonly id: string
  readonly blobs: { readonly count: number; readonly bytes: number }
}

/**
 * Reads every byte of the backup `id`, or of the last one, and writes nothing.
 * @param onFault receives a sentence for each part that is damaged or missing
 * @throws ShelfUnfitError if the manifest or the list of blobs cannot be read
 */
export async function checkBackup(
  from: ShelfPlace,
  id: string | undefined,
  onFault: (sentence: string) => void,
): Promise<CheckedBackup> {
  const shelf = await openShelf(from, false)
  try {
    const { id: chosen, manifest, blobs } = await chosenIn(shelf, id)
    const dump = { name: nameOf(chosen, 'database'), ...manifest.database }
    await forEachBlob([dump, ...blobs], async (blob) => {
      try {
        await hashBlob(shelf.store, blob)
      } catch (error) {
        if (error instanceof BlobMissingError) onFault(`${blob.name} is missing, or a part of it.`)
        else if (error instanceof BlobDamagedError) onFault(error.message)
        else throw error
      }
    })
    return { id: chosen, blobs: { count: blobs.length, bytes: manifest.blobs.total } }
  } finally {
    await shelf.store.close()
  }
}

/** @throws ShelfUnfitError for an unknown or unreadable backup, BlobDamagedError */
async function chosenIn(shelf: Shelf, id: string | undefined) {
  const ids = await shelf.ids()
  const chosen = id ?? ids.at(-1)
  if (chosen === undefined)
    throw new ShelfUnfitError(
      `There is no backup in ${shelf.place}. Name the place that \`backup\` was given.`,
    )
  if (!ids.includes(chosen))
    throw new ShelfUnfitError(
      `There is no backup ${chosen} in ${shelf.place}. It has ${ids.join(', ') || 'none'}.`,
    )
  try {
    const manifest = await shelf.manifest(chosen)
    return { id: chosen, manifest, blobs: await shelf.blobs(chosen, manifest) }
  } catch (error) {
    throw faultIn(chosen, shelf, error)
  }
}

/** The stores of a restore are new, so a blob that is missing or damaged is one of the backup. */
function faultIn(id: string, { place }: Shelf, error: unknown): unknown {
  const way = `\`ulmus-server restore --check ${place}\` lists all faults; see /docs/backup, "Check a backup".`
  if (error instanceof BlobMissingError)
    return new ShelfUnfitError(`The backup ${id} in ${place} lacks ${error.blob}, or a part of it. ${way}`, {
      cause: error,
    })
  if (!(error instanceof BlobDamagedError)) return error
  return new BlobDamagedError(`The backup ${id} in ${place}: ${error.message} ${way}`, { cause: error })
}
