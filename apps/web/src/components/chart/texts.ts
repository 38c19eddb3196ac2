/** Texts of a chart: labels, numbers, and its description. */
import { roundSteps } from '@ulmus/content/quantities'
import { areQuantities, cutText, numberText, roundedText, withoutUnseen } from '../../format.ts'
import type { ChartPlan } from './plan.ts'

/** Longer labels, and names of columns and series, are cut. Characters. */
const labelMax = 40
export const nameMax = 60
/** Steps of an axis, at most, and the shortest time that is divided into years. */
const axisParts = 5
const yearsLeast = 4

export const plain = (text: string, most: number): string => withoutUnseen(cutText(text, most))
/** The beginning of a caption. */
export const capitalized = (text: string): string => {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length)
}
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

/** About the width of a text in a chart. Pixels. */
export const widthOf = (text: string): number =>
  [...text].reduce((width, character) => width + (character > '\u2e7f' ? 14 : 8), 0)

export interface AxisPlace {
  readonly place: number
  readonly text: string
}

/** Places along an axis with words: round numbers and years; of shorter times, the first and the last as the engine wrote them. */
export function placesOf({ x, isTime, series }: ChartPlan, first: number, last: number): AxisPlace[] {
  const points = series.flatMap((one) => one.points)
  const within = (places: readonly AxisPlace[]) =>
    places.filter(({ place }) => place >= first && place <= last)
  if (isTime) {
    const [from, to] = [first, last].map((time) => new Date(time).getUTCFullYear()) as [number, number]
    const years = to - from < yearsLeast ? [] : roundSteps(from, to, axisParts, 1)
    const round = within(years.map((year) => ({ place: Date.UTC(year), text: String(year) })))
    if (round.length > 1 && from > 99) return round
    const ends = first === last ? [first] : [first, last]
    return ends.map((place) => ({
      place,
      text: plain(points.find((point) => point.x === place)!.label, labelMax),
    }))
  }
  const isQuantity = areQuantities(
    x,
    points.map((point) => point.x),
  )
  const areWhole = points.every((point) => Number.isInteger(point.x))
  const round = first === last ? [] : roundSteps(first, last, axisParts, areWhole ? 1 : 0)
  const found = within(round.map((place) => ({ place, text: axisLabel(place, isQuantity) })))
  const areDifferent = new Set(found.map(({ text }) => text)).size > 1
  const ends = first === last ? [first] : [first, last]
  return areDifferent ? found : ends.map((place) => ({ place, text: axisLabel(place, isQuantity) }))
}

const forms = { bars: 'Bars', lines: 'Line', points: 'Points', histogram: 'Histogram' } as const

/** Description for screen readers: the rows of the answer follow as a table. */
export function wordsOf(plan: ChartPlan): string {
  const { form, x, y, by, series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const all = series.flatMap(({ name, points }) => points.map((point) => ({ ...point, name })))
  // A pair of names without a row is not drawn.
  const points = all.filter(({ name, y: value }) => name === undefined || value !== null)
  const few = points.slice(0, 5).map(({ name, label, y: value }) => {
    const of = name === undefined ? '' : `${labelText(name)}, `
    return `${of}${labelText(label)} ${valueText(value, isQuantity)}`
  })
  const what =
    form === 'histogram'
      ? plain(x, nameMax)
      : [
          `${plain(y, nameMax)} by ${plain(x, nameMax)}`,
          ...(by === undefined ? [] : [plain(by, nameMax)]),
        ].join(' and ')
  return `${forms[form]} of ${what}: ${few.join('; ')}${few.length < points.length ? '; …' : ''}`
}
