/** Number of runs of a measurement: at least 5, 3 if one takes many seconds, 1 if it takes minutes. Results are medians. */
export function runsOf(size: number): number {
  if (size > 1_000_000) return 1
  return size === 1_000_000 ? 3 : 5
}

/** Number of runs for measurements of milliseconds. */
export const manyRuns = 60
export const fewWarmUps = 15
