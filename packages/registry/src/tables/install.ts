/** Prepares the engine, the cache and the SQL processes of this server. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DiskSpace } from '@ulmus/storage'
import type { Log } from '../log.ts'
import { Engine, engineFault } from './engine/engine.ts'
import type { InstalledTables } from './find-table.ts'
import { type OwnFolder, takeFolder } from './folder/own-folder.ts'
import { SqlProcesses } from './sql/processes.ts'
import { TableFiles } from './table-files.ts'

/** The default of `bytesMax` is a tenth of the disk, at most this. Bytes. */
const bytesMost = 50e9

/** Default of `bytesMax` for a folder, which may not be there yet. */
export async function usualTablesBytes(folder: string): Promise<number> {
  const parent = dirname(folder)
  if (!existsSync(folder) && parent !== folder) return usualTablesBytes(parent)
  const { bsize, blocks } = await statfs(folder)
  return Math.min(Math.floor((bsize * blocks) / 10), bytesMost)
}

/** @returns the reason if this server cannot answer questions about tables */
export async function installTables(
  { folder, space, bytesMax, log }: { folder: string; space: DiskSpace; bytesMax: number | null; log: Log },
  opened: AsyncDisposableStack,
): Promise<InstalledTables | string> {
  const fault = engineFault()
  if (fault !== undefined) return fault
  let own: OwnFolder
  try {
    own = await takeFolder(folder)
  } catch (error) {
    log.warn(
      { err: error, folder },
      'The folder for tables cannot be created, so questions about records get 501.',
    )
    return 'it has no folder for tables'
  }
  const engine = new Engine()
  const bytes = bytesMax ?? (await usualTablesBytes(folder))
  const files = new TableFiles({ folder: own.folder, engine, space, bytesMax: bytes })
  const sql = new SqlProcesses(() => files.scratch())
  opened.defer(() => {
    engine.close()
    sql.close()
    own.release()
  })
  return { engine, files, sql }
}
