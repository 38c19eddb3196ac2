/** Misspellings of `private`, which hide nothing. */
import { distance } from 'fastest-levenshtein'

/** `Private`, `x-private`, `isPrivate`, `priavte`: at most two letters differ, ignoring case and hyphens. False for `private` itself. */
export const isLikePrivate = (name: string): boolean =>
  name !== 'private' && name.length <= charactersMax && distance(plainOf(name), 'private') <= 2

/** Longer names cannot be misspellings of it. Characters. */
const charactersMax = 20

/** Without capitals, hyphens and the like. */
export const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[-_$@\s]/g, '')
