/** Converts values of a file to values of a record. */
import { isDateTime } from '@ulmus/content'
import { booleanOf, type Kind, kindOfText, kindOfValue, nestedOf } from '../inference/kinds.ts'
import { isAnother, isRounded, parseExactly } from '../reading/json-numbers.ts'
import { Numeral, Real } from '../reading/table.ts'

/** Marks a value of another kind than its column's. */
export const unfit = Symbol('unfit')

/** Maximum nesting of a value: a line of a push may have 65 levels (packages/content), and is itself the first. */
const depthMax = 63

/** Reads a present value. Undefined if it means a missing one, such as an empty text in a column of numbers. */
export type ReadValue = (value: unknown) => unknown

export const readerOf = (kind: Kind, isText: boolean): ReadValue =>
  isText
    ? (value) => (value === '' && kind !== 'string' ? undefined : textReaders[kind](value as string))
    : valueReaders[kind]

const jsonNumber = /^-?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function numberOf(text: string): unknown {
  const value = Number(text)
  if (!jsonNumber.test(text) || !Number.isFinite(value)) return unfit
  return isAnother(text) ? unfit : value
}

const ofKind = (kind: Kind) => (text: string) => (kindOfText(text) === kind ? text : unfit)

/** As the registry checks a time: tables write UTC, but records have other zones and leap seconds. */
const timeOf = (text: string): unknown => (isDateTime(text) ? text : unfit)

/** An integer beyond 2^53 as tables write it: all digits of a double. */
function wholeOf(text: string): unknown {
  if (!/^-?\d{16,19}$/.test(text)) return unfit
  const value = Number(text)
  return BigInt(value) === BigInt(text) ? value : unfit
}

const nestedAs = (kind: Kind) => (text: string) => {
  const value = nestedOf(text)
  return value !== undefined && kindOfValue(value) === kind ? plain(value) : unfit
}

const textReaders: Readonly<Record<Kind, (text: string) => unknown>> = {
  string: (text) => text,
  integer: (text) => {
    const value = numberOf(text)
    return Number.isInteger(value) && !isRounded(text) ? value : wholeOf(text)
  },
  number: numberOf,
  boolean: (text) => booleanOf(text) ?? unfit,
  date: ofKind('date'),
  'date-time': timeOf,
  array: nestedAs('array'),
  object: nestedAs('object'),
  any: (text) => {
    try {
      return plain(parseExactly(text))
    } catch {
      return text
    }
  },
}

const plainNumber = (value: unknown): unknown => (value instanceof Real ? value.value : value)

const valueAs = (kind: Kind) => (value: unknown) => (kindOfValue(value) === kind ? value : unfit)
const nestedValueAs = (kind: Kind) => (value: unknown) => (kindOfValue(value) === kind ? plain(value) : unfit)

const valueReaders: Readonly<Record<Kind, ReadValue>> = {
  string: (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Numeral) return value.text
    if (value instanceof Real) return String(value.value)
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : unfit
  },
  integer: (value) => {
    if (value instanceof Numeral) return wholeOf(value.text)
    return Number.isSafeInteger(plainNumber(value)) ? plainNumber(value) : unfit
  },
  number: (value) => (typeof plainNumber(value) === 'number' ? plainNumber(value) : unfit),
  boolean: valueAs('boolean'),
  date: valueAs('date'),
  'date-time': (value) => (typeof value === 'string' ? timeOf(value) : unfit),
  array: nestedValueAs('array'),
  object: nestedValueAs('object'),
  any: (value) => plain(value),
}

/** Replaces numerals by texts; returns the same value if there are none. */
function plain(value: unknown, depth = 1): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Numeral) return value.text
  if (value instanceof Real) return value.value
  if (depth > depthMax) return unfit
  let isSame = true
  const inner = (member: unknown) => {
    const one = plain(member, depth + 1)
    isSame &&= one === member
    return one
  }
  const copy = Array.isArray(value)
    ? value.map(inner)
    : Object.entries(value).map(([name, member]) => [name, inner(member)] as const)
  if (isSame) return value
  const members = Array.isArray(value) ? copy : (copy as [string, unknown][]).map(([, member]) => member)
  if (members.includes(unfit)) return unfit
  return Array.isArray(value) ? copy : Object.fromEntries(copy as [string, unknown][])
}
