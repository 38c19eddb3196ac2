/** Records of a page of differences, parsed as far as the page shows them. */
import { type ColumnChange, columnChanges, inFieldOrder, parseJson } from '@ulmus/content'
import { giveWay, type JsonText } from '@ulmus/registry'
import type { DiffPage } from '@ulmus/wire'
import type { VisitedCollection } from '../../../data/collection.ts'
import { isObject, type TableRecord } from '../../../data/records.ts'
import { jsonBytes, own, readJson, type Visit } from '../../../page.ts'
import type { VersionPlace } from '../../../paths.ts'

/** Only the size is shown for larger records. Bytes. */
const recordBytesMax = 131_072
/** Total of the records shown on a page; for the rest only sizes are shown. Bytes. */
const shownBytesMax = 400_000

/** A page of a diff as the registry returns it, with unparsed records. */
export type DiffAnswer = Awaited<ReturnType<Visit['registry']['diffs']['page']>>

/** An updated record. */
export interface UpdatedRecord extends TableRecord {
  /** Undefined if either is too large for a page. */
  readonly previousData?: TableRecord['data']
  readonly changes: readonly ColumnChange[]
}

/** Differences of a type. */
export interface TypeDifferences {
  readonly type: string
  readonly updated: readonly UpdatedRecord[]
  readonly added: readonly TableRecord[]
  readonly removed: readonly TableRecord[]
}

/** The collection at one of the compared versions. */
export const seenAt = (
  seen: VisitedCollection,
  { owner, slug, version }: VersionPlace,
): VisitedCollection => ({
  ...seen,
  owner,
  slug,
  version,
})

/** Differences of a page by type. Parses one record per turn of the event loop, and none that is too large. */
export async function differencesIn(page: DiffAnswer): Promise<TypeDifferences[]> {
  let left = shownBytesMax
  const read = async (text: DiffAnswer['added'][number]): Promise<UpdatedRecord> => {
    await giveWay()
    const bytes = jsonBytes(text)
    const isShown = bytes <= Math.min(recordBytesMax, left)
    if (!isShown) return { ...nameIn(text), bytes, data: undefined, changes: [] }
    const { id, type, data, previousData } = readJson<DiffPage['updated'][number]>(text)
    left -= bytes
    const both = { data, previousData } as Pick<UpdatedRecord, 'data' | 'previousData'>
    return { id, type, bytes, ...both, changes: columnChanges(previousData, data) }
  }
  const readAll = async (texts: DiffAnswer['added']): Promise<UpdatedRecord[]> => {
    const records: UpdatedRecord[] = []
    for (const text of texts) records.push(await read(text))
    return records
  }
  const all = {
    updated: await readAll(page.updated),
    added: await readAll(page.added),
    removed: await readAll(page.removedRecords ?? []),
  }
  const types = new Set(Object.values(all).flatMap((records) => records.map(({ type }) => type)))
  return [...types].sort().map((type) => {
    const ofType = <T extends TableRecord>(records: readonly T[]) =>
      records.filter((record) => record.type === type)
    return { type, updated: ofType(all.updated), added: ofType(all.added), removed: ofType(all.removed) }
  })
}

/** Bytes that contain the id and the type of a record, with all their escapes. */
const nameBytesMax = 8_192

/** Id and type of an unparsed record, which begins with them: `{"id":…,"type":…,`. */
function nameIn({ pieces: [start] }: JsonText): { id: string; type: string } {
  const text = Buffer.from(start!.subarray(0, nameBytesMax)).toString()
  const [, id = '""', type = '""'] = /^\{"id":("(?:[^"\\]|\\.)*"),"type":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return { id: parseJson(id) as string, type: parseJson(type) as string }
}

/** Longer names of columns are in no filter. Characters. */
export const filteredMax = 100

/** A column that changed. */
export interface ChangedColumn {
  readonly label: string
  /** Names of the value in a record's data, from the outside in. */
  readonly names: readonly string[]
}

/** Different columns in the order of the schema's fields, then by name. */
export function changedColumns(
  columns: Iterable<Pick<ChangedColumn, 'names'>>,
  schema: unknown,
): ChangedColumn[] {
  const byLabel = new Map(Array.from(columns, ({ names }) => [names.join('.'), names]))
  const sorted = [...byLabel].sort(([a], [b]) => (a < b ? -1 : 1))
  const fields = inFieldOrder([...new Set(sorted.map(([, [field = '']]) => field))], schema)
  const places = new Map(fields.map((field, index) => [field, index]))
  return sorted
    .map(([label, names]) => ({ label, names }))
    .sort((a, b) => places.get(a.names[0] ?? '')! - places.get(b.names[0] ?? '')!)
}

/** The values of a column, old and new. */
export const valuesOf = (records: readonly UpdatedRecord[], names: readonly string[]): unknown[] =>
  records.flatMap(({ data, previousData }) => [valueAt(data, names), valueAt(previousData, names)])

export function valueAt(data: unknown, names: readonly string[]): unknown {
  let value = data
  for (const name of names) value = isObject(value) ? own(value, name) : undefined
  return value
}
