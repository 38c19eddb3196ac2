/** Columns whose values are the ids of records: of another type, or of their own. */
import type { Table } from '../reading/table.ts'
import { idOf } from './column.ts'
import type { HashSet } from './hash-set.ts'
import type { Inference } from './infer.ts'

export interface TypeIds {
  readonly type: string
  /** Those of all its records: `ids` of the column that holds them (`Inference`), or collected from elsewhere. */
  readonly ids: HashSet
}

/** Different values that make a coincidence unlikely. */
const differentMin = 3

/** `country_id`, `countryCode` and `Country` speak of a type `Country`. */
function isNamedAfter(column: string, type: string): boolean {
  const plain = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const about = plain(column).replace(/(?:id|key|code|ref)s?$/, '')
  return about !== '' && [plain(type), `${plain(type)}s`].includes(about)
}

/**
 * Finds the columns that hold nothing but ids of one of `types`, by name. Reads the table once more. Columns of integers are taken for references
 * only if their name is like the type's: the numbers 1 to 100 are everything.
 * @param id the column that holds the records' own ids, which refers to nothing
 */
export async function referencesIn(
  table: Table,
  { columns }: Inference,
  types: readonly TypeIds[],
  id: string | undefined,
): Promise<Map<string, string>> {
  const candidates = columns.flatMap(({ name, kind, isEmpty }, place) =>
    types
      .filter(({ type }) => kind === 'string' || (kind === 'integer' && isNamedAfter(name, type)))
      .filter(({ ids }) => !isEmpty && name !== id && ids.size > 0)
      .map((type) => ({
        name,
        place,
        ...type,
        different: new Set<string>(),
        isNamed: isNamedAfter(name, type.type),
      })),
  )
  let left = candidates
  for await (const batch of table.batches()) {
    for (const { values } of batch) {
      left = left.filter(({ place, ids, different }) => {
        const value = values[place]
        if (value === undefined || value === null) return true
        const named = idOf(value)
        if (named === undefined || !ids.has(named)) return false
        if (different.size < differentMin) different.add(named)
        return true
      })
    }
    if (left.length === 0) break
  }
  const found = left.filter(({ different, isNamed }) => isNamed || different.size >= differentMin)
  // Of several types that fit, the one that the column is named after; else the one with the fewest ids, which says the most.
  found.sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || a.ids.size - b.ids.size)
  const references = new Map<string, string>()
  for (const { name, type } of found) if (!references.has(name)) references.set(name, type)
  return references
}
