/** Converts values of Parquet to values of JSON. */
import type { SchemaElement, SchemaTree } from 'hyparquet'
import { base64Of } from './base64.ts'
import { parseExactly } from './json-numbers.ts'
import { Numeral, realOf } from './table.ts'

/** Converts hyparquet's value of one column. Undefined: a missing value. */
export type ConvertValue = (value: unknown) => unknown

const microsecond = 1_000n
const day = 86_400_000_000_000n
const second = 1_000_000_000n

/**
 * `2024-05-17T12:00:00.123456`: as many fractional digits as the moment needs, up to nine. Years before 0 and after 9999 have a sign and
 * six digits, as in ISO 8601, and are not a valid date-time. Moments beyond JavaScript's calendar, such as infinity, become their count of
 * nanoseconds.
 */
function momentText(nanos: bigint): string | Numeral {
  const seconds = nanos / second - (nanos % second < 0n ? 1n : 0n)
  const at = new Date(Number(seconds) * 1000)
  if (Number.isNaN(at.getTime())) return new Numeral(String(nanos))
  const fraction = String(nanos - seconds * second)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return at.toISOString().slice(0, -5) + (fraction === '' ? '' : `.${fraction}`)
}

/** Parsers for hyparquet: moments and days become texts, because its own parsers would truncate microseconds. */
export const parsers = {
  timestampFromMilliseconds: (millis: bigint) => momentText(BigInt(millis) * 1_000_000n),
  timestampFromMicroseconds: (micros: bigint) => momentText(BigInt(micros) * microsecond),
  timestampFromNanoseconds: (nanos: bigint) => momentText(BigInt(nanos)),
  dateFromDays: (days: number) => {
    const moment = momentText(BigInt(days) * day)
    return typeof moment === 'string' ? moment.slice(0, -9) : moment
  },
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && parseExactly(new TextDecoder().decode(bytes)),
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
}

/** Keeps an absent value absent, whatever the column. */
const present =
  (convert: ConvertValue): ConvertValue =>
  (value) =>
    value === null || value === undefined ? undefined : convert(value)

/**
 * The conversion to JSON for a part of the schema. Annotations of decimals are removed: hyparquet then returns their digits
 * instead of the nearest double of a product.
 */
export function converterOf({ element, children }: SchemaTree): ConvertValue {
  if (children.length > 0) return present(nestedConverter(element, children))
  const { converted_type: kind, logical_type: logical } = element
  const one =
    logical?.type === 'DECIMAL' || kind === 'DECIMAL' ? decimalConverter(element) : scalarOf(element)
  const list = (value: unknown): unknown =>
    isList(value) ? Array.from(value, (item) => list(item) ?? null) : one(value)
  return present(element.repetition_type === 'REPEATED' ? list : one)
}

function nestedConverter(element: SchemaElement, children: readonly SchemaTree[]): ConvertValue {
  const [only] = children
  const kind = element.logical_type?.type ?? element.converted_type
  if (kind === 'LIST' && only !== undefined) {
    // Three levels, or two in old files; hyparquet's values have no names for the levels that it leaves out.
    const item = converterOf(
      only.children.length === 1 ? only.children[0]! : { ...only, element: onceOf(only.element) },
    )
    return (value) => (isList(value) ? Array.from(value, (one) => item(one) ?? null) : undefined)
  }
  if ((kind === 'MAP' || kind === 'MAP_KEY_VALUE') && only?.children.length === 2) {
    const held = converterOf(only.children[1]!)
    return (value) =>
      Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, held(one) ?? null]))
  }
  const members = new Map(children.map((child) => [child.element.name, converterOf(child)]))
  const struct = (value: unknown): unknown =>
    isList(value)
      ? Array.from(value, (one) => struct(one) ?? null)
      : Object.fromEntries(
          Object.entries(value as object).flatMap(([name, one]) => {
            const made = members.get(name)?.(one)
            return made === undefined ? [] : [[name, made]]
          }),
        )
  return struct
}

const onceOf = (element: SchemaElement): SchemaElement => ({ ...element, repetition_type: 'OPTIONAL' })

const isList = (value: unknown): value is ArrayLike<unknown> & Iterable<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))

/** Number of decimal digits that a double preserves. */
const exactDigits = 15

function decimalConverter({ scale = 0, logical_type: logical }: SchemaElement): ConvertValue {
  const places = logical?.type === 'DECIMAL' ? logical.scale : scale
  return (value) => {
    const whole = value instanceof Uint8Array ? signedOf(value) : BigInt(value as number | bigint)
    const digits = String(whole < 0n ? -whole : whole).padStart(places + 1, '0')
    const at = digits.length - places
    const text = `${whole < 0n ? '-' : ''}${digits.slice(0, at)}${places > 0 ? `.${digits.slice(at)}` : ''}`
    return digits.replace(/^0+/, '').length > exactDigits
      ? new Numeral(text)
      : places > 0
        ? realOf(Number(text))
        : Number(text)
  }
}

function signedOf(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}

function scalarOf({ logical_type: logical, converted_type: kind, type }: SchemaElement): ConvertValue {
  // A moment without a known time zone stays a text: `Z` would claim more than the file does.
  const isMoment = logical?.type === 'TIMESTAMP' || (kind?.startsWith('TIMESTAMP') ?? false)
  const isUtc = logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true
  if (isMoment) return (value) => (typeof value === 'string' && isUtc ? `${value}Z` : value)
  if (type === 'INT96') return (value) => value
  const unit =
    logical?.type === 'TIME'
      ? logical.unit
      : kind === 'TIME_MILLIS'
        ? 'MILLIS'
        : kind === 'TIME_MICROS'
          ? 'MICROS'
          : undefined
  if (unit !== undefined) {
    const nanos = unit === 'MILLIS' ? 1_000_000n : unit === 'MICROS' ? microsecond : 1n
    return (value) => String(momentText(BigInt(value as number) * nanos)).slice(11)
  }
  if (type === 'FLOAT') return floatOf
  return type === 'DOUBLE' || logical?.type === 'FLOAT16' ? doubleOf : plainOf
}

const doubleOf: ConvertValue = (value) => {
  const one = plainOf(value)
  return typeof one === 'number' ? realOf(one) : one
}

/** Digits that every 32-bit float preserves, and digits that distinguish any two. */
const [floatDigitsMin, floatDigitsMax] = [6, 9]

/** The shortest number with the same 32-bit float: 1.1, not 1.100000023841858. */
function floatOf(value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return plainOf(value)
  for (let digits = floatDigitsMin; digits < floatDigitsMax; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return realOf(short)
  }
  return realOf(Number(value.toPrecision(floatDigitsMax)))
}

/** Converts values without further annotations. NaN and infinities are not numbers in JSON. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : new Numeral(String(value))
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return undefined
    return Number.isFinite(value) ? value : new Numeral(String(value))
  }
  return value instanceof Uint8Array ? base64Of(value) : value
}

/** True if these are bytes without further annotations in the schema. */
export const isPlainBytes = ({
  type,
  converted_type: kind,
  logical_type: logical,
  repetition_type: repetition,
}: SchemaElement): boolean =>
  type === 'BYTE_ARRAY' && kind === undefined && logical === undefined && repetition !== 'REPEATED'

export const textOfBytes: ConvertValue = (value) =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined

/** Removes the annotations of decimals, so that hyparquet does not convert their digits. */
export function withoutDecimals(element: SchemaElement): SchemaElement {
  const { converted_type: kind, logical_type: logical, ...rest } = element
  if (kind !== 'DECIMAL' && logical?.type !== 'DECIMAL') return element
  return rest
}
