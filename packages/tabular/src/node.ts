/** Opens files by path, including SQLite and workbooks: features that need a process. */
import { basename } from 'node:path'
import { Duplex } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openSource } from './processes/file-source.ts'
import { ReadingProcess } from './processes/reading-process.ts'
import { openSqlite } from './processes/sqlite.ts'
import { isSqlite } from './reading/formats.ts'
import { openTable, withoutMissing } from './reading/open.ts'
import type { ReadOptions } from './reading/options.ts'
import type { Table } from './reading/table.ts'
import { answerMillisecondsMax, type WorkbookRequest } from './reading/workbook/requests.ts'

export { tablesOf } from './processes/sqlite.ts'

export interface FileOptions extends ReadOptions {
  /** Kills the process that reads a SQLite file or a workbook. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens a file; it stays open until its table is closed. @throws TableError for a file that is empty or not a table; the system's error if
 * it cannot be opened
 */
export async function openFile(path: string, { signal, ...options }: FileOptions = {}): Promise<Table> {
  const source = await openSource(path)
  try {
    if (options.format === 'sqlite' || (await isSqlite(source))) {
      const table = await openSqlite(path, options.table, signal)
      await source.close()
      return withoutMissing({ ...table, options }, options)
    }
    const table = await openTable(source, options, {
      startWorkbook: () => workbookProcess(path, signal),
      gunzip,
    })
    return { ...table, close: () => table.close().then(() => source.close()) }
  } catch (error) {
    await source.close()
    throw error
  }
}

/** Also for files of several parts, as bgzip and `cat` write them. */
const gunzip = () => Duplex.toWeb(createGunzip()) as ReadableWritablePair<Uint8Array, BufferSource>

const workbookProcess = (path: string, signal: AbortSignal | undefined) =>
  new ReadingProcess<WorkbookRequest>({
    program: new URL('./processes/workbook-process.ts', import.meta.url),
    ...{ path, file: basename(path), problem: 'The workbook cannot be read', answerMillisecondsMax, signal },
  })
