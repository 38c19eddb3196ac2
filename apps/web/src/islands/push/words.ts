/** Formats counts and kinds for people. */
import type { Kind } from '@ulmus/tabular'

export const countText = (count: number): string => count.toLocaleString('en-US')

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

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
