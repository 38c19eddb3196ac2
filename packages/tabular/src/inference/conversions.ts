/**
 * Converts numbers, dates and booleans from human notations to those of records. Conversions are offered, and applied only if the plan says
 * so.
 */
import { type CellKind, type Kind, kindOfAll, kindOfText } from './kinds.ts'

export const conversions = [
  'thousands',
  'decimal-comma',
  'point-thousands',
  'percent',
  'currency',
  'currency-comma',
  'yes-no',
  'day-month-year',
  'month-day-year',
  'year-month-day',
  'utc',
] as const
export type Conversion = (typeof conversions)[number]

export interface OfferedConversion {
  readonly conversion: Conversion
  /** Kind of the column afterwards. */
  readonly kind: Kind
  /** Number of values that it would change. */
  readonly count: number
  /** The first of them, with its line and its converted form. */
  readonly line: number
  readonly value: string
  readonly becomes: string
  /** The currency, which is the same in all values. */
  readonly unit: string | undefined
}

const padded = (digits: string) => digits.padStart(2, '0')
const isoDay = (year: string, month: string, day: string) => `${year}-${padded(month)}-${padded(day)}`

/** Commas, spaces or apostrophes between groups of three digits; the same separator throughout a number. */
const grouped = /^([-+]?)([1-9]\d{0,2}(?:([, \u00a0\u202f'’])\d{3})(?:\3\d{3})*)(\.\d+)?$/
const groupedComma = /^([-+]?)([1-9]\d{0,2}(?:([. \u00a0\u202f'’])\d{3})(?:\3\d{3})*|\d+)(?:,(\d+))?$/
const groupedPoints = /^([-+]?)([1-9]\d{0,2}(?:\.\d{3})+)$/
/** Signs such as `€` and `US$`, words, and codes of three letters. */
const currency = String.raw`[A-Z]{0,3}\p{Sc}|[A-Z]{3}|kr\.?|zł|Kč|Ft|Fr\.|Rs\.?|lei|руб\.?`
const currencyBefore = new RegExp(`^([-+]?)(${currency})[ \u00a0\u202f]?([-+]?\\d.*)$`, 'u')
const currencyAfter = new RegExp(`^([-+]?\\d.*?)[ \u00a0\u202f]?(${currency})$`, 'u')
/** Commas, spaces or apostrophes between groups, or none. */
const amount = /^[-+]?\d+(?:\.\d+)?$/
const percent = /^[-+]?\d+(?:[.,]\d+)?(?=[ \u00a0\u202f]?%$)/
const dayFirst = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const monthFirst = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/
const yearFirst = /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})$/
const moment = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?[ ]?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/

let currencyCodes: ReadonlySet<string> | undefined

/** The number as written, and its currency, if it has one. `ABC 12` has none. */
function currencyOf(text: string): { readonly number: string; readonly unit: string | undefined } {
  const [, sign = '', before, number] = currencyBefore.exec(text) ?? []
  const [, whole, after] = before === undefined ? (currencyAfter.exec(text) ?? []) : []
  const unit = before ?? after
  if (unit === undefined) return { number: text, unit }
  currencyCodes ??= new Set(Intl.supportedValuesOf('currency'))
  if (/^[A-Z]{3}$/.test(unit) && !currencyCodes.has(unit)) return { number: text, unit: undefined }
  return { number: before === undefined ? whole! : sign + number, unit }
}

/** Words for true and false, in lower case. A hemisphere is no answer: no `s` alone. */
const yes = new Set('yes,y,ja,j,oui,o,sí,si,sim,tak,да,ano,kyllä,igen,evet,はい,是'.split(','))
const no = new Set('no,n,nein,non,nee,nej,nei,não,nao,nie,нет,ne,ei,nem,hayır,いいえ,否'.split(','))

interface Rule {
  /** Kinds that the rewritten text may have. */
  readonly gives: readonly CellKind[]
  /** Kinds of texts that remain unchanged. */
  readonly keeps: readonly CellKind[]
  /** Returns undefined if the text is in another notation. */
  rewrite(text: string): string | undefined
  /** Offer it only if a value has this: another notation explains values without. */
  readonly evidence?: RegExp
}

const plainSign = (sign: string | undefined) => (sign === '-' ? '-' : '')
const numbers: readonly CellKind[] = ['integer', 'number']

const rules: Readonly<Record<Conversion, Rule>> = {
  thousands: {
    gives: numbers,
    keeps: numbers,
    rewrite(text) {
      const [, sign, whole, , fraction = ''] = grouped.exec(text) ?? []
      return whole === undefined ? undefined : plainSign(sign) + whole.replace(/\D/g, '') + fraction
    },
  },
  'decimal-comma': {
    gives: numbers,
    keeps: ['integer'],
    rewrite(text) {
      const [, sign, whole, , fraction] = groupedComma.exec(text) ?? []
      if (whole === undefined) return undefined
      return plainSign(sign) + whole.replace(/\D/g, '') + (fraction === undefined ? '' : `.${fraction}`)
    },
    evidence: /,/,
  },
  'point-thousands': {
    gives: ['integer'],
    keeps: ['integer'],
    rewrite(text) {
      const [, sign, whole] = groupedPoints.exec(text) ?? []
      return whole === undefined ? undefined : plainSign(sign) + whole.replaceAll('.', '')
    },
  },
  percent: {
    gives: numbers,
    keeps: [],
    rewrite: (text) => percent.exec(text)?.[0].replace(',', '.').replace('+', ''),
  },
  currency: {
    gives: numbers,
    keeps: numbers,
    rewrite(text) {
      const { number } = currencyOf(text)
      return amount.test(number) ? number.replace('+', '') : rules.thousands.rewrite(number)
    },
  },
  'currency-comma': {
    gives: numbers,
    keeps: ['integer'],
    rewrite: (text) => rules['decimal-comma'].rewrite(currencyOf(text).number),
    evidence: /[.,]/,
  },
  'yes-no': {
    gives: ['boolean'],
    keeps: ['boolean'],
    rewrite(text) {
      const word = text.toLowerCase()
      return yes.has(word) ? 'true' : no.has(word) ? 'false' : undefined
    },
  },
  'day-month-year': {
    gives: ['date'],
    keeps: ['date'],
    rewrite(text) {
      const [, day, , month, year] = dayFirst.exec(text) ?? []
      return year === undefined ? undefined : isoDay(year, month!, day!)
    },
  },
  'month-day-year': {
    gives: ['date'],
    keeps: ['date'],
    rewrite(text) {
      const [, month, , day, year] = monthFirst.exec(text) ?? []
      return year === undefined ? undefined : isoDay(year, month!, day!)
    },
  },
  'year-month-day': {
    gives: ['date'],
    keeps: ['date'],
    rewrite(text) {
      const [, year, , month, day] = yearFirst.exec(text) ?? []
      return year === undefined ? undefined : isoDay(year, month!, day!)
    },
  },
  utc: {
    gives: ['date-time'],
    keeps: ['date-time'],
    rewrite(text) {
      const [, day, time, seconds = ':00', zone = 'Z'] = moment.exec(text) ?? []
      return day === undefined ? undefined : `${day}T${time}${seconds.replace(',', '.')}${zoneOf(zone)}`
    },
  },
}

/** Converts `+02` and `+0200` to `+02:00`. */
function zoneOf(zone: string): string {
  if (zone === 'Z' || zone === 'UTC') return 'Z'
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
}

/** Converts a text and determines its kind. Undefined if it is in another notation, or not a valid number, day or moment. */
export function converted(conversion: Conversion, text: string): ConvertedText | undefined {
  const { gives, keeps, rewrite } = rules[conversion]
  const trimmed = text.trim()
  const rewritten = rewrite(trimmed)
  if (rewritten !== undefined) {
    const kind = kindOfText(rewritten)
    const unit = hasCurrency(conversion) ? currencyOf(trimmed).unit : undefined
    if (gives.includes(kind)) return { text: rewritten, kind, unit }
  }
  const kind = kindOfText(trimmed)
  return keeps.includes(kind) ? { text: trimmed, kind, unit: undefined } : undefined
}

export interface ConvertedText {
  readonly text: string
  readonly kind: CellKind
  /** The currency. Values of several are not numbers of one column. */
  readonly unit: string | undefined
}

const hasCurrency = (conversion: Conversion): boolean =>
  conversion === 'currency' || conversion === 'currency-comma'

/** Kinds that a column may have after the conversion. */
export const kindsAfter = (conversion: Conversion): readonly Kind[] => rules[conversion].gives as Kind[]

interface Candidate {
  readonly conversion: Conversion
  readonly kinds: Set<CellKind>
  count: number
  unit: string | undefined
  isEvident: boolean
  first: { line: number; value: string; becomes: string } | undefined
}

/** Finds the conversions that apply to every text of a column. */
export class ConversionWatch {
  #left: Candidate[] = conversions.map((conversion) => ({
    conversion,
    kinds: new Set(),
    count: 0,
    unit: undefined,
    isEvident: rules[conversion].evidence === undefined,
    first: undefined,
  }))

  /** @param kind of the unconverted text */
  see(text: string, kind: CellKind, line: number): void {
    if (this.#left.length === 0) return
    this.#left = this.#left.filter((candidate) => {
      // Shortcut: in most columns of numbers there is nothing to convert.
      if (kind === 'integer' || (kind === 'number' && candidate.conversion === 'thousands')) {
        candidate.kinds.add(kind)
        return rules[candidate.conversion].keeps.includes(kind)
      }
      const made = converted(candidate.conversion, text)
      if (made === undefined) return false
      candidate.unit ??= made.unit
      if (made.unit !== undefined && made.unit !== candidate.unit) return false
      candidate.kinds.add(made.kind)
      if (made.text !== text) {
        candidate.count++
        candidate.isEvident ||= rules[candidate.conversion].evidence!.test(text)
        candidate.first ??= { line, value: text, becomes: made.text }
      }
      return true
    })
  }

  /** Handles a value other than a text: no conversion changes it. */
  seeValue(kind: CellKind): void {
    this.#left = this.#left.filter(({ conversion, kinds }) => {
      kinds.add(kind)
      return rules[conversion].keeps.includes(kind) || rules[conversion].gives.includes(kind)
    })
  }

  /** The conversions that every value admits, and that change at least one. */
  admitted(): Conversion[] {
    return this.#left
      .filter(
        ({ conversion, first, unit }) =>
          first !== undefined && (unit !== undefined || !hasCurrency(conversion)),
      )
      .map(({ conversion }) => conversion)
  }

  /** Those of them that explain the values best. */
  offered(copy: (text: string) => string): OfferedConversion[] {
    const admitted = this.admitted()
    return this.#left.flatMap(({ conversion, kinds, count, first, unit, isEvident }) =>
      first === undefined || !isEvident || !admitted.includes(conversion)
        ? []
        : [
            {
              conversion,
              kind: kindOfAll(kinds, true),
              count,
              line: first.line,
              value: copy(first.value),
              becomes: copy(first.becomes),
              unit: unit && copy(unit),
            },
          ],
    )
  }
}
