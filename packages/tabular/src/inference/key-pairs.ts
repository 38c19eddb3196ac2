/** Joined keys, for tables in which no single column is unique. */
import { newNameFault } from '@ulmus/content'
import type { Table } from '../reading/table.ts'
import { idOf } from './column.ts'
import { HashBudget, HashSet } from './hash-set.ts'
import { isNamedLikeId, isTimeName } from './id-names.ts'
import { canBePart, joinIds } from './ids.ts'
import type { Inference } from './infer.ts'

/** Maximum of columns that are tried; most keys are at the left. */
const columnsMax = 10
/** Slots of all sets: 64 MiB. A pair is dropped at the first repetition. */
const slotsMax = 2 ** 23

/** Ids that the columns make together, and whether each row has a different one. Reads the table once more. */
export async function joinedIds(
  table: Table,
  { columns }: Inference,
  names: readonly string[],
): Promise<{ readonly ids: HashSet; readonly isUnique: boolean }> {
  const places = names.map((name) => columns.findIndex((column) => column.name === name))
  const ids = new HashSet()
  let isUnique = true
  for await (const batch of table.batches()) {
    for (const { values } of batch) {
      const parts = places.map((place) => idOf(values[place]))
      const isWhole = parts.every((part) => part !== undefined)
      if (!isWhole || !ids.add(joinIds(parts))) isUnique = false
    }
  }
  return { ids, isUnique }
}

/** First line of each of the ids. Reads the table once more, up to the last of these lines. */
export async function firstLines(
  table: Table,
  { columns }: Inference,
  names: readonly string[],
  wanted: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const places = names.map((name) => columns.findIndex((column) => column.name === name))
  const lines = new Map<string, number>()
  for await (const batch of table.batches()) {
    for (const { line, values } of batch) {
      const parts = places.map((place) => idOf(values[place]))
      const id = parts.every((part) => part !== undefined) ? joinIds(parts) : ''
      if (wanted.has(id) && !lines.has(id)) lines.set(id, line)
    }
    if (lines.size === wanted.size) break
  }
  return lines
}

/**
 * The first pair of columns, in the order of the file, that differs in every row. Reads the table once more.
 * @param hidden private columns, which cannot be part of an id
 */
export async function keyOfTwo(
  table: Table,
  { columns }: Inference,
  hidden: readonly string[] = [],
): Promise<[string, string] | undefined> {
  const places = columns
    .flatMap((column, place) => (canBePart(column) && !hidden.includes(column.name) ? [place] : []))
    .slice(0, columnsMax)
  const budget = new HashBudget(slotsMax)
  // Skip pairs of two counts, such as a rank and a number of medals: they differ by chance.
  const isCount = (place: number) => {
    const { name, kind } = columns[place]!
    return kind === 'integer' && !isNamedLikeId(name) && !isTimeName(name)
  }
  let pairs = places.flatMap((a, at) =>
    places
      .slice(at + 1)
      .filter((b) => !isCount(a) || !isCount(b))
      .map((b) => ({ a, b, ids: new HashSet(budget) })),
  )
  for await (const batch of table.batches()) {
    for (const { values } of batch) {
      pairs = pairs.filter(({ a, b, ids }) => {
        const [one, other] = [idOf(values[a]), idOf(values[b])]
        if (one !== undefined && other !== undefined) {
          const id = joinIds([one, other])
          if (newNameFault('id', id) === undefined && ids.add(id)) return true
        }
        ids.clear()
        return false
      })
    }
    if (pairs.length === 0) return undefined
  }
  const [first] = pairs
  return first && [columns[first.a]!.name, columns[first.b]!.name]
}
