/** Detects whether the first row of a table is a header, and makes column names. */
import { kindOfText } from '../inference/kinds.ts'
import type { Choice, Note } from './options.ts'
import { columnsMax } from './table.ts'
import { errorAt, shown, type Unit } from './table-error.ts'

type Cell = string | undefined

const choices: readonly [asData: Choice, asHeader: Choice] = [
  { label: 'Read the first row as data', options: { header: false } },
  { label: 'The first row names the columns', options: { header: true } },
]

/** @param rows the first rows, including the possible header */
export function detectHeader(rows: readonly (readonly Cell[])[]): { header: boolean; notes: Note[] } {
  const [first, ...others] = rows
  if (first === undefined || !looksLikeData(first, others)) return { header: true, notes: [] }
  const sentence = `The first row may be data: ${shown(first.map((value) => value ?? '').join(', '))}.`
  return { header: false, notes: [{ option: 'header', sentence, isUncertain: true, choices }] }
}

/** Names that do not occur as data. */
const usualName = /^_*(?:id|name|key|code|date|year|type|value|title)$/i

const isTyped = (value: Cell): boolean => {
  const text = value?.trim() ?? ''
  return text !== '' && !['string', 'array', 'object'].includes(kindOfText(text))
}

const isWhole = (value: Cell): boolean => /^-?\d+$/.test(value?.trim() ?? '')

/** True if the first row has numbers or dates above more of them, and no usual name. */
function looksLikeData(first: readonly Cell[], others: readonly (readonly Cell[])[]): boolean {
  const typed = first.flatMap((value, place) => (isTyped(value) ? [place] : []))
  if (typed.length === 0 || first.some((value) => usualName.test(value?.trim() ?? ''))) return false
  if (isSeries(typed.map((place) => first[place]))) return false
  const isTypedBelow = (place: number) => {
    const below = others.map((row) => row[place]).filter((value) => value !== undefined && value !== '')
    return below.filter(isTyped).length > below.length * 0.8
  }
  const isNameAbove = (place: number) =>
    !typed.includes(place) &&
    (first[place] ?? '') !== '' &&
    others.some((row) => isTyped(row[place])) &&
    isTypedBelow(place)
  return typed.some(isTypedBelow) && !first.some((_, place) => isNameAbove(place))
}

/** True if these are consecutive years or column numbers: each is one more than the previous. */
const isSeries = (values: readonly Cell[]): boolean =>
  values.length > 1 &&
  values.every(isWhole) &&
  values.every((value, place) => place === 0 || Number(value) === Number(values[place - 1]) + 1)

/**
 * Makes names for columns. An unnamed column is named by its position, for example an index without a name.
 * @throws TableError for too many columns, and for two of the same name
 */
export function columnNames(
  file: string,
  { line, values }: { readonly line: number; readonly values: readonly Cell[] },
  sameNames: 'refuse' | 'number' = 'refuse',
  unit: Unit = 'line',
): string[] {
  checkCount(file, values.length, line, unit)
  const names = values.map((value) => value?.trim() ?? '')
  const places = new Map<string, number[]>()
  for (const [place, name] of names.entries())
    if (name !== '') places.set(name, [...(places.get(name) ?? []), place])
  const twice = [...places].filter(([, all]) => all.length > 1)
  if (twice.length > 0 && sameNames === 'refuse') refuse(file, line, twice, unit)
  const taken = new Set(places.keys())
  return names.map((name, place) => {
    if (name === '') return freeName(`column_${place + 1}`, taken)
    const nth = places.get(name)!.indexOf(place)
    return nth === 0 ? name : freeName(`${name}_${nth + 1}`, taken)
  })
}

/** Names for a table without a header. @throws TableError for too many columns */
export function numberedNames(file: string, count: number): string[] {
  checkCount(file, count, 1, 'line')
  return Array.from({ length: count }, (_, place) => `column_${place + 1}`)
}

function checkCount(file: string, count: number, line: number, unit: Unit): void {
  if (count > columnsMax)
    throw errorAt(file, `There are ${count} columns; at most ${columnsMax} can be read.`, { line }, unit)
}

function refuse(file: string, line: number, twice: readonly [string, number[]][], unit: Unit): never {
  const said = twice.slice(0, 5).map(([name, places]) => {
    const numbers = places.map((place) => place + 1)
    return `Columns ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} are ${numbers.length === 2 ? 'both' : 'all'} called ${shown(name)}.`
  })
  const [[name, places]] = twice as [[string, number[]]]
  const example = places.slice(1).map((_, at) => shown(`${name}_${at + 2}`))
  const sentence = `${said.join(' ')} Rename them in the file, or number them: ${[shown(name), ...example].join(', ')}.`
  const choice = { label: 'Number columns of one name', options: { sameNames: 'number' } } as const
  throw errorAt(file, sentence, { line, column: name }, unit, [choice])
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  while (taken.has(name)) name += '_'
  taken.add(name)
  return name
}
