/** Opens files by path, including SQLite: features that only Node offers. */
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { formatOf } from './reading/formats.ts'
import { openTable, withoutMissing } from './reading/open.ts'
import type { ReadOptions } from './reading/options.ts'
import type { FileSource } from './reading/source.ts'
import type { Table } from './reading/table.ts'
import { openSqlite } from './sqlite/sqlite.ts'

export { tablesOf } from './sqlite/sqlite.ts'

export interface FileOptions extends ReadOptions {
  /** For a SQLite file: a table or view (default: the only table). */
  readonly table?: string | undefined
  /** Kills the process that reads a SQLite file. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens a file; it stays open until its table is closed. @throws TableError for a file that is empty or not a table; the system's error if
 * it cannot be opened
 */
export async function openFile(path: string, options: FileOptions = {}): Promise<Table> {
  const source = await fileSource(path)
  try {
    const format = options.format ?? (await formatOf(source))
    if (format === 'sqlite') {
      const table = await openSqlite(path, options.table, options.signal)
      await source.close()
      return withoutMissing(table, options.missing)
    }
    const table = await openTable(source, { ...options, format })
    return { ...table, close: () => source.close() }
  } catch (error) {
    await source.close()
    throw error
  }
}

async function fileSource(path: string): Promise<FileSource & { close(): Promise<void> }> {
  const name = basename(path)
  const kind = await stat(path)
  // Refuse pipes and the like: a file is read twice.
  if (!kind.isFile())
    throw new Error(`${path} is no regular file. Save what it gives to one, and choose that.`)
  const handle = await open(path)
  return {
    name,
    size: kind.size,
    async read(start, end) {
      const bytes = new Uint8Array(end - start)
      let length = 0
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      return length === bytes.length ? bytes : bytes.slice(0, length)
    },
    close: () => handle.close(),
  }
}
