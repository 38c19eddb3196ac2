/** Plan for converting the rows of a table to records of one type. Plain data: callers may show, change and store it. */
import type { Column } from '../inference/column.ts'
import { type Conversion, kindsAfter } from '../inference/conversions.ts'
import { proposeId } from '../inference/ids.ts'
import type { Inference } from '../inference/infer.ts'
import type { Kind } from '../inference/kinds.ts'
import { shown, TableError } from '../reading/table-error.ts'

export interface PlannedColumn {
  /** In the file. */
  readonly name: string
  /** In the records; undefined: called as in the file. */
  readonly field?: string | undefined
  readonly kind: Kind
  readonly isRequired: boolean
  /** Null is a value of it. */
  readonly isNullable?: boolean | undefined
  readonly isPrivate: boolean
  /** The type has this field already: the plan began with what its schema says. */
  readonly isKnown?: boolean | undefined
  /** Rewrites texts of the file before they are read as the kind. */
  readonly conversion?: Conversion | undefined
  /** A closed list: other values are refused. */
  readonly choices?: readonly string[] | undefined
  /** The type whose ids it holds. */
  readonly reference?: string | undefined
  /** Of lists and objects: what they hold, as a schema. */
  readonly nested?: Readonly<Record<string, unknown>> | undefined
}

/** A column of the file that makes no field: as was asked, because no row has a value there, or because it is the id alone. */
export interface LeftOut {
  readonly name: string
  readonly why: 'asked' | 'empty' | 'id'
}

export interface Plan {
  readonly type: string
  /** Columns whose values make the id (`joinIds`); none: records are numbered from 1. */
  readonly id: readonly string[]
  readonly columns: readonly PlannedColumn[]
  readonly leftOut?: readonly LeftOut[]
  /** Fields of an existing type without a column in the file. */
  readonly gone?: readonly GoneField[]
}

export interface GoneField {
  readonly field: string
  readonly isRequired: boolean
  /** The file may lack it: it is optional JSON, or the wishes say so. */
  readonly isAccepted: boolean
  /** A new column of the file that may be this field under another name. */
  readonly renamed?: string | undefined
}

export interface PlanWishes {
  readonly type: string
  /** Columns. Default: the likeliest (`proposeId`), if any can be it. Null: records are numbered from 1, in the order of the file. */
  readonly id?: readonly string[] | null | undefined
  /** Columns. */
  readonly private?: readonly string[] | undefined
  readonly leaveOut?: readonly string[] | undefined
  /** Columns in which every record must have a value. The columns of the id are required without a wish. */
  readonly required?: readonly string[] | undefined
  /** Columns, or fields that have no column, in which records may lack a value although the schema requires one. */
  readonly optional?: readonly string[] | undefined
  /** Columns whose values become a closed list (`enum`). */
  readonly closed?: readonly string[] | undefined
  /** Values by column to add to the closed list of an existing type. */
  readonly allow?: Readonly<Record<string, readonly string[]>> | undefined
  /** By column, such as those that `Column.conversions` offers. */
  readonly conversions?: Readonly<Record<string, Conversion>> | undefined
  /** By column; what a value must be then, or its row is refused. */
  readonly kinds?: Readonly<Record<string, Kind>> | undefined
  /** Fields by column. */
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Types by column, as `referencesIn` finds them. */
  readonly references?: ReadonlyMap<string, string> | undefined
}

/** `world-cities.csv` → `WorldCities`: a name that schemas take. */
export function typeNameOf(file: string): string {
  const words = file
    .replace(/\.[a-z]+$/i, '')
    .normalize('NFKD')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) ? name.slice(0, 64) : `Record${name}`.slice(0, 64)
}

/** An id is no field beside, unless its name says more than that. */
const isBareId = /^_?id$/i

/** @throws TableError for a wish that names a column that there is not, and for two columns that would be one field */
export function planOf(inference: Inference, wishes: PlanWishes): Plan {
  const { columns } = inference
  const { type, leaveOut = [], kinds = {}, rename = {}, conversions = {}, private: hidden = [] } = wishes
  const id = wishes.id === undefined ? (proposeId(inference)?.columns ?? []) : (wishes.id ?? [])
  const wished = new Set([
    ...hidden,
    ...[...(wishes.required ?? []), ...(wishes.closed ?? [])],
    ...[kinds, rename, conversions].flatMap((byColumn) => Object.keys(byColumn)),
  ])
  checkNames(inference, [...wished, ...leaveOut, ...id])
  const whyNot = ({ name, isEmpty }: Column): LeftOut['why'] | undefined => {
    if (leaveOut.includes(name)) return 'asked'
    if (wished.has(name)) return undefined
    if (id.includes(name)) return id.length === 1 && isBareId.test(name) ? 'id' : undefined
    return isEmpty ? 'empty' : undefined
  }
  const leftOut = columns.flatMap((column): LeftOut[] => {
    const why = whyNot(column)
    return why === undefined ? [] : [{ name: column.name, why }]
  })
  const left = new Set(leftOut.map(({ name }) => name))
  const planned = columns
    .filter(({ name }) => !left.has(name))
    .map((column) => plannedColumn(inference, column, wishes, id))
  checkFields(inference, planned)
  return { type, id, columns: planned, leftOut }
}

function plannedColumn(
  { name: file }: Inference,
  column: Column,
  {
    private: hidden = [],
    required = [],
    closed = [],
    kinds = {},
    rename = {},
    conversions = {},
    references,
  }: PlanWishes,
  id: readonly string[],
): PlannedColumn {
  const { name, kind, isNullable, distinct, nested } = column
  const conversion = Object.hasOwn(conversions, name) ? conversions[name] : undefined
  const converted = conversion && kindAfter(column, conversion)
  const chosen = Object.hasOwn(kinds, name) ? kinds[name]! : (converted ?? kind)
  const reference = references?.get(name)
  if (closed.includes(name) && distinct === undefined) {
    const sentence = `${shown(name)} has more than 100 different values, long ones, or values that are no texts: too many for a closed list.`
    throw new TableError(sentence, file, { column: name }, file)
  }
  return {
    ...{ name, isNullable, isPrivate: hidden.includes(name) },
    isRequired: id.includes(name) || required.includes(name),
    ...(Object.hasOwn(rename, name) ? { field: rename[name] } : {}),
    // Whatever refers is a text, as ids are.
    kind: reference === undefined ? chosen : 'string',
    ...(conversion === undefined ? {} : { conversion }),
    ...(reference === undefined ? {} : { reference }),
    ...(closed.includes(name) ? { choices: distinct } : {}),
    ...(chosen === kind && reference === undefined ? { nested } : {}),
  }
}

/** True if every row has a value: offer to require one. Empty texts are values among texts alone. */
export const mayBeRequired = ({ isFull, kind, hasEmptyTexts }: Column): boolean =>
  isFull && (kind === 'string' || !hasEmptyTexts)

/** If the conversion does not read every value, the widest kind that it yields. */
const kindAfter = ({ conversions }: Column, wished: Conversion): Kind =>
  conversions.find(({ conversion }) => conversion === wished)?.kind ?? kindsAfter(wished).at(-1)!

/** @throws TableError for a name that no column has */
export function checkNames({ name: file, columns }: Inference, wished: readonly string[]): void {
  const known = columns.map(({ name }) => name)
  const lost = wished.find((name) => !known.includes(name))
  if (lost === undefined) return
  const like = known.find((name) => name.toLowerCase() === lost.toLowerCase())
  const others = known.slice(0, 20).join(', ') + (known.length > 20 ? ', …' : '')
  const way = like === undefined ? `The columns are: ${others}.` : `Is ${shown(like)} meant?`
  throw new TableError(`There is no column ${shown(lost)}. ${way}`, file, { column: lost }, file)
}

function checkFields({ name: file }: Inference, columns: readonly PlannedColumn[]): void {
  const seen = new Map<string, string>()
  for (const { name, field = name } of columns) {
    const before = seen.get(field)
    if (before !== undefined) {
      const sentence = `The columns ${shown(before)} and ${shown(name)} would both be the field ${shown(field)}. Name one of them otherwise.`
      throw new TableError(sentence, file, { column: name }, file)
    }
    seen.set(field, name)
  }
}
