/** Formats numbers and names in sentences. */

const numbers = new Intl.NumberFormat('en')
const plurals: Readonly<Record<string, string>> = { entry: 'entries' }

/** `1 record`, `2,000 records`. */
export const counted = (count: number, noun: string): string =>
  `${numbers.format(count)} ${count === 1 ? noun : (plurals[noun] ?? `${noun}s`)}`

export const numberText = (count: number): string => numbers.format(count)

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Size in powers of 1,000 with three digits. */
export function sizeText(bytes: number): string {
  let unit = 0
  let value = bytes
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000
  return unit === 0 ? counted(bytes, 'byte') : `${value.toPrecision(3)} ${units[unit]}`
}
