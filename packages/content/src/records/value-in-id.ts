/** Finds private values that a record's id repeats. Ids are public, so such a value is public, too. */

/**
 * True if the id, or a part of it between `~`, is the value: a text as it is, a number or boolean as JSON. Import joins columns to an id
 * with `~` and writes `%` and `~` of a text as `%25` and `%7E`, so that form counts, too.
 */
export function isValueInId(id: string, value: unknown): boolean {
  const text = typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
  if (typeof text !== 'string' || text === '') return false
  if (id === text) return true
  if (!id.includes('~')) return false
  const escaped = text.replaceAll('%', '%25').replaceAll('~', '%7E')
  return id.split('~').some((part) => part === text || part === escaped)
}
