/** Formats counts and kinds for people. */
import type { Kind, Plan } from '@ulmus/tabular'

export { counted, countText } from '@ulmus/content/quantities'

/** Names of kinds in the form, in its order. */
export const kindLabels: Readonly<Record<Kind, string>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  date: 'date',
  'date-time': 'date and time',
  array: 'list',
  object: 'object',
  any: 'any',
}

/** Sentence about private columns in the id; undefined if there are none. */
export function privateIdText({ id, columns, isPrivate }: Plan): string | undefined {
  const names = columns.flatMap((one) => (one.isPrivate && id.includes(one.name) ? [one.name] : []))
  if (names.length === 0 || isPrivate === true) return undefined
  return `Everyone reads ids, so ${names.join(' and ')} cannot be private while ${names.length > 1 ? 'they are' : 'it is'} in the id. Choose another id, or untick all ids to number the rows.`
}
