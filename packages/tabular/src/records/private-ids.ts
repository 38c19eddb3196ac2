/** Refuses private columns whose values are in ids: everyone reads the ids of a public type, so the mark would hide nothing. */
import { isValueInId } from '@ulmus/content'
import { shown, TableError } from '../reading/table-error.ts'
import type { Plan } from './plan.ts'

/** Private columns of a plan are in its ids. */
export class PrivateIdError extends TableError {
  /** Names in the file. */
  readonly columns: readonly string[]

  constructor(file: string, columns: readonly string[], why: string) {
    const [column] = columns
    super(`${why} ${remedies}`, file, { column }, file)
    this.columns = columns
  }
}

const remedies = 'Choose another id, or number the rows.'

/** Private columns that are the id of the plan, or a part of it. */
export function privateIdsOf({ id, columns, isPrivate, privateIds = [] }: Plan): string[] {
  if (isPrivate === true) return []
  return id.filter(
    (name) => columns.find((column) => column.name === name)?.isPrivate ?? privateIds.includes(name),
  )
}

/** Undefined if no column of the id is private. @param file name of the table */
export function privateIdError(file: string, plan: Plan): PrivateIdError | undefined {
  const names = privateIdsOf(plan)
  if (names.length === 0) return undefined
  const [are, it] = names.length === 1 ? ['is', 'it'] : ['are', 'they']
  const part = plan.id.length === names.length ? 'the id' : 'part of the id'
  const why = `${names.map(shown).join(' and ')} ${are} ${part}, and everyone reads ids, so ${it} cannot be private.`
  return new PrivateIdError(file, names, why)
}

/** In fewer rows, short values may be in the ids by chance. */
const fewRows = 10
/** Maximum length of such a value. UTF-16 units. */
const shortUnitsMax = 3

/** Counts the rows whose id contains the value of a private column, such as a copy of the id. */
export class IdCopies {
  readonly #counts: { readonly name: string; readonly field: string; all: number; long: number }[]
  #rows = 0

  constructor({ columns, isPrivate }: Plan) {
    const hidden = isPrivate === true ? [] : columns.filter((one) => one.isPrivate && one.path === undefined)
    this.#counts = hidden.map(({ name, field = name }) => ({ name, field, all: 0, long: 0 }))
  }

  count(id: string, data: Readonly<Record<string, unknown>>): void {
    if (this.#counts.length === 0) return
    this.#rows++
    for (const one of this.#counts) {
      const value = Object.hasOwn(data, one.field) ? data[one.field] : undefined
      if (!isValueInId(id, value)) continue
      one.all++
      if (String(value).length > shortUnitsMax) one.long++
    }
  }

  /** Error for columns whose values are in the ids of more than half of the rows; undefined if there are none. */
  error(file: string): PrivateIdError | undefined {
    const found = this.#counts
      .map(({ name, all, long }) => ({ name, count: this.#rows < fewRows ? long : all }))
      .filter(({ count }) => count * 2 > this.#rows)
    const [first] = found
    if (first === undefined) return undefined
    const why = `${shown(first.name)} cannot be private: its value is in the id of ${first.count} of ${this.#rows} rows, and everyone reads ids.`
    return new PrivateIdError(
      file,
      found.map(({ name }) => name),
      why,
    )
  }
}
