/** Counts the differences between two views by type and column. */
import { type CellChange, hashText, type ViewRoots } from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { type TypePair, typePairs } from './changes.ts'
import { cellsMax } from './column-changes.ts'
import {
  changeOf,
  differencesOf,
  ScanBudget,
  type ScannedDifference,
  type ViewPair,
  withCells,
} from './difference-pages.ts'

/** Columns of a summary, of all types together. */
const columnsMax = 300
/** Types of a summary. */
const typesMax = 200
/** Columns with longer names are not counted. Characters. */
const namesMax = 200
/** Size of all cached summaries. UTF-16 units of JSON. */
const cacheUnits = 4 * 1024 ** 2

export interface DiffSummary {
  /** Types with differences, in order. */
  readonly types: readonly TypeSummary[]
  /** Number of counted records if others may differ, too. Undefined: all were counted. */
  readonly first: number | undefined
}

export interface TypeSummary {
  readonly type: string
  readonly added: number
  readonly updated: number
  readonly removed: number
  /** Columns of updated records that changed, by first occurrence. */
  readonly columns: readonly ColumnSummary[]
  /** Further columns changed, or records that are too large to compare. */
  readonly hasMore: boolean
}

export interface ColumnSummary extends Readonly<Record<CellChange, number>> {
  /** Names of the value in the data, from the outside in. */
  readonly names: readonly string[]
}

/** Summaries of pairs of views. They never change; a view is identified by its trees. */
export class SummaryCache {
  readonly #summaries = new LRUCache<string, DiffSummary>({
    maxSize: cacheUnits,
    sizeCalculation: (summary) => JSON.stringify(summary).length,
  })

  async read(context: Context, pair: ViewPair, owner: string): Promise<DiffSummary> {
    const key = hashText(JSON.stringify([pair.from, pair.to].map(treesOf)))
    const cached = this.#summaries.get(key)
    if (cached !== undefined) return cached
    const { isLate, ...summary } = await summarize(context, pair, owner)
    if (!isLate) this.#summaries.set(key, summary)
    return summary
  }
}

const treesOf = ({ types }: ViewRoots) => Object.entries(types).map(([type, { root }]) => [type, root])

async function summarize(context: Context, pair: ViewPair, owner: string) {
  const budget = new ScanBudget()
  const types: TypeCounts[] = []
  let columnsLeft = columnsMax
  const read = async ({ type, before, after }: TypePair): Promise<boolean> => {
    const counts = new TypeCounts(type, columnsLeft)
    types.push(counts)
    if (before.count === 0) counts.added = after.count
    else if (after.count === 0) counts.removed = before.count
    else
      for await (const difference of withCells(
        context,
        differencesOf(context, pair, { type, reader: owner }),
        owner,
      )) {
        counts.take(difference)
        if (!budget.take(difference)) return false
      }
    columnsLeft -= counts.columns.length
    return true
  }
  let isWhole = true
  for (const one of typePairs(pair.from, pair.to, undefined)) {
    if (one.before.root === one.after.root) continue
    isWhole = types.length < typesMax && (await read(one))
    if (!isWhole) break
  }
  const first = types.reduce((sum, { added, updated, removed }) => sum + added + updated + removed, 0)
  return {
    types: types.map((counts) => counts.summary),
    first: isWhole ? undefined : first,
    isLate: !isWhole && budget.isLate,
  }
}

/** Counts of a type while it is scanned. */
class TypeCounts {
  readonly type: string
  added = 0
  updated = 0
  removed = 0
  readonly #columns = new Map<string, ColumnSummary & Record<CellChange, number>>()
  readonly #columnsMax: number
  #hasMore = false

  constructor(type: string, columnsMax: number) {
    this.type = type
    this.#columnsMax = columnsMax
  }

  get columns(): readonly ColumnSummary[] {
    return [...this.#columns.values()]
  }

  get summary(): TypeSummary {
    const { type, added, updated, removed, columns } = this
    return { type, added, updated, removed, columns, hasMore: this.#hasMore }
  }

  take(difference: ScannedDifference): void {
    const change = changeOf(difference)
    this[change]++
    const { cells } = difference
    if (change === 'updated' && (cells === undefined || cells.length === cellsMax)) this.#hasMore = true
    for (const [names, kind] of cells ?? []) {
      const column = this.#columnOf(names)
      if (column === undefined) this.#hasMore = true
      else column[kind]++
    }
  }

  #columnOf(names: readonly string[]) {
    const name = names.join('.')
    const found = this.#columns.get(name)
    if (found !== undefined || name.length > namesMax || this.#columns.size >= this.#columnsMax) return found
    const column = { names, filled: 0, changed: 0, emptied: 0 }
    this.#columns.set(name, column)
    return column
  }
}
