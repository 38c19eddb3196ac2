/** Misspellings of `private`, which hide nothing. */
import { distance } from 'fastest-levenshtein'

/** `Private`, `x-private`, `isPrivate`, `priavte`: at most two letters differ, ignoring case and hyphens. False for `private` itself. */
export const isLikePrivate = (name: string): boolean =>
  name !== 'private' && name.length <= charactersMax && distance(plainOf(name), 'private') <= 2

/** Longer names cannot be misspellings of it. Characters. */
const charactersMax = 20

/** Whether a name is `private` but for its case, separators or a prefix `x`: `xPrivate`, `X-PRIVATE`, `pri_vate`. Also true for `private`. */
export const meansPrivate = (name: string): boolean => /^x?private$/.test(plainOf(name))

/** Letters and digits alone, in lower case: without separators, signs and characters that cannot be seen. */
export const plainOf = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
