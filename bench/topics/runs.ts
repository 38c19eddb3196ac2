/** How often things are measured: medians of at least 5, of 3 where one takes many seconds, once where it takes minutes. */
export function runsOf(size: number): number {
  if (size > 1_000_000) return 1
  return size === 1_000_000 ? 3 : 5
}

/** Of what takes milliseconds. */
export const manyRuns = 60
export const fewWarmUps = 15
