/**
 * Counts changed values by column between two versions of a view, as a comparison does. A record that was added or removed, or is too large
 * to compare, counts in every column of its type.
 */
import {
  compareUtf8,
  emptyTree,
  findColumns,
  type JsonObject,
  parseJson,
  type TypeEntry,
  tableColumns,
  type ViewRoots,
} from '@ulmus/content'
import { typeTree } from '../../answers/places.ts'
import type { Context } from '../../context.ts'
import {
  changeOf,
  differencesOf,
  type ScannedDifference,
  withCells,
} from '../differences/difference-pages.ts'
import { readSchemaObjects } from '../schemas.ts'
import type { ColumnShare } from './shares.ts'

/** Bounds of one version: records that differ, those compared value by value, and their data in bytes. */
export const usualBounds = { differences: 500_000, compared: 100_000, bytes: 64 * 1024 ** 2 }
export type Bounds = typeof usualBounds

/** Types of a version, the first by name. */
const typesMax = 100
/** Columns of a type that its schemas do not declare. */
const undeclaredMax = 200
/** Differences between two calls of `between`. */
const differencesAtOnce = 200

export interface CountOptions {
  /** Owner in the fair queue for threads. */
  readonly owner: string
  readonly bounds: Bounds
  /** Awaited again and again; ends the work if it rejects. */
  between(): Promise<void>
}

/** A type of either version, and its columns in both. */
interface TypePair {
  readonly type: string
  readonly before: TypeEntry | undefined
  readonly after: TypeEntry | undefined
}

/** Counts views of one version, with common bounds; remembers types that views share. */
export class ChangeCounter {
  readonly #context: Context
  readonly #options: CountOptions
  readonly #left: Bounds
  readonly #known = new Map<string, ColumnShare[]>()

  constructor(context: Context, options: CountOptions) {
    this.#context = context
    this.#options = options
    this.#left = { ...options.bounds }
  }

  /** Shares by type, then in the order of the columns. @param before null: there is no version before, so all shares are null */
  async shares(before: ViewRoots | null, after: ViewRoots): Promise<ColumnShare[]> {
    const pairs = pairsOf(before, after)
    const found = new Map<string, ColumnShare[]>()
    // The small types first: a large one may use up the bounds.
    for (const pair of pairs.toSorted((a, b) => sizeOf(a) - sizeOf(b)))
      found.set(pair.type, await this.#sharesOf(pair, before === null))
    return pairs.flatMap(({ type }) => found.get(type)!)
  }

  /** True if other views had the same types and trees. */
  knows(before: ViewRoots | null, after: ViewRoots): boolean {
    const pairs = pairsOf(before, after)
    return pairs.length === this.#known.size && pairs.every((pair) => this.#known.has(keyOf(pair)))
  }

  async #sharesOf(pair: TypePair, isFirst: boolean): Promise<ColumnShare[]> {
    const key = keyOf(pair)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const columns = await this.#columnsOf(pair)
    const counts = isFirst ? undefined : await this.#count(pair, columns)
    const shares = sharesIn(pair.type, columns, counts)
    this.#known.set(key, shares)
    return shares
  }

  async #columnsOf({ type, before, after }: TypePair): Promise<Columns> {
    const declared = async (entry: TypeEntry | undefined): Promise<readonly Names[]> => {
      if (entry === undefined) return []
      const [schema] = await Array.fromAsync(
        readSchemaObjects(this.#context.objects, onlyType(type, entry)),
        ({ bytes }) => parseJson(Buffer.from(bytes).toString()) as JsonObject,
      )
      return declaredIn(schema!)
    }
    const [old, next] = [await declared(before), await declared(after)]
    return columnsIn(old, next)
  }

  /** Undefined: the bounds do not suffice. */
  async #count({ type, before, after }: TypePair, columns: Columns): Promise<Counts | undefined> {
    const counts = new Counts(columns)
    if (before === undefined || after === undefined || before.count === 0 || after.count === 0) {
      const records = (before?.count ?? 0) + (after?.count ?? 0)
      counts.takeWhole(records)
      counts.records = records
      return counts
    }
    counts.records = after.count
    if (before.root === after.root) return counts
    const pair = { from: onlyType(type, before), to: onlyType(type, after) }
    const { owner, between } = this.#options
    let taken = 0
    const differences = differencesOf(this.#context, pair, { type, reader: owner })
    for await (const difference of withCells(this.#context, differences, owner)) {
      if (!this.#take(difference)) return undefined
      counts.take(difference)
      if (++taken % differencesAtOnce === 0) await between()
    }
    return counts
  }

  /** False if a bound is reached. */
  #take({ cells, before, after }: ScannedDifference): boolean {
    this.#left.differences--
    if (cells !== undefined) {
      this.#left.compared--
      this.#left.bytes -= before!.size + after!.size
    }
    return Object.values(this.#left).every((left) => left >= 0)
  }
}

function pairsOf(before: ViewRoots | null, after: ViewRoots): TypePair[] {
  const types = new Set([...Object.keys(before?.types ?? {}), ...Object.keys(after.types)])
  return [...types]
    .sort(compareUtf8)
    .slice(0, typesMax)
    .map((type) => ({
      type,
      before: before ? typeTree(before, type) : undefined,
      after: typeTree(after, type),
    }))
}

const keyOf = ({ type, before, after }: TypePair): string =>
  JSON.stringify([type, ...[before, after].map((entry) => [entry?.root, entry?.schema])])

const sizeOf = ({ before, after }: TypePair): number => Math.max(before?.count ?? 0, after?.count ?? 0)

const onlyType = (type: string, entry: TypeEntry): ViewRoots => ({
  files: emptyTree,
  types: { [type]: entry },
})

type Names = readonly string[]

/** Columns that a schema declares. Empty if it declares none, or too many for a table. */
const declaredIn = (schema: JsonObject): Names[] =>
  findColumns(tableColumns(schema))
    .filter(({ path }) => path !== '')
    .map(({ path }) => path.slice(1).split('/').map(unescaped))

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Declared columns of both versions by name, in the order of the later one. */
type Columns = ReadonlyMap<string, ColumnShare['only']>

function columnsIn(before: readonly Names[], after: readonly Names[]): Columns {
  const [old, next] = [before, after].map((all) => new Set(all.map((names) => names.join('.')))) as [
    Set<string>,
    Set<string>,
  ]
  const all = [...next, ...old].map((name): [string, ColumnShare['only']] => [
    name,
    !old.has(name) ? 'after' : !next.has(name) ? 'before' : undefined,
  ])
  return new Map(all)
}

/** Changed values of a type. */
class Counts {
  /** Records of either version. */
  records = 0
  /** Records that count in every column. */
  #whole = 0
  #changed = 0
  readonly #columns: Columns
  readonly #byColumn = new Map<string, number>()
  #undeclared = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  takeWhole(records: number): void {
    this.#whole += records
  }

  take(difference: ScannedDifference): void {
    const change = changeOf(difference)
    if (change === 'removed') this.records++
    if (difference.cells === undefined) this.takeWhole(1)
    else this.#takeCells(difference.cells)
  }

  #takeCells(cells: NonNullable<ScannedDifference['cells']>): void {
    this.#changed++
    for (const column of new Set(cells.map(([names]) => this.#columnOf(names)))) {
      const count = this.#byColumn.get(column)
      const isNew = count === undefined && !this.#columns.has(column)
      if (isNew && ++this.#undeclared > undeclaredMax) continue
      this.#byColumn.set(column, (count ?? 0) + 1)
    }
  }

  /** The declared column that a value belongs to: objects may be columns as a whole. Otherwise its own name. */
  #columnOf(names: Names): string {
    for (let length = names.length; length > 0; length--) {
      const name = names.slice(0, length).join('.')
      if (this.#columns.has(name)) return name
    }
    return names.join('.')
  }

  /** Columns that changed although no schema declares them. */
  get undeclared(): string[] {
    return [...this.#byColumn.keys()].filter((name) => !this.#columns.has(name)).sort(compareUtf8)
  }

  shareOf(column: string): number {
    const own = column === '' ? this.#changed : (this.#byColumn.get(column) ?? 0)
    return this.records === 0 ? 0 : (this.#whole + own) / this.records
  }
}

/** A type without declared columns has one for the record as a whole. @param counts undefined: unknown */
function sharesIn(type: string, columns: Columns, counts: Counts | undefined): ColumnShare[] {
  const declared = [...columns].map(([column, only]) => ({ column, only }))
  const undeclared = (counts?.undeclared ?? [])
    .filter((column) => column !== '')
    .map((column) => ({ column }))
  const whole = declared.length === 0 ? [{ column: '' }] : []
  return [...whole, ...declared, ...undeclared].map((one) => ({
    ...{ type, ...one },
    share: counts === undefined ? null : counts.shareOf(one.column),
  }))
}
