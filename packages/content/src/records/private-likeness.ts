/**
 * Detects misspellings of `private`. A misspelt mark would hide nothing, although its author relies on it; so lines with one are refused,
 * and schemas are refused or warned of.
 */
import { distance } from 'fastest-levenshtein'

/** `Private`, `x-private`, `isPrivate`, `priavte`: at most two letters differ, ignoring case and hyphens. False for `private` itself. */
export const isLikePrivate = (name: string): boolean =>
  name !== 'private' && name.length <= charactersMax && distance(plainOf(name), 'private') <= 2

/** Longer names cannot be misspellings of it. Characters. */
const charactersMax = 20

/**
 * True if a name is `private` except for case, separators or a prefix `x`: `xPrivate`, `X-PRIVATE`, `pri_vate`. Also true for `private`.
 */
export const meansPrivate = (name: string): boolean => /^x?private$/.test(plainOf(name))

/** Lowercase letters and digits only: without separators, signs and invisible characters. */
export const plainOf = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
