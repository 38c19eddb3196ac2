/** Repeatable random numbers: the same seed and turn give the same choices. */
import fc from 'fast-check'

export interface Random {
  /** An integer from 0 to `below` − 1. */
  below(below: number): number
  /** True with the probability `share`, 0 to 1. */
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
  /** One value of a fast-check arbitrary. */
  of<T>(arbitrary: fc.Arbitrary<T>): T
}

/** @param turn index of the request, so that its choices do not depend on those of earlier requests */
export function randomOf(seed: number, turn: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(turn + 1, 0x85ebca6b)) >>> 0
  /** mulberry32 */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (most: number): number => Math.floor((next() / 2 ** 32) * most)
  return {
    below,
    chance: (share) => next() < share * 2 ** 32,
    pick: (from) => from[below(from.length)]!,
    of: (arbitrary) => fc.sample(arbitrary, { numRuns: 1, seed: next() | 0 })[0]!,
  }
}
