/** Texts of a chart: labels, numbers, and its description. */
import { areQuantities, cutText, numberText, roundedText, withoutUnseen } from '../../format.ts'
import type { ChartPlan } from './plan.ts'

/** Longer labels, and names of columns and series, are cut. Characters. */
const labelMax = 40
export const nameMax = 60

export const plain = (text: string, most: number): string => withoutUnseen(cutText(text, most))
/** Rows without a name have a dash. */
export const labelText = (label: string, most = labelMax): string => plain(label, most) || '–'
export const valueText = (value: number | null, isQuantity: boolean | undefined): string =>
  value === null ? 'null' : roundedText(value, isQuantity)

/** True if the values of a chart have separators. */
export const valuesAreQuantities = ({ isQuantity, y, series }: ChartPlan): boolean | undefined =>
  isQuantity ??
  areQuantities(
    y,
    series.flatMap(({ points }) => points.map((point) => point.y)),
  )

/** A number with four significant digits, as axes have it. */
const compact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, notation: 'compact' })
export const axisLabel = (value: number, isQuantity: boolean | undefined): string =>
  Math.abs(value) < 10_000 ? numberText(Number(value.toPrecision(4)), isQuantity) : compact.format(value)

/** The exact value, for a pointer that rests on it. */
export const titleOf = (
  name: string | undefined,
  label: string,
  y: number | null,
  isQuantity: boolean | undefined,
): string =>
  `${name === undefined ? '' : `${labelText(name)}, `}${labelText(label)}: ${y === null ? 'null' : numberText(y, isQuantity)}`

/** The end of an axis: a time as the engine wrote it, a number with four digits. */
export function placeText({ x, isTime, series }: ChartPlan, place: number): string {
  const points = series.flatMap((one) => one.points)
  if (isTime) return plain(points.find((point) => point.x === place)!.label, labelMax)
  return axisLabel(
    place,
    areQuantities(
      x,
      points.map((point) => point.x),
    ),
  )
}

const forms = { bars: 'Bars', lines: 'Line', points: 'Points', histogram: 'Histogram' } as const

/** Description for screen readers: the rows of the answer follow as a table. */
export function wordsOf(plan: ChartPlan): string {
  const { form, x, y, series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const all = series.flatMap(({ name, points }) => points.map((point) => ({ ...point, name })))
  // A pair of names without a row is not drawn.
  const points = all.filter(({ name, y: value }) => name === undefined || value !== null)
  const few = points.slice(0, 5).map(({ name, label, y: value }) => {
    const of = name === undefined ? '' : `${labelText(name)}, `
    return `${of}${labelText(label)} ${valueText(value, isQuantity)}`
  })
  const what = form === 'histogram' ? plain(x, nameMax) : `${plain(y, nameMax)} by ${plain(x, nameMax)}`
  return `${forms[form]} of ${what}: ${few.join('; ')}${few.length < points.length ? '; …' : ''}`
}
