/** Places in the rows of an answer to a statement. */
import { parseJson } from '@ulmus/content'
import {
  areSwapped,
  axisNames,
  type Coordinates,
  findCoordinates,
  type NamedColumn,
  projectionFor,
} from '@ulmus/registry'
import type { SqlAnswer } from '@ulmus/wire'
import { isObject } from '../../data/records.ts'
import { own } from '../../page.ts'
import { isNumberType } from '../chart/axes.ts'
import { demandPlaces, type MapDot, type MapPlan, type NoMap, noCoordinates } from './plan.ts'

type Source = Pick<SqlAnswer, 'columns' | 'rows'>

/** A column of the answer, or a member of its objects. */
interface AnswerColumn extends NamedColumn {
  /** Place of the column in each row. */
  readonly at: number
}

/** Longer JSON has no single place. Characters. */
const jsonMax = 2_000
/** Members of objects that are read. */
const membersMax = 64

const kindOf = (type: string): Pick<NamedColumn, 'type' | 'items'> => {
  const [, item] = /^(\w+(?:\([\d,]+\))?)\[\d*\]$/.exec(type) ?? []
  if (item !== undefined && isNumberType(item)) return { type: 'list', items: 'number' }
  if (isNumberType(type)) return { type: 'number' }
  return { type: type === 'JSON' ? 'json' : 'text' }
}

const kindOfValue = (value: unknown): Pick<NamedColumn, 'type' | 'items'> => {
  if (typeof value === 'number') return { type: 'number' }
  const isNumbers = Array.isArray(value) && value.every((one) => typeof one === 'number')
  return isNumbers ? { type: 'list', items: 'number' } : { type: 'text' }
}

/** Objects have the members of the first one. */
function columnsOf({ columns, rows }: Source): AnswerColumn[] {
  return columns.flatMap(({ name, type }, at) => {
    const own = { names: [name], ...kindOf(type), at }
    if (type !== 'JSON' && !type.startsWith('STRUCT')) return [own]
    const sample = parsed(rows.find((row) => row[at] !== null)?.[at])
    const members = isObject(sample) ? Object.entries(sample).slice(0, membersMax) : []
    return [own, ...members.map(([member, value]) => ({ names: [name, member], ...kindOfValue(value), at }))]
  })
}

/** Coordinates of an answer, the likeliest first, by the text that an address has. */
export const coordinatesOfRows = (source: Source): ReadonlyMap<string, Coordinates<AnswerColumn>> =>
  new Map(
    findCoordinates(columnsOf(source)).map((found) => [
      found.columns.map(({ names }) => names.join('.')).join(','),
      found,
    ]),
  )

/** @param chosen text of the coordinates; undefined or unknown: the likeliest */
export function planRows(source: Source, chosen?: string): MapPlan | NoMap {
  const all = coordinatesOfRows(source)
  const coordinates = all.get(chosen ?? '') ?? all.values().next().value
  if (coordinates === undefined) return noCoordinates
  const { rows } = source
  const written = rows.map((row) => placeIn(row, coordinates))
  const found = written.flatMap((place, n) => (place === undefined ? [] : [{ place, n }]))
  const possible = (latitude: number, longitude: number) =>
    Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  const swapped = found.filter(({ place: [latitude, longitude] }) => possible(longitude, latitude))
  const usual = found.filter(({ place: [latitude, longitude] }) => possible(latitude, longitude))
  const beyond = swapped.filter(({ place: [latitude] }) => Math.abs(latitude) > 90)
  const isSwapped = areSwapped(usual.length, swapped.length, beyond.length)
  const titles = titlesOf(source)
  const dots = (isSwapped ? swapped : usual).map(({ place, n }): MapDot => {
    const [latitude, longitude] = isSwapped ? place.toReversed() : place
    return { latitude: latitude!, longitude: longitude!, title: titles(rows[n]!), href: undefined }
  })
  const areas = dots.map(({ latitude, longitude }) => ({
    west: longitude,
    east: longitude,
    south: latitude,
    north: latitude,
  }))
  return demandPlaces({
    drawn: dots.length,
    missing: rows.length - found.length,
    impossible: found.length - dots.length,
    isSwapped,
    projection: projectionFor(areas),
    dots,
    hexagons: [],
    size: 0,
    noun: 'row',
  })
}

type PlaceOfRow = readonly [latitude: number, longitude: number]

function placeIn(
  row: readonly unknown[],
  { kind, columns, isReversed }: Coordinates<AnswerColumn>,
): PlaceOfRow | undefined {
  // Both members of an object are in one cell.
  const cells = new Map<number, unknown>()
  for (const { at } of columns) if (!cells.has(at)) cells.set(at, parsed(row[at]))
  const [value, other] = columns.map(({ names: [, member], at }) => {
    const cell = cells.get(at)
    return member === undefined ? cell : isObject(cell) ? own(cell, member) : undefined
  })
  if (kind === 'pair') return pairOf(value, other)
  if (Array.isArray(value)) return isReversed ? pairOf(value[1], value[0]) : pairOf(value[0], value[1])
  if (!isObject(value)) return undefined
  const { type, coordinates } = value
  if (type === 'Point' && Array.isArray(coordinates)) return pairOf(coordinates[1], coordinates[0])
  const member = (names: readonly string[]) =>
    names.map((name) => own(value, name)).find((one) => one !== undefined && one !== null)
  return pairOf(member(axisNames.latitude), member(axisNames.longitude))
}

function pairOf(latitude: unknown, longitude: unknown): PlaceOfRow | undefined {
  const pair = [latitude, longitude].map((one) =>
    typeof one === 'number' || (typeof one === 'string' && one.trim() !== '') ? Number(one) : Number.NaN,
  )
  return pair.every((one) => !Number.isNaN(one)) ? (pair as unknown as PlaceOfRow) : undefined
}

/** JSON is text in an answer, and so are large numbers. */
function parsed(cell: unknown): unknown {
  if (typeof cell !== 'string' || !/^\s*[{[]/.test(cell)) return cell
  if (cell.length > jsonMax) return undefined
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

/** A row is named by its first texts. */
function titlesOf({ columns }: Source): (row: readonly unknown[]) => string {
  const texts = columns.flatMap(({ type }, at) => (type === 'VARCHAR' ? [at] : [])).slice(0, 2)
  return (row) =>
    texts
      .map((at) => row[at])
      .filter((text) => typeof text === 'string' && text !== '')
      .join(' · ')
}
