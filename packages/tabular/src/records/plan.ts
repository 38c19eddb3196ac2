/** Plan for converting the rows of a table to records of one type. Plain data: callers may show, change and store it. */
import type { TableColumn } from '@ulmus/content'
import type { Column } from '../inference/column.ts'
import { type Conversion, kindsAfter } from '../inference/conversions.ts'
import { proposeId } from '../inference/ids.ts'
import type { Inference } from '../inference/infer.ts'
import type { Kind } from '../inference/kinds.ts'
import type { ReadOptions } from '../reading/options.ts'
import { shown, TableError } from '../reading/table-error.ts'
import { keptOptions } from './remembered.ts'

export interface PlannedColumn {
  /** Name in the file. */
  readonly name: string
  /** Name in the records; undefined if it is the same. */
  readonly field?: string | undefined
  readonly kind: Kind
  readonly isRequired: boolean
  /** True if null is a valid value. */
  readonly isNullable?: boolean | undefined
  readonly isPrivate: boolean
  /** The private field whose values the column repeats: it then begins private. */
  readonly repeats?: RepeatedField | undefined
  /** True if the type has this field already: the plan then starts from its schema. */
  readonly isKnown?: boolean | undefined
  /** Column of a downloaded table, if the type has the field already. */
  readonly stored?: TableColumn | undefined
  /**
   * Names from the outside in, for a member of an object such as `name.common` and for a field whose column has another name; empty for the
   * whole record. Its schema cannot be changed by a plan.
   */
  readonly path?: readonly string[] | undefined
  /** Rewrites texts of the file before they are read as the kind. */
  readonly conversion?: Conversion | undefined
  /** The conversion that the plan proposes by itself; another one is the user's, and is kept in the schema. */
  readonly assumed?: Conversion | undefined
  /** Values that mean missing in this column, to be kept in the schema. */
  readonly missing?: readonly string[] | undefined
  /** The currency of the values; those of another are refused. */
  readonly unit?: string | undefined
  /** A closed list: other values are refused. */
  readonly choices?: readonly string[] | undefined
  /** The type whose ids the column contains. */
  readonly reference?: string | undefined
  /** Schema of the content, for lists and objects. */
  readonly nested?: Readonly<Record<string, unknown>> | undefined
}

/** A private field of any type of the collection. */
export interface RepeatedField {
  readonly type: string
  readonly field: string
}

/** `repeats the values of the private column Case officer`. @param type of the plan */
export const repeatText = ({ type: of, field }: RepeatedField, type: string): string =>
  `repeats the values of the private column ${field}${of === type ? '' : ` of ${of}`}`

/** A column of the file without a field: on request, because no row has a value, or because it is only the id. */
export interface LeftOut {
  readonly name: string
  readonly why: 'asked' | 'empty' | 'id'
}

/** A plan, made by `planOf` for a new type and by `planFor` for an existing one. */
export interface Plan {
  readonly type: string
  /** Columns whose values make the id (`joinIds`); empty: records are numbered from 1. */
  readonly id: readonly string[]
  readonly columns: readonly PlannedColumn[]
  /** True if the whole type is private. */
  readonly isPrivate?: boolean | undefined
  /** Columns of the id that make no field, and are private by the wishes or the existing type. */
  readonly privateIds?: readonly string[]
  /** Options of the file, to be kept in the schema. */
  readonly reading?: ReadOptions
  readonly leftOut?: readonly LeftOut[]
  /** Fields of an existing type without a column in the file. */
  readonly gone?: readonly GoneField[]
}

/** A field that the file lacks. */
export interface GoneField {
  readonly field: string
  readonly isRequired: boolean
  /** True if the file may lack it: it is optional and the file is JSON, or the wishes say so. */
  readonly isAccepted: boolean
  /** A new column of the file that may be this field under another name. */
  readonly renamed?: string | undefined
}

/** Choices of the user, by which a plan differs from the proposed one. */
export interface PlanWishes {
  readonly type: string
  /**
   * Columns of the id. Default: the likeliest that are not private (`proposeId`), if there are any. Null: records are numbered from 1, in the order of the file.
   */
  readonly id?: readonly string[] | null | undefined
  /** Columns whose fields are private. */
  readonly private?: readonly string[] | undefined
  readonly leaveOut?: readonly string[] | undefined
  /** Columns in which every record must have a value. The columns of the id are always required. */
  readonly required?: readonly string[] | undefined
  /** Columns, or fields without a column, that records may lack although the schema requires them. */
  readonly optional?: readonly string[] | undefined
  /** Columns whose values become a closed list (`enum`). */
  readonly closed?: readonly string[] | undefined
  /** Values by column to add to the closed list of an existing type. */
  readonly allow?: Readonly<Record<string, readonly string[]>> | undefined
  /** By column, such as those in `Column.conversions`; `none` for no conversion where earlier files had one. */
  readonly conversions?: Readonly<Record<string, Conversion | 'none'>> | undefined
  /** By column: the kind that all values must have; rows with others are refused. */
  readonly kinds?: Readonly<Record<string, Kind>> | undefined
  /** Fields by column. */
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Types by column, as `referencesIn` finds them. */
  readonly references?: ReadonlyMap<string, string> | undefined
}

/** `world-cities.csv.gz` → `WorldCities`: a name that is valid in schemas. @param file may have folders, as in an archive */
export function typeNameOf(file: string): string {
  const words = file
    .replace(/^.*\//, '')
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z]+$/i, '')
    .normalize('NFKD')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) ? name.slice(0, 64) : `Record${name}`.slice(0, 64)
}

/** A column with such a name is only the id and not also a field. */
const isBareId = /^_?id$/i

/** @throws TableError for a wish about an absent column, and for two columns with the same field */
export function planOf(inference: Inference, wishes: PlanWishes): Plan {
  const { columns } = inference
  const { type, leaveOut = [], kinds = {}, rename = {}, conversions = {}, private: hidden = [] } = wishes
  const id = wishes.id === undefined ? (proposeId(inference, hidden)?.columns ?? []) : (wishes.id ?? [])
  const wished = new Set([
    ...hidden,
    ...[...(wishes.required ?? []), ...(wishes.closed ?? [])],
    ...[kinds, rename, conversions].flatMap((byColumn) => Object.keys(byColumn)),
  ])
  checkNames(inference, [...wished, ...leaveOut, ...id, ...Object.keys(inference.options.missingIn ?? {})])
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
  const privateIds = id.filter((name) => left.has(name) && hidden.includes(name))
  const reading = keptOptions(inference.reading)
  return {
    ...{ type, id, columns: planned, leftOut },
    ...(Object.keys(reading).length > 0 ? { reading } : {}),
    ...(privateIds.length > 0 ? { privateIds } : {}),
  }
}

function plannedColumn(
  { name: file, options }: Inference,
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
  const wished = Object.hasOwn(conversions, name) ? conversions[name] : undefined
  const conversion = wished === 'none' ? undefined : wished
  const { missingIn = {} } = options
  const missing = Object.hasOwn(missingIn, name) ? missingIn[name]! : []
  const converted = conversion && kindAfter(column, conversion)
  const chosen = Object.hasOwn(kinds, name) ? kinds[name]! : (converted ?? kind)
  const { unit } = column.conversions.find((one) => one.conversion === conversion) ?? {}
  const reference = references?.get(name)
  if (closed.includes(name) && distinct === undefined) {
    const sentence = `${shown(name)} has more than 100 different values, long ones, or values that are no texts: too many for a closed list.`
    throw new TableError(sentence, file, { column: name }, file)
  }
  return {
    ...{ name, isNullable, isPrivate: hidden.includes(name) },
    isRequired: id.includes(name) || required.includes(name),
    ...(Object.hasOwn(rename, name) ? { field: rename[name] } : {}),
    // References are texts, because ids are.
    kind: reference === undefined ? chosen : 'string',
    ...(conversion === undefined ? {} : { conversion }),
    ...(unit === undefined ? {} : { unit }),
    ...(missing.length === 0 ? {} : { missing }),
    ...(reference === undefined ? {} : { reference }),
    ...(closed.includes(name) ? { choices: distinct } : {}),
    ...(chosen === kind && reference === undefined ? { nested } : {}),
  }
}

/** True if every row has a value: offer to require one. Empty texts count as values only in a column of texts. */
export const mayBeRequired = ({ isFull, kind, hasEmptyTexts }: Column): boolean =>
  isFull && (kind === 'string' || !hasEmptyTexts)

/** Kind of the column after the conversion; if it does not apply to every value, the widest kind that it yields. */
const kindAfter = ({ conversions }: Column, wished: Conversion): Kind =>
  conversions.find(({ conversion }) => conversion === wished)?.kind ?? kindsAfter(wished).at(-1)!

/** @throws TableError for a name that is not a column's */
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
