/** Contents of a dump: its blobs and its installation. Both are read from the dump, so that they are from one moment. */
import { createReadStream } from 'node:fs'
import { parseHash } from '@ulmus/content'
import { type DumpedRows, DumpUnreadableError, dumpedMigration, fileName, readDump } from '@ulmus/storage'

/** A blob that the database references. */
export interface NamedBlob {
  readonly name: string
  readonly bytes: number
  /** SHA-256 of an uploaded file; undefined for other blobs: the database does not record theirs. */
  readonly sha256?: string
  /** The unfinished push session that received the blob and removes it at its end; undefined for packs and files. */
  readonly pushId?: string
}

/** Everything that a backup must know about a dump. */
export interface Contents {
  readonly installation: string
  /** The last migration of the database. */
  readonly migration: number
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  readonly blobs: readonly NamedBlob[]
}

/** Final states of a push session: its spills are no longer needed. */
const ends = new Set(['committed', 'failed', 'cancelled', 'expired'])

/** @throws Error if the database belongs to no installation, because no server has started on it */
export async function contentsOf(dump: string): Promise<Contents> {
  const migration = await dumpedMigration(createReadStream(dump))
  const rows: Record<string, number> = {}
  const blobs: NamedBlob[] = []
  const inline = new Set<string>()
  const underWay = new Set<string>()
  let installation: string | undefined
  for await (const part of readDump(createReadStream(dump))) {
    rows[part.table] = (rows[part.table] ?? 0) + part.rows.length
    const value = valuesOf(part)
    for (const row of part.rows) {
      if (part.table === 'installation') installation = value(row, 'id')
      else if (part.table === 'packs')
        blobs.push({ name: value(row, 'name'), bytes: Number(value(row, 'bytes')) })
      else if (part.table === 'inline_packs') inline.add(value(row, 'name'))
      else if (part.table === 'files') {
        const sha256 = parseHash(value(row, 'hash'))
        if (sha256 === undefined)
          throw new DumpUnreadableError('The dump names a file by something that is not a hash.')
        blobs.push({ name: fileName(sha256), bytes: Number(value(row, 'size')), sha256 })
      } else if (part.table === 'pushes') {
        if (!ends.has(value(row, 'status'))) underWay.add(value(row, 'id'))
      } else if (part.table === 'push_spills') {
        const [pushId, bytes] = [value(row, 'push_id'), Number(value(row, 'bytes'))]
        if (underWay.has(pushId)) blobs.push({ name: value(row, 'name'), bytes, pushId })
      }
    }
  }
  if (installation === undefined) throw new Error('The dump says of no installation that it is its.')
  return { installation, migration, rows, blobs: blobs.filter(({ name }) => !inline.has(name)) }
}

/** Keys of the objects that the index in a dump places in the pack. */
export async function objectsIn(dump: string, pack: string): Promise<Set<string>> {
  const keys = new Set<string>()
  let id: string | undefined
  // The dump has packs before the objects, which refer to them.
  for await (const part of readDump(createReadStream(dump))) {
    const value = valuesOf(part)
    for (const row of part.rows) {
      if (part.table === 'packs' && value(row, 'name') === pack) id = value(row, 'id')
      if (part.table === 'objects' && value(row, 'pack_id') === id)
        keys.add(`${value(row, 'kind')} ${value(row, 'hash')}`)
    }
  }
  return keys
}

function valuesOf({ columns }: DumpedRows) {
  const places = new Map(columns.map((column, index) => [column, index]))
  return (row: DumpedRows['rows'][number], column: string): string => row[places.get(column)!]!
}
