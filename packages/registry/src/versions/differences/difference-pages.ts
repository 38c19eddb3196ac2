/** Reads a page of the differences between two views: their positions from the trees, then their records. */
import type { ViewRoots } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import { PageBudget, type RecordPosition, writeCursor } from '../../answers/places.ts'
import { countAnswer } from '../../budgets/answer-budget.ts'
import type { Context } from '../../context.ts'
import { differenceReader, type RecordDifference, recordDifferences } from './changes.ts'
import { type ChangedCell, changedCells } from './column-changes.ts'
import { dataBytes, FormReader, jsonOf, type ReadDifference, type RecordChange } from './difference-forms.ts'

/** Differences of a page. */
export interface PageAsk {
  /** Only records of this type. Default: all types. */
  type?: string
  /** Only records with this kind of change. Default: all kinds. */
  change?: RecordChange
  /** Only updated records with a change in this column or within it: `name.common`, `name`. Default: all records. */
  column?: string
  /** Only the record with this id. Default: all records. */
  id?: string
  /** True: removed records have their former data. Default: false. */
  withRemoved?: boolean
  limit: number
  /** Owner in the fair queue for threads (`readerOf`). */
  reader: string
}

/** Two views. */
export interface ViewPair {
  from: ViewRoots
  to: ViewRoots
}

/** Differences visited for a page of one kind: then the page ends with a cursor, even if it is empty. */
const walkedMax = 20_000
/** Differences whose records are read concurrently; scattered ones are in two leaves each. */
const readAtOnce = 32

/** Finds the differences of a page in the trees, then reads their records, some concurrently. */
export async function readPage(
  context: Context,
  pair: ViewPair,
  beyond: RecordPosition | undefined,
  { limit, type, change, column, id, withRemoved = false, reader: owner }: PageAsk,
) {
  const budget = new PageBudget(limit)
  const differences: RecordDifference[] = []
  let hasMore = false
  let last: RecordDifference | undefined
  const all = differencesOf(context, pair, { type, beyond, reader: owner })
  const scanned = column === undefined ? all : withCells(context, all, owner)
  const scan = new ScanBudget()
  for await (const difference of scanned) {
    const isWanted =
      (change === undefined || changeOf(difference) === change) && (id === undefined || difference.key === id)
    if (!isWanted || (column !== undefined && !hasColumn(difference, column))) {
      last = difference
      hasMore = !scan.take(difference)
      if (hasMore) break
      continue
    }
    const bytes = dataBytes(difference, withRemoved)
    hasMore = !budget.take(bytes)
    if (hasMore) break
    countAnswer(bytes)
    differences.push(difference)
    last = difference
  }
  const read: ReadDifference[] = []
  const forms = new FormReader(context.objects)
  for (let start = 0; start < differences.length; start += readAtOnce) {
    const some = differences.slice(start, start + readAtOnce)
    const texts = await Promise.all(some.map((difference) => jsonOf(difference, forms, withRemoved)))
    // Ends the work if the client has disconnected.
    countAnswer(0)
    for (const [index, difference] of some.entries()) {
      const { key, type, before, after } = difference
      const removed = after === undefined ? { id: key, type, hash: before!.hash } : undefined
      read.push({ change: changeOf(difference), text: texts[index], removed })
    }
    forms.forgetAllBut(some.at(-1)!)
  }
  return { differences: read, nextCursor: hasMore ? writeCursor({ type: last!.type, id: last!.key }) : null }
}

interface WalkAsk {
  readonly type: string | undefined
  readonly beyond?: RecordPosition | undefined
  readonly reader: string
}

/** Differences of a type, or of all types, with the lines that threads have read. */
export const differencesOf = (context: Context, { from, to }: ViewPair, { type, beyond, reader }: WalkAsk) =>
  recordDifferences(
    differenceReader(context, reader, { lines: true }),
    only(from, type),
    only(to, type),
    beyond,
  )

/** A view with only one of its types. @param type default: all */
const only = (roots: ViewRoots, type: string | undefined): ViewRoots =>
  type === undefined
    ? roots
    : { ...roots, types: Object.fromEntries(Object.entries(roots.types).filter(([name]) => name === type)) }

export const changeOf = ({ before, after }: RecordDifference): RecordChange =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'updated'

/** A difference with the cells that changed, if it is an update of a record that is not too large. */
export interface ScannedDifference extends RecordDifference {
  readonly cells?: readonly ChangedCell[]
}

const hasColumn = ({ cells = [] }: ScannedDifference, column: string): boolean =>
  cells.some(([names]) => `${names.join('.')}.`.startsWith(`${column}.`))

/** Larger records are not compared cell by cell: both versions together. Bytes. */
const comparedBytesMax = 1_048_576

const isCompared = (difference: RecordDifference): boolean =>
  changeOf(difference) === 'updated' && dataBytes(difference) <= comparedBytesMax

/** Adds the changed cells to differences. Reads ahead by a batch. */
export async function* withCells(
  { objects, work }: Context,
  differences: AsyncIterable<RecordDifference>,
  owner: string,
): AsyncGenerator<ScannedDifference> {
  const forms = new FormReader(objects)
  const read = async (batch: RecordDifference[]): Promise<ScannedDifference[]> => {
    const compared = batch.filter(isCompared)
    if (compared.length === 0) return batch
    const texts = await Promise.all(
      compared.flatMap(({ before, after, lines }) => [
        forms.read(before!, lines?.before),
        forms.read(after!, lines?.after),
      ]),
    )
    const lines = Buffer.concat(texts.flatMap((text, index) => (index === 0 ? [text] : [newline, text])))
    const cells = await work.run(changedCells, { lines }, { owner })
    const found = new Map(compared.map((difference, index) => [difference, cells[index]!]))
    forms.forgetAllBut(compared.at(-1)!)
    return batch.map((difference) => {
      const own = found.get(difference)
      return own === undefined ? difference : { ...difference, cells: own }
    })
  }
  let [batch, bytes] = [[] as RecordDifference[], 0]
  for await (const difference of differences) {
    batch.push(difference)
    bytes += isCompared(difference) ? dataBytes(difference) : 0
    if (batch.length < readAtOnce && bytes < comparedBytesMax) continue
    yield* await read(batch)
    // Short batches are compared on this thread.
    await giveWay()
    // Ends the work if the client has disconnected.
    countAnswer(0)
    ;[batch, bytes] = [[], 0]
  }
  yield* await read(batch)
}

const newline = Buffer.from('\n')

/** Data compared in one scan. Bytes. */
const scanBytesMax = 8 * 1024 ** 2
/** Time of one scan, unless it has compared few records. Milliseconds. */
const scanMilliseconds = 1_500
const fewRecords = 20

/** Remaining room of a scan: differences, the data of compared ones, and time. */
export class ScanBudget {
  #taken = 0
  #compared = 0
  #bytes = 0
  readonly #until = performance.now() + scanMilliseconds

  /** True if the time is over. Another scan may come further. */
  get isLate(): boolean {
    return this.#compared >= fewRecords && performance.now() >= this.#until
  }

  /** Counts a difference. False if it was the last one that fits. */
  take(difference: ScannedDifference): boolean {
    this.#taken++
    if (difference.cells !== undefined) {
      this.#compared++
      this.#bytes += dataBytes(difference)
    }
    return this.#taken < walkedMax && this.#bytes < scanBytesMax && !this.isLate
  }
}
