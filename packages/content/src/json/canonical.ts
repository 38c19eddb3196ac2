/**
 * RFC 8785, the JSON Canonicalization Scheme: the canonical text of a value, which is hashed (content-model §1).
 *
 * Sorting names into a new object and calling `JSON.stringify` is not enough: integer-like names enumerate first. The text is
 * therefore written member by member. Records of one type have a few shapes, so the sorted order of an object's
 * names is cached and found again by comparing names; for names from `JSON.parse` this compares pointers.
 */
import { InputError } from './input-error.ts'
import type { Json, JsonObject } from './json.ts'

/** The names of an object in enumeration order, and how to write its members in canonical order. */
interface Shape {
  /** In the order of `Object.keys`. */
  readonly names: readonly string[]
  /** In the order of RFC 8785: by UTF-16 code units. */
  readonly sorted: readonly string[]
  /** Text before each member's value: `{"a":`, then `,"b":`. */
  readonly leads: readonly string[]
}

/** Shapes of objects with more members are not cached: such names are data. */
const rememberedNamesMax = 128
/** Shapes with a greater total length of names are not cached. UTF-16 code units. */
const rememberedNamesUnitsMax = 2048
/** Cached shapes per first name and number of names. */
const shapesPerSlotMax = 4
/** Cached slots; the cache is emptied when full. With the limits above it takes some 30 MB at worst, for any input. */
const slotsMax = 1024

/** Shapes by the number of names, then by the first name. */
let slots: Map<string, Shape[]>[] = []
let slotCount = 0

/** Characters that RFC 8785 §3.2.2.2 writes escaped. */
const escaped = /["\\\u0000-\u001f]/

/**
 * The canonical text of `value`. Recurses once per level of nesting: some thousand levels are safe, the input rules admit 65.
 * @throws InputError `number_out_of_range` for NaN and infinities, `lone_surrogate` for a string or name that contains one.
 * @throws TypeError for a value outside JSON.
 */
export function canonicalize(value: Json): string {
  const text = write(value)
  // A lone surrogate passes through `write` unescaped. This check is free for text without characters above U+00FF.
  if (!text.isWellFormed())
    throw new InputError('lone_surrogate', 'A string or name holds an unpaired surrogate.')
  return text
}

function write(value: Json): string {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') return writeNumber(value)
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (Array.isArray(value)) return writeArray(value)
  if (typeof value === 'object') return writeObject(value)
  throw new TypeError(`A ${typeof value} is no JSON value.`)
}

function writeString(text: string): string {
  if (!escaped.test(text)) return `"${text}"`
  // JSON.stringify would hide a lone surrogate behind an escape.
  if (!text.isWellFormed())
    throw new InputError('lone_surrogate', 'A string or name holds an unpaired surrogate.')
  return JSON.stringify(text)
}

/** RFC 8785 §3.2.2.3: as in ECMAScript; minus zero is `0`. */
function writeNumber(value: number): string {
  if (Number.isFinite(value)) return `${value}`
  throw new InputError('number_out_of_range', `${value} cannot be written as JSON.`)
}

function writeArray(items: Json[]): string {
  if (items.length === 0) return '[]'
  let text = `[${write(items[0]!)}`
  for (let i = 1; i < items.length; i++) text += `,${write(items[i]!)}`
  return `${text}]`
}

function writeObject(value: JsonObject): string {
  const names = Object.keys(value)
  if (names.length === 0) return '{}'
  const shape = shapeOf(names)
  const { sorted, leads } = shape
  let text = ''
  for (let i = 0; i < sorted.length; i++) text += leads[i]! + write(value[sorted[i]!]!)
  return `${text}}`
}

function shapeOf(names: string[]): Shape {
  if (names.length > rememberedNamesMax) return makeShape(names)
  let byFirst = slots[names.length]
  if (byFirst === undefined) {
    byFirst = new Map()
    slots[names.length] = byFirst
  }
  const slot = byFirst.get(names[0]!)
  if (slot !== undefined) {
    for (const shape of slot) if (sameNames(shape.names, names)) return shape
  }
  const shape = makeShape(names)
  if (isWorthRemembering(names)) remember(byFirst, slot, shape)
  return shape
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false
  return true
}

function makeShape(names: readonly string[]): Shape {
  // The default order of `sort` is by UTF-16 code units, as RFC 8785 §3.2.3 requires.
  const sorted = [...names].sort()
  return { names, sorted, leads: sorted.map((name, i) => `${i === 0 ? '{' : ','}${writeString(name)}:`) }
}

function isWorthRemembering(names: readonly string[]): boolean {
  let units = 0
  for (const name of names) units += name.length
  return units <= rememberedNamesUnitsMax
}

function remember(byFirst: Map<string, Shape[]>, slot: Shape[] | undefined, shape: Shape): void {
  if (slot === undefined) {
    if (slotCount >= slotsMax) {
      slots = []
      slotCount = 0
    } else {
      slotCount++
      byFirst.set(shape.names[0]!, [shape])
    }
  } else {
    // Most recent first, because it is the most likely to recur.
    slot.unshift(shape)
    if (slot.length > shapesPerSlotMax) slot.pop()
  }
}
