/**
 * Compares the rows of a file with a plan before the conversion: lists every column that does not fit, with its first position and possible
 * remedies.
 */
import type { Conversion } from '../inference/conversions.ts'
import type { HashSet } from '../inference/hash-set.ts'
import type { Inference } from '../inference/infer.ts'
import { type CellKind, type Kind, kindOfAll, kindOfText, kindOfValue } from '../inference/kinds.ts'
import type { Table } from '../reading/table.ts'
import { shown, type Unit } from '../reading/table-error.ts'
import { type CellColumn, cellColumnOf, Places } from './cells.ts'
import type { GoneField, Plan, PlanWishes } from './plan.ts'
import { kindNames } from './records.ts'
import { rowId } from './row-id.ts'
import { unfit } from './values.ts'

/** A remedy, as a change of the wishes (`wishesWith`). `missing` is an option of `openTable`, `missingIn` of the column. */
export type Way =
  | { readonly do: 'kind'; readonly kind: Kind }
  | { readonly do: 'convert'; readonly conversion: Conversion }
  | { readonly do: 'allow'; readonly values: readonly string[] }
  | { readonly do: 'optional' }
  /** `optional`: the field is required and must also be made optional. */
  | { readonly do: 'missing'; readonly value: string; readonly optional: boolean }
  | { readonly do: 'rename'; readonly from: string }

/** A column that does not fit the plan. */
export interface ColumnMisfit {
  /** Column in the file; for a field without a column, the field's name. */
  readonly column: string
  readonly field: string
  readonly why: 'kind' | 'values' | 'empty' | 'gone'
  /** Number of values that do not fit, or of rows without a value. */
  readonly count: number
  /** Line of the first; undefined if the file has no such column. */
  readonly line: number | undefined
  /** The first such value, as shown in messages. */
  readonly value: string | undefined
  /** The fault, without the remedies. */
  readonly sentence: string
  /** Likeliest first. */
  readonly ways: readonly Way[]
}

export interface TableCheck {
  readonly misfits: readonly ColumnMisfit[]
  /** Number of the file's ids that are among `ids`; undefined if none were given. */
  readonly knownIds: number | undefined
}

/** Maximum of new values for a closed list that are listed and may be allowed at once. */
const newValuesMax = 1_000

interface Watched {
  readonly column: CellColumn
  readonly choices: ReadonlySet<unknown> | undefined
  place: number | undefined
  unfit: Found
  unlisted: Found
  empty: Found
  readonly kinds: Set<CellKind>
  /** Distinct texts that do not fit, up to a bound. */
  readonly texts: Set<string>
}

interface Found {
  count: number
  line: number | undefined
  value: unknown
}

const none = (): Found => ({ count: 0, line: undefined, value: undefined })

function add(found: Found, line: number, value: unknown): void {
  if (found.count++ === 0) {
    found.line = line
    found.value = value
  }
}

/** Reads every row once. @param ids of existing records @throws TableError for a row that cannot be read */
export async function checkTable(
  table: Table,
  inference: Inference,
  plan: Plan,
  ids?: HashSet,
): Promise<TableCheck> {
  const places = new Places(table)
  const watched = plan.columns.map(
    (column): Watched => ({
      column: cellColumnOf(column, table),
      choices: column.choices && new Set(column.choices),
      ...{ place: undefined, unfit: none(), unlisted: none(), empty: none() },
      ...{ kinds: new Set<CellKind>(), texts: new Set<string>() },
    }),
  )
  let idPlaces: (number | undefined)[] = []
  let [rows, knownIds] = [0, 0]
  for await (const batch of table.batches()) {
    if (places.update()) {
      for (const one of watched) one.place = places.of(one.column.name)
      idPlaces = plan.id.map((name) => places.of(name))
    }
    for (const { line, values } of batch) {
      rows++
      for (const one of watched)
        look(one, one.place === undefined ? undefined : values[one.place], line, table.isText)
      if (ids?.has(rowId(values, idPlaces, rows))) knownIds++
    }
  }
  const misfits = [
    ...watched.flatMap((one) => misfitsOf(one, inference, table.unit)),
    ...(plan.gone ?? []).filter(({ isAccepted }) => !isAccepted).map(goneMisfit),
  ]
  return { misfits, knownIds: ids === undefined ? undefined : knownIds }
}

function look(one: Watched, given: unknown, line: number, isText: boolean): void {
  const value = one.column.read(given)
  if (value === undefined) {
    if (one.column.isRequired) add(one.empty, line, undefined)
    return
  }
  if (value === null) return
  if (value === unfit) {
    add(one.unfit, line, given)
    one.kinds.add(isText ? kindOfText(given as string) : kindOfValue(given))
    if (typeof given === 'string' && one.texts.size < 2) one.texts.add(given)
  } else if (one.choices?.has(value) === false) {
    add(one.unlisted, line, given)
    if (typeof value === 'string' && one.texts.size <= newValuesMax) one.texts.add(value)
  }
}

function misfitsOf(one: Watched, inference: Inference, unit: Unit): ColumnMisfit[] {
  const { column, unfit: wrong, unlisted, empty } = one
  const { name, field, kind } = column
  const misfit = (
    why: ColumnMisfit['why'],
    { count, line, value }: Found,
    sentence: string,
    all: readonly Way[],
  ): ColumnMisfit[] => {
    // The others change the schema, which a member of an object keeps.
    const ways = column.path === undefined ? all : all.filter(keepsSchema)
    return [
      {
        ...{ column: name, field, why, count, line, sentence, ways },
        value: value === undefined ? undefined : shown(value),
      },
    ]
  }
  const place = ({ count, line }: Found) =>
    count > 1 ? `(the first in ${unit} ${line})` : `(${unit} ${line})`
  if (wrong.count > 0) {
    const some = wrong.count === 1 ? '1 value is' : `${wrong.count} values are`
    const sentence = `${some} no ${kindNames[kind]} ${place(wrong)}: ${shown(wrong.value)}.`
    return misfit('kind', wrong, sentence, waysToKind(one, inference))
  }
  if (unlisted.count > 0) {
    const some = unlisted.count === 1 ? '1 value is' : `${unlisted.count} values are`
    const sentence = `${some} none of the ${column.choices!.length} that it may have ${place(unlisted)}: ${shown(unlisted.value)}.`
    const ways: Way[] = one.texts.size > newValuesMax ? [] : [{ do: 'allow', values: [...one.texts].sort() }]
    return misfit('values', unlisted, sentence, ways)
  }
  if (empty.count > 0) {
    const some = empty.count === 1 ? '1 row has' : `${empty.count} rows have`
    const sentence = `${some} no value ${place(empty)}, and it is required.`
    return misfit('empty', empty, sentence, [{ do: 'optional' }])
  }
  return []
}

const keepsSchema = (way: Way): boolean =>
  way.do === 'convert' || way.do === 'rename' || (way.do === 'missing' && !way.optional)

function waysToKind({ column, kinds, texts, unfit: wrong }: Watched, inference: Inference): Way[] {
  const inferred = inference.columns.find(({ name }) => name === column.name)
  const offered = inferred?.conversions ?? []
  const conversions = offered
    .filter((one) => one.kind === column.kind || (one.kind === 'integer' && column.kind === 'number'))
    .map(({ conversion }): Way => ({ do: 'convert', conversion }))
  const isText = typeof wrong.value === 'string'
  // A single text among numbers, such as `n/a`, may mean a missing value.
  const [text] = texts
  const mark: Way[] =
    texts.size === 1 && isText && conversions.length === 0 && text!.trim() !== ''
      ? [{ do: 'missing', value: text!, optional: column.isRequired }]
      : []
  const all = new Set<CellKind>([...(column.kind === 'any' ? [] : [column.kind]), ...kinds])
  const isNumeric = [...all].every((kind) => kind === 'integer' || kind === 'number')
  const widest = isNumeric
    ? 'number'
    : kindOfAll(all, inference.format === 'csv' || inference.format === 'tsv')
  const wide: Way[] = widest === column.kind ? [] : [{ do: 'kind', kind: widest }]
  return isNumeric ? [...conversions, ...wide] : [...conversions, ...mark, ...wide]
}

const goneMisfit = ({ field, renamed }: GoneField): ColumnMisfit => ({
  ...{ column: field, field, why: 'gone', count: 0, line: undefined, value: undefined },
  sentence: `The file has no such column${renamed === undefined ? '' : `, and ${shown(renamed)} is new`}.`,
  ways: [...(renamed === undefined ? [] : [{ do: 'rename', from: renamed } as const]), { do: 'optional' }],
})

/** Adds a remedy to the wishes. The value of `missing` must also be passed to `openTable`. */
export function wishesWith(wishes: PlanWishes, { column, field }: ColumnMisfit, way: Way): PlanWishes {
  switch (way.do) {
    case 'kind':
      return { ...wishes, kinds: { ...wishes.kinds, [column]: way.kind } }
    case 'convert':
      return { ...wishes, conversions: { ...wishes.conversions, [column]: way.conversion } }
    case 'allow':
      return { ...wishes, allow: { ...wishes.allow, [column]: way.values } }
    case 'optional':
      return { ...wishes, optional: [...(wishes.optional ?? []), column] }
    case 'rename':
      return { ...wishes, rename: { ...wishes.rename, [way.from]: field } }
    case 'missing':
      return way.optional ? { ...wishes, optional: [...(wishes.optional ?? []), column] } : wishes
  }
}
