/** Guard against a source that lost its rows: limits the records of a type that a push may remove. */
import { UlmusError } from './errors.ts'

/** A count of records, or a share of a type's records: `100`, `'5%'`. */
export type MaxRemoved = number | `${number}%`

/** Half of a type. Removing more is either deliberate or a fault of the source, so the caller must confirm it. */
export const maxRemovedUsual: MaxRemoved = '50%'

/** Number of `count` records that may be removed. @throws TypeError unless `max` is a count, or a share of at most 100 % */
export function allowedRemovals(max: MaxRemoved, count: number): number {
  const [, digits = '', percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(String(max)) ?? []
  const value = Number(digits)
  if (digits === '' || (percent === '%' ? value > 100 : !Number.isInteger(value)))
    throw new TypeError(
      `maxRemoved is ${JSON.stringify(max)}: give a count of records, such as 100, or a share, such as '5%'.`,
    )
  return percent === '%' ? Math.floor((count * value) / 100) : value
}

/** Number of a type's records that a push removes, and their number before. */
export interface Removal {
  readonly type: string
  readonly removed: number
  readonly count: number
}

const numbers = new Intl.NumberFormat('en')

/** `20,099 of 20,100 records of Item (99.9 %), and at most 10,050 may go (50%)` */
export const removalText = ({ type, removed, count }: Removal, max: MaxRemoved): string => {
  // Never show "100 %" for fewer than all.
  const share = Math.floor((removed / count) * 1_000) / 10
  const bound = typeof max === 'string' ? ` (${max})` : ''
  return `${numbers.format(removed)} of ${numbers.format(count)} records of ${type} (${share} %), and at most ${numbers.format(allowedRemovals(max, count))} may go${bound}`
}

/** @throws UlmusError `too_many_removed` */
export function demandFewRemovals(removals: readonly Removal[], max: MaxRemoved): void {
  const excess = removals.find(({ removed, count }) => removed > allowedRemovals(max, count))
  if (excess === undefined) return
  throw new UlmusError(
    `This would remove ${removalText(excess, max)}. Nothing was published. If it is meant, give a higher maxRemoved, such as '100%'.`,
    { status: 0, code: 'too_many_removed' },
  )
}
