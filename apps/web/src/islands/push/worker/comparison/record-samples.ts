/** The first added, updated and removed records of a comparison as tables of short texts. */
import type { PushClient } from '@ulmus/client'
import { columnChanges, inFieldOrder } from '@ulmus/content'
import { shownName } from '../../../shared/shown-name.ts'
import type { ChangedRecords, RecordTable, SampledCell, SampledRow, Target } from '../../shapes.ts'
import { cellText } from '../facts.ts'
import type { FileRecord } from '../lines.ts'
import { samplesMax, type Update } from './changed-cells.ts'
import type { Comparison } from './compare.ts'

/** Maximum number of columns of a table. */
const columnsMax = 12
/** Characters shown of a changed value, and before its first difference. */
const [changedCharacters, beforeDifference] = [120, 30]

/** Tables of the first records. Reads the removed ones of the latest version, at most `samplesMax`. */
export async function changedRecordsOf(
  client: PushClient,
  { ref, head }: Target,
  comparison: Comparison,
  schema: object,
): Promise<ChangedRecords> {
  const { plan, added, updated, cells, removed } = comparison
  const held = async (id: string) => (await client.records.one(ref, head!, plan.type, id)).data
  const hrefOf = hrefsOf({ ref, head }, plan.type)
  const updates = cells.first.map(({ before, record }) => updatedRecord(before, record))
  const gone = await Promise.all(
    removed.slice(0, samplesMax).map(async (id) => wholeRecord({ id, data: await held(id) })),
  )
  return {
    updated: { ...tableOf(updates, schema, hrefOf), total: updated.length },
    added: { ...tableOf(added.slice(0, samplesMax).map(wholeRecord), schema), total: added.length },
    removed: { ...tableOf(gone, schema, hrefOf), total: removed.length },
  }
}

const hrefsOf =
  ({ ref, head }: Target, type: string) =>
  (id: string): string =>
    `/${ref}/v/${head}/record?${new URLSearchParams({ type, id })}`

/** The first records of a count of changed cells. */
export function updatesTable(
  target: Target,
  { plan: { type } }: Comparison,
  schema: object,
  updates: readonly Update[],
  total: number,
): RecordTable {
  const records = updates.map(({ before, record }) => updatedRecord(before, record))
  return { ...tableOf(records, schema, hrefsOf(target, type)), total }
}

/** A record with some of its values by column. */
interface SampledRecord {
  readonly id: string
  readonly data: unknown
  readonly values: ReadonlyMap<string, { readonly names: readonly string[]; readonly cell: SampledCell }>
}

type FoundRecord = Pick<FileRecord, 'id'> & { readonly data: unknown }

const shownRecord = (
  { id, data }: FoundRecord,
  before: unknown,
  cellOf: (was: unknown, is: unknown) => SampledCell,
): SampledRecord => {
  const values = columnChanges(before, data).map(
    ({ names, was, is }) => [names.join('.'), { names, cell: cellOf(was, is) }] as const,
  )
  return { id, data, values: new Map(values) }
}

export const updatedRecord = (before: unknown, record: FoundRecord): SampledRecord =>
  shownRecord(record, before, changedCell)

/** With the columns that differ from an empty record: members of objects are columns, as in updated records. */
export const wholeRecord = (record: FoundRecord): SampledRecord =>
  shownRecord(record, {}, (_, value) => plainCell(value))

/** The columns that have a value to show in any of the records. @param hrefOf path of a record of the latest version */
export function tableOf(
  records: readonly SampledRecord[],
  schema: object,
  hrefOf?: (id: string) => string,
): Omit<RecordTable, 'total'> {
  const byLabel = new Map(
    records.flatMap(({ values }) => Array.from(values, ([label, { names }]) => [label, names] as const)),
  )
  const fields = inFieldOrder([...new Set([...byLabel.values()].map(([field = '']) => field))], schema)
  const places = new Map(fields.map((field, place) => [field, place]))
  const columns = [...byLabel].sort(
    ([a, [fieldA = '']], [b, [fieldB = '']]) => places.get(fieldA)! - places.get(fieldB)! || (a < b ? -1 : 1),
  )
  const shown = columns.slice(0, columnsMax)
  const rows = records.map(({ id, data, values }): SampledRow => {
    const cells = shown.map(([label, names]) => values.get(label)?.cell ?? plainCell(valueAt(data, names)))
    return { id: cellText(shownName(id)), href: hrefOf?.(id), cells }
  })
  return {
    columns: shown.map(([label]) => cellText(label)),
    moreColumns: columns.length - shown.length,
    rows,
  }
}

const plainCell = (value: unknown): SampledCell => (value === undefined ? {} : { same: cellText(value) })

/** Long texts begin shortly before their first difference. Texts that look alike, such as `1` and `"1"`, are JSON. */
export function changedCell(was: unknown, is: unknown): SampledCell {
  const isJson = was === '' || is === '' || (isScalar(was) && isScalar(is) && String(was) === String(is))
  const textOf = (value: unknown) =>
    value === undefined ? '' : typeof value === 'string' && !isJson ? value : JSON.stringify(value)
  const [before, after] = [textOf(was), textOf(is)]
  const first = differenceOf(before, after)
  const isLong = Math.max(before.length, after.length) > changedCharacters
  const from = isLong && first > beforeDifference ? first - beforeDifference : 0
  return {
    ...(was === undefined ? {} : { was: partOf(before, from) }),
    ...(is === undefined ? {} : { is: partOf(after, from) }),
  }
}

/** An object of a record may have a member called `toString`. */
const isScalar = (value: unknown): boolean => typeof value !== 'object'

function differenceOf(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return at
}

const partOf = (text: string, from: number): string => {
  const end = from + changedCharacters
  const part = text.slice(from, end).toWellFormed()
  return `${from > 0 && text.length > 0 ? '…' : ''}${part}${text.length > end ? '…' : ''}`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueAt(data: unknown, names: readonly string[]): unknown {
  let value = data
  for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}
