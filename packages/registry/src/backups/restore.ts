/** Restores a backup into empty stores. Each blob is checked against the manifest as it is copied. */
import type { StoresConfig } from '../stores/stores.ts'
import { type RestoredLog, settleLog } from '../version-log/restored.ts'
import { type FillingReport, fillStores } from './filling.ts'
import { openShelf, type ShelfPlace, ShelfUnfitError } from './shelf.ts'

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
    const manifest = await shelf.manifest(chosen)
    const blobs = await shelf.blobs(chosen, manifest)
    const report = await fillStores(config, {
      mark: `restore ${chosen}`,
      installation: manifest.installation,
      migration: manifest.migration,
      dump: () => shelf.database(chosen, manifest),
      objects: { from: shelf.store, blobs },
      endedPushes: manifest.endedPushes,
      settle: (database) => settleLog(database, log),
    })
    return { id: chosen, at: manifest.at, ...report }
  } finally {
    await shelf.store.close()
  }
}
