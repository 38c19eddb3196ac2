/**
 * Finds new columns that repeat the values of a private field, such as a private column under another name: schemas alone do not show that
 * the values would become public.
 */
import { converted } from '../inference/conversions.ts'
import type { Inference } from '../inference/infer.ts'
import type { Table } from '../reading/table.ts'
import { Places } from './cells.ts'
import { type KnownType, proposeIdFor } from './known-types.ts'
import type { GoneField, Plan, PlannedColumn, RepeatedField } from './plan.ts'
import { type PlainValue, PrivateValues, plainValue } from './private-values.ts'
import { rowId } from './row-id.ts'

/** Minimum share of equal values. */
const shareMin = 0.5
/** Minimum excess over the share of equal values that two unrelated columns with these values would have; of the rest to 1. */
const excessMin = 0.25
/** Minimum improbability that the equal values are a coincidence: 1 in 20, as a natural logarithm. */
const improbabilityMin = 3
/** Maximum distinct values of a column that are counted; further ones are rare, and so hardly equal by chance. */
const distinctMax = 1024

/** Compares several new columns with all private fields of one type. */
export class RepeatWatch {
  readonly #known: PrivateValues
  readonly #columns: readonly ColumnCount[]
  /** Records with a value, by private field. */
  readonly #shared: number[] = []
  #records = 0

  /** @param columns number of new columns */
  constructor(known: PrivateValues, columns: number) {
    this.#known = known
    this.#columns = Array.from({ length: columns }, () => new ColumnCount())
  }

  /** @param readings what a value of a new column may mean; usually one */
  see(id: string, readings: (column: number) => readonly unknown[]): void {
    const values = this.#known.valuesOf(id)
    if (values === undefined) return
    this.#records++
    for (const [field, value] of values.entries())
      if (value !== undefined) this.#shared[field] = (this.#shared[field] ?? 0) + 1
    for (const [at, column] of this.#columns.entries()) {
      const found = new Map<number, PlainValue>()
      for (const reading of readings(at)) {
        const value = plainValue(reading)
        if (value !== undefined) found.set(value.hash, value)
      }
      column.count(values, found)
    }
  }

  /** The private field that a column repeats, if any. */
  repeated(column: number): string | undefined {
    const place = this.#known.fields.findIndex((_, field) => this.#isRepeated(this.#columns[column]!, field))
    return this.#known.fields[place]
  }

  #isRepeated({ equal, counts }: ColumnCount, field: number): boolean {
    const shared = this.#shared[field] ?? 0
    const found = equal[field]
    if (found === undefined || found.count < shared * shareMin) return false
    const share = found.count / shared
    const chance = chanceOf(this.#known.countsOf(field), counts, this.#records)
    if (share - chance < excessMin * (1 - chance) || chance >= 1) return false
    return found.isTelling || shared * divergence(share, chance) >= improbabilityMin
  }
}

/** Values of one new column. */
class ColumnCount {
  /** Records with equal values, by private field. `isTelling`: two different texts were among them. */
  readonly equal: ({ count: number; readonly text: number | undefined; isTelling: boolean } | undefined)[] =
    []
  readonly counts = new Map<number, number>()

  count(values: readonly (number | undefined)[], found: ReadonlyMap<number, PlainValue>): void {
    for (const hash of found.keys()) {
      const before = this.counts.get(hash)
      if (before !== undefined || this.counts.size < distinctMax) this.counts.set(hash, (before ?? 0) + 1)
    }
    for (const [field, value] of values.entries()) {
      const same = value === undefined ? undefined : found.get(value)
      if (same === undefined) continue
      const text = same.isTelling ? same.hash : undefined
      const one = this.equal[field]
      if (one === undefined) this.equal[field] = { count: 1, text, isTelling: false }
      else {
        one.count++
        if (text === undefined) continue
        if (one.text === undefined) this.equal[field] = { ...one, text }
        else one.isTelling ||= one.text !== text
      }
    }
  }
}

/** Probability that a value of one column equals a value of another with these counts. */
function chanceOf(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>, ofB: number): number {
  const ofA = [...a.values()].reduce((sum, count) => sum + count, 0)
  let chance = 0
  for (const [value, count] of b) chance += ((a.get(value) ?? 0) / ofA) * (count / ofB)
  return Math.min(chance, 1)
}

/** Chernoff's bound: the logarithm of the improbability, per record, that a share this large occurs by chance. */
function divergence(share: number, chance: number): number {
  if (chance <= 0) return Number.POSITIVE_INFINITY
  const term = (p: number, q: number) => (p === 0 ? 0 : p * Math.log(p / q))
  return term(share, chance) + term(1 - share, 1 - chance)
}

/**
 * New public columns of a plan that repeat a private field, by name. Reads the table once more, unless there is nothing to compare.
 * @param values of all types with private fields @param known the plan's type in the base
 */
export async function repeatedIn(
  table: Table,
  inference: Inference,
  plan: Plan,
  values: readonly PrivateValues[],
  known?: KnownType,
): Promise<Map<string, RepeatedField>> {
  const found = new Map<string, RepeatedField>()
  const fresh = plan.isPrivate === true ? [] : plan.columns.filter((column) => isFresh(column, known))
  if (fresh.length === 0 || values.length === 0) return found
  const watches = values.map((one) => ({
    type: one.type,
    watch: new RepeatWatch(one, fresh.length),
    id: idColumnsFor(inference, plan, one),
    idPlaces: [] as (number | undefined)[],
  }))
  const readings = fresh.map((column) => readingsOf(column, inference))
  const places = new Places(table)
  let columnPlaces: (number | undefined)[] = []
  let rows = 0
  for await (const batch of table.batches()) {
    if (places.update()) {
      columnPlaces = fresh.map(({ name }) => places.of(name))
      for (const one of watches) one.idPlaces = one.id.map((name) => places.of(name))
    }
    for (const { values: row } of batch) {
      rows++
      const read = (column: number) => {
        const place = columnPlaces[column]
        return place === undefined ? [] : readings[column]!(row[place])
      }
      for (const { watch, idPlaces } of watches) watch.see(rowId(row, idPlaces, rows), read)
    }
  }
  for (const [at, { name }] of fresh.entries())
    for (const { type, watch } of watches) {
      const field = watch.repeated(at)
      if (field !== undefined && !found.has(name)) found.set(name, { type, field })
    }
  return found
}

/** A public column that the type did not have. A type without `properties` has the fields of its records. */
const isFresh = (
  { name, field = name, isKnown, isPrivate, path }: PlannedColumn,
  known?: KnownType,
): boolean =>
  isKnown !== true &&
  !isPrivate &&
  path === undefined &&
  known?.samples?.some(
    ({ data }) => typeof data === 'object' && data !== null && Object.hasOwn(data, field),
  ) !== true

/** Columns that have the ids of the private values: if none are known, the id of the plan. */
function idColumnsFor(inference: Inference, plan: Plan, values: PrivateValues): readonly string[] {
  const proposal = proposeIdFor(inference, values)
  return proposal?.why === 'known' ? proposal.columns : plan.id
}

/** A column may repeat values that were converted when they were imported. */
function readingsOf({ name }: PlannedColumn, { columns }: Inference): (value: unknown) => unknown[] {
  const offered = columns.find((column) => column.name === name)?.conversions ?? []
  return (value) => {
    if (typeof value !== 'string' || offered.length === 0) return [value]
    return [value, ...offered.map(({ conversion }) => converted(conversion, value)?.text)]
  }
}

/** The plan with these columns private. A field of the type that the file lacks is then the renamed one. */
export function withRepeats(plan: Plan, repeats: ReadonlyMap<string, RepeatedField>): Plan {
  if (repeats.size === 0) return plan
  const columnOf = (gone: string) =>
    [...repeats].find(([, { type, field }]) => type === plan.type && field === gone)?.[0]
  return {
    ...plan,
    columns: plan.columns.map((column) => {
      const repeated = repeats.get(column.name)
      return repeated === undefined ? column : { ...column, isPrivate: true, repeats: repeated }
    }),
    ...(plan.gone === undefined ? {} : { gone: renamedFields(plan.gone, columnOf) }),
  }
}

/**
 * The plan with fields that the file lacks and whose values a new column repeats: they are the renamed ones, whatever their names. Compares
 * the samples of the type, and reads the table once more if there is anything to compare.
 */
export async function withRenames(
  table: Table,
  inference: Inference,
  plan: Plan,
  known: KnownType | undefined,
): Promise<Plan> {
  const gone = plan.gone ?? []
  if (known?.samples === undefined || gone.length === 0) return plan
  const fields = gone.map(({ field }) => field)
  const values = new PrivateValues(known.type, known.schema, fields)
  for (const { id, data } of known.samples) values.add(id, data)
  const repeats = await repeatedIn(table, inference, plan, [values], known)
  const columnOf = (field: string) => [...repeats].find(([, one]) => one.field === field)?.[0]
  return { ...plan, gone: renamedFields(gone, columnOf) }
}

/** A column that has the values of one field is not the renamed one of another. */
function renamedFields(
  gone: readonly GoneField[],
  columnOf: (field: string) => string | undefined,
): GoneField[] {
  const taken = new Set(gone.map(({ field }) => columnOf(field)))
  return gone.map((one) => ({
    ...one,
    renamed: columnOf(one.field) ?? (taken.has(one.renamed) ? undefined : one.renamed),
  }))
}
