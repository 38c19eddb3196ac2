/** Finds columns with ids of other records, of another type or of the same. */
import type { Table } from '../reading/table.ts'
import { idOf } from './column.ts'
import type { HashSet } from './hash-set.ts'
import type { Inference } from './infer.ts'

export interface TypeIds {
  readonly type: string
  /** Ids of all records of the type: `ids` of the id column (`Inference`), or collected elsewhere. */
  readonly ids: HashSet
}

/** Minimum of distinct values for which a coincidence is unlikely. */
const differentMin = 3

/** `country_id`, `countryCode` and `Country` are names for a type `Country`. */
function isNamedAfter(column: string, type: string): boolean {
  const plain = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const about = plain(column).replace(/(?:id|key|code|ref)s?$/, '')
  return about !== '' && [plain(type), `${plain(type)}s`].includes(about)
}

/**
 * Finds the columns that contain only ids of one of `types`. Reads the table once more. Columns of integers count as references
 * only if their name is like the type's, because the numbers 1 to 100 occur everywhere.
 * @param id the column with the records' own ids, which is not a reference
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
  // If several types match, prefer the one that the column is named after, then the one with the fewest ids, as the least likely
  // coincidence.
  found.sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || a.ids.size - b.ids.size)
  const references = new Map<string, string>()
  for (const { name, type } of found) if (!references.has(name)) references.set(name, type)
  return references
}
