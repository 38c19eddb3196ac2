/** Words that are meant for `private`, and hide nothing. */
import { distance } from 'fastest-levenshtein'

/** `Private`, `x-private`, `isPrivate`, `priavte`: two letters apart at most, whatever the capitals and hyphens. `private` itself is none. */
export const isLikePrivate = (name: string): boolean =>
  name !== 'private' && name.length <= charactersMax && distance(plainOf(name), 'private') <= 2

/** Longer names are none of them. Characters. */
const charactersMax = 20

/** Without capitals, hyphens and the like. */
export const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[-_$@\s]/g, '')
