/** How the rows of a table become records of one type. A plan is plain data: shown, changed and kept by whoever asked for it. */
import type { Column } from '../inference/column.ts'
import { type Inference, idCandidates } from '../inference/infer.ts'
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
  /** The column that holds the id; undefined: records are numbered from 1. */
  readonly id: string | undefined
  readonly columns: readonly PlannedColumn[]
  readonly leftOut?: readonly LeftOut[]
}

export interface PlanWishes {
  readonly type: string
  /** A column. Default: the likeliest, if any can be it. Null: records are numbered from 1, in the order of the file. */
  readonly id?: string | null | undefined
  /** Columns. */
  readonly private?: readonly string[] | undefined
  readonly leaveOut?: readonly string[] | undefined
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
  const { type, private: hidden = [], leaveOut = [], kinds = {}, rename = {}, references } = wishes
  const id = wishes.id === undefined ? idCandidates(columns)[0]?.name : (wishes.id ?? undefined)
  checkNames(inference, [
    ...hidden,
    ...leaveOut,
    ...Object.keys(kinds),
    ...Object.keys(rename),
    ...(id === undefined ? [] : [id]),
  ])
  const wished = new Set([...hidden, ...Object.keys(kinds), ...Object.keys(rename)])
  const whyNot = ({ name, isEmpty }: Column): LeftOut['why'] | undefined => {
    if (leaveOut.includes(name)) return 'asked'
    if (wished.has(name)) return undefined
    if (name === id) return isBareId.test(name) ? 'id' : undefined
    return isEmpty ? 'empty' : undefined
  }
  const leftOut = columns.flatMap((column): LeftOut[] => {
    const why = whyNot(column)
    return why === undefined ? [] : [{ name: column.name, why }]
  })
  const left = new Set(leftOut.map(({ name }) => name))
  const planned = columns
    .filter(({ name }) => !left.has(name))
    .map(({ name, kind, isFull, hasEmptyTexts, isNullable, choices, nested }): PlannedColumn => {
      const chosen = Object.hasOwn(kinds, name) ? kinds[name]! : kind
      const reference = references?.get(name)
      return {
        ...{ name, isNullable, isPrivate: hidden.includes(name) },
        isRequired: isFull && (chosen === 'string' || reference !== undefined || !hasEmptyTexts),
        ...(Object.hasOwn(rename, name) ? { field: rename[name] } : {}),
        // Whatever refers is a text, as ids are.
        kind: reference === undefined ? chosen : 'string',
        ...(reference === undefined ? {} : { reference }),
        ...(chosen === kind && reference === undefined ? { choices, nested } : {}),
      }
    })
  checkFields(inference, planned)
  return { type, id, columns: planned, leftOut }
}

function checkNames({ name: file, columns }: Inference, wished: readonly string[]): void {
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
