/** Counts, sizes and durations as text for people, the same on pages and in the command line. */

const integers = new Intl.NumberFormat('en-US')

/** `1234567` → `1,234,567` */
export const countText = (count: number): string => integers.format(count)

/** `countText` with its noun: `1 record`, `2,000 records`. @param many default: the noun with an `s` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Size in decimal units with three digits: `999 B`, `1.23 kB`, `45.6 MB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  // Values that round to four digits use the next unit.
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`
}

/** `850 ms`, `2.4 s`, `75 s`, `3 min`: two digits below 10 s, whole seconds below 2 min. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1_000
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`
  return seconds < 119.5 ? `${Math.round(seconds)} s` : `${countText(Math.round(seconds / 60))} min`
}

/** Round numbers around a range, in equal steps of 1, 2 or 5 with a power of ten. @param parts as many steps as the range has, at most */
export function roundSteps(least: number, most: number, parts: number, stepLeast = 0): number[] {
  const rough = Math.max((most - least) / parts, stepLeast)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough)!
  const [from, to] = [Math.floor(least / step), Math.ceil(most / step)]
  return Array.from({ length: to - from + 1 }, (_, n) => Number(((from + n) * step).toPrecision(15)))
}

/** Bins of a histogram, at most. */
const binsMax = 20

/** Round bounds of bins for different finite numbers: each bin begins with its first bound and ends before the next. */
export function binEdges(low: number, high: number, areWhole: boolean): number[] {
  const edges = roundSteps(low, high, binsMax, areWhole ? 1 : 0)
  if (edges.length > 1 && edges.at(-1) === high)
    edges.push(Number((2 * high - edges.at(-2)!).toPrecision(15)))
  if (edges.length > 1 && edges.every((edge, n) => n === 0 || edge > edges[n - 1]!)) return edges
  // Numbers so close to each other that round ones are no longer different.
  return [...new Set(Array.from({ length: binsMax + 1 }, (_, n) => low + (n / binsMax) * (high - low)))]
}
