/** Finds rows that may be no records: units below the header, and totals, sources and notes at the end. */

import { kindOfText, kindOfValue } from '../inference/kinds.ts'
import { isMark } from '../inference/marks.ts'
import type { Note, ReadOptions } from './options.ts'
import type { Row, Table } from './table.ts'
import { shown, textOf, type Unit } from './table-error.ts'

/** Rows at the end that are looked at. */
const endMax = 10

const total =
  /^(?:(?:grand|sub)[ -]?)?(?:totals?|totale|sum|gesamt|insgesamt|summe|ensemble|somme|suma|somma|razem|totaal|totalt|yhteensä|итого|всего|合計|合计|总计|計|합계)(?!\p{L})/iu
const source =
  /^(?:sources?|quellen?|fuente|fonte|bron|kilde|källa|źródło|zdroj|lähde|источник|資料|出典|来源|出处|notes?|remarks?|hinweis|anmerkung|stand|last updated|updated|downloaded|generated|copyright|license)(?!\p{L})|^[©*†¹]/iu

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && textOf(value).trim() !== ''
const isTyped = (value: unknown, isText: boolean): boolean =>
  !['string', 'array', 'object', 'numeral'].includes(isText ? kindOfText(textOf(value)) : kindOfValue(value))

/** The first row, if it alone has texts above numbers or times, and no number itself. @param rows the first ones */
export function unitsRow(rows: readonly Row[], isText: boolean): Row | undefined {
  const [first, ...others] = rows
  if (first === undefined || others.length < 2) return undefined
  if (first.values.some((value) => isFilled(value) && isTyped(value, isText))) return undefined
  const isUnit = (value: unknown, place: number) => {
    if (!isFilled(value) || isMark(textOf(value))) return false
    const below = others.map(({ values }) => values[place]).filter(isFilled)
    return below.length > 1 && below.every((one) => isTyped(one, isText))
  }
  return first.values.some(isUnit) ? first : undefined
}

/** Totals and sources among the last rows. */
function footerOf(last: readonly Row[], isText: boolean): Row[] {
  const filled = ({ values }: Row) => values.filter(isFilled)
  const width = Math.max(0, ...last.map((row) => filled(row).length))
  const isOdd = (row: Row): boolean => {
    const [first, ...more] = filled(row)
    if (typeof first !== 'string' || width < 2) return false
    const isNote = more.length === 0 && (source.test(first) || first.trim().split(/\s+/).length > 2)
    return (
      isNote ||
      (total.test(first) && more.some((value) => isTyped(value, isText) || /\d/.test(textOf(value))))
    )
  }
  const regular = last.findLastIndex((row) => !isOdd(row))
  // A table of totals alone is one of records.
  return regular < 0 ? [] : last.slice(regular + 1)
}

/** Watches the rows of one reading for those that may be no records. */
export class OddRows {
  readonly #isText: boolean
  #first: readonly Row[] | undefined
  last: readonly Row[] = []

  constructor(isText: boolean) {
    this.#isText = isText
  }

  see(rows: readonly Row[]): void {
    this.#first ??= rows
    this.last = [...this.last, ...rows.slice(-endMax)].slice(-endMax)
  }

  get units(): Row | undefined {
    return unitsRow(this.#first ?? [], this.#isText)
  }

  get footer(): readonly Row[] {
    return footerOf(this.last, this.#isText)
  }
}

/** The table without these rows, as far as the options say so. */
export function withoutOddRows(table: Table, { skipUnits, skipFooter }: ReadOptions): Table {
  if (skipUnits !== true && skipFooter !== true) return table
  let passed: { units: Row | undefined; footer: readonly Row[] } = { units: undefined, footer: [] }
  return {
    ...table,
    passedOver: () => passed,
    async *batches() {
      passed = { units: undefined, footer: [] }
      let held: Row[] = []
      let isFirst = true
      for await (const rows of table.batches()) {
        if (isFirst && skipUnits === true) passed.units = unitsRow(rows, table.isText)
        isFirst = false
        held.push(...rows.filter((row) => row !== passed.units))
        const ready = skipFooter === true ? held.splice(0, held.length - endMax) : held.splice(0)
        if (ready.length > 0) yield ready
      }
      if (skipFooter === true) passed.footer = footerOf(held, table.isText)
      held = held.slice(0, held.length - passed.footer.length)
      if (held.length > 0) yield held
    },
  }
}

const lineText = (rows: readonly Row[], unit: Unit): string =>
  `${unit === 'line' ? 'Line' : unit === 'item' ? 'Item' : 'Row'}${rows.length === 1 ? '' : 's'} ${rows.map(({ line }) => line).join(', ')}`

const cellsText = (rows: readonly Row[]): string =>
  rows.map(({ values }) => shown(values.filter(isFilled).map(textOf).join(', '))).join('; ')

/** Findings about these rows: passed over, or read as records. */
export function oddRowNotes(
  { unit }: Table,
  { units, footer }: Pick<OddRows, 'units' | 'footer'>,
  isPassed: boolean,
): Note[] {
  const note = (
    rows: readonly Row[],
    option: 'skipUnits' | 'skipFooter',
    what: string,
    out: string,
  ): Note => {
    const choices = [
      { label: 'Read it as a record', options: { [option]: false } },
      { label: out, options: { [option]: true } },
    ]
    const words = isPassed ? `left out as ${what}` : `perhaps ${what}, and no record`
    return {
      option,
      sentence: `${lineText(rows, unit)} ${rows.length === 1 ? 'is' : 'are'} ${words}: ${cellsText(rows)}.`,
      isUncertain: false,
      choices: isPassed ? choices.reverse() : choices,
    }
  }
  return [
    ...(units === undefined
      ? []
      : [note([units], 'skipUnits', 'units of the columns', 'Leave out the units')]),
    ...(footer.length === 0
      ? []
      : [note(footer, 'skipFooter', 'a total or a source', 'Leave out totals and sources')]),
  ]
}
