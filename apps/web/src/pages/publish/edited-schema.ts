/** The schema that the entries of a form make. Members that no entry shows stay as they are. */
import { orderKeyword, type PlainSchema } from '@ulmus/content'
import { refusedField } from '../../form.ts'
import { cutText } from '../../format.ts'
import {
  type Entry,
  type EntryKind,
  entriesOf,
  holderOf,
  isNullable,
  kinds,
  newEntry,
  objectIn,
  prefixOf,
  propertiesOf,
  type SchemaEdit,
  valuesIn,
  wordsIn,
} from './schema-entries.ts'
import { placeOf } from './schema-order.ts'

/** The schema with the changes of a form. @throws invalid_request */
export function editedSchema(schema: PlainSchema, edit: SchemaEdit): PlainSchema {
  const before = entriesOf(schema)
  const { entries, added } = edit
  checkNames(entries, added)
  const properties = new Map<string, unknown>(Object.entries(propertiesOf(schema)))
  entries.forEach((entry, index) => {
    const at = objectIn(properties.get(entry.name))
    if (entry.isRemoved) properties.delete(entry.name)
    else if (at !== undefined)
      properties.set(entry.name, editedProperty(at, before[index]!, entry, prefixOf(index, false)))
  })
  added.forEach((entry, index) => {
    const start: PlainSchema = kinds[entry.kind!][1]
    const was = { ...newEntry, kind: entry.kind }
    properties.set(entry.name, editedProperty(start, was, entry, prefixOf(index, true)))
  })
  placeProperties(properties, entries, added)
  const words = wordsIn(schema)
  const rest = withMembers(schema, {
    ...(edit.title !== words.title && { title: edit.title || undefined }),
    ...(edit.description !== words.description && { description: edit.description || undefined }),
  })
  const isFree = properties.size === 0 && !('properties' in schema)
  return {
    ...withMembers(rest, { required: requiredOf(schema, [...entries, ...added]) }),
    ...(!isFree && { properties: Object.fromEntries(properties) }),
  }
}

/** @throws invalid_request */
function checkNames(entries: readonly Entry[], added: readonly Entry[]): void {
  const taken = new Set(entries.filter(({ isRemoved }) => !isRemoved).map(({ name }) => name))
  for (const [index, { name, title, description, refersTo, values }] of added.entries()) {
    const field = `${prefixOf(index, true)}name`
    if (name === '') {
      const words = cutText(title || description || refersTo || values || '', 100)
      throw refusedField(field, `Name the new property ${words}.`)
    }
    if (taken.has(name))
      throw refusedField(field, `There are two properties ${cutText(name, 100)}. Choose another name.`)
    taken.add(name)
  }
}

/** An object with other members; undefined removes one. */
function withMembers(object: PlainSchema, members: PlainSchema): PlainSchema {
  const all = Object.entries({ ...object, ...members })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function editedProperty(at: PlainSchema, before: Entry, entry: Entry, prefix: string): PlainSchema {
  const { kind, title, description, isPrivate } = entry
  const isOther = (name: keyof Entry) => entry[name] !== before[name]
  let next = withMembers(at, {
    ...(isOther('title') && { title: title || undefined }),
    ...(isOther('description') && { description: description || undefined }),
    ...(isOther('isPrivate') && { private: isPrivate || undefined }),
  })
  if (kind === undefined) return next
  if (isOther('kind')) {
    const plain: PlainSchema = kinds[kind][1]
    const type = plain['type']
    next = withMembers(next, { format: undefined, items: undefined, 'x-ref-type': undefined, ...plain, type })
    if (isNullable(at) && type !== undefined) next = { ...next, type: [type, 'null'] }
  }
  if (isOther('kind') || isOther('refersTo')) next = withReference(next, entry, prefix)
  if ((isOther('kind') || isOther('values')) && entry.values !== undefined) {
    const values = allowedValues(entry, kind, prefix)
    const hasNull = isNullable(next) && (!Array.isArray(at['enum']) || at['enum'].includes(null))
    const all = hasNull ? [...values, null] : values
    next = withMembers(next, { enum: values.length === 0 ? undefined : all })
  }
  return next
}

/** @throws invalid_request */
function allowedValues({ name, values = '' }: Entry, kind: EntryKind, prefix: string): unknown[] {
  try {
    return valuesIn(values, kind)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refusedField(`${prefix}values`, `${cutText(name, 100)}: ${error.message}`)
  }
}

/** @throws invalid_request */
function withReference(at: PlainSchema, { name, kind, refersTo }: Entry, prefix: string): PlainSchema {
  const holder = holderOf(at, kind)
  if (refersTo !== '' && kind !== 'text' && kind !== 'texts')
    throw refusedField(
      `${prefix}refersTo`,
      `${cutText(name, 100)}: only texts and lists of texts can refer to records. Empty the field.`,
    )
  const referring = withMembers(holder, { 'x-ref-type': refersTo || undefined })
  return holder === at ? referring : { ...at, items: referring }
}

/** Undefined if no property is required. */
function requiredOf(schema: PlainSchema, entries: readonly Entry[]): unknown {
  const before = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  const required = new Set(before)
  for (const { name, isRequired, isRemoved } of entries) {
    if (isRequired && !isRemoved) required.add(name)
    else required.delete(name)
  }
  const isSame = required.size === before.length && before.every((name) => required.has(name))
  return isSame ? schema['required'] : required.size === 0 ? undefined : [...required]
}

/**
 * Writes the order of properties into their schemas, if it changed. New properties alone get an order only if all others have one: they
 * would come before those without.
 */
function placeProperties(
  properties: Map<string, unknown>,
  entries: readonly Entry[],
  added: readonly Entry[],
): void {
  const left = [...entries, ...added]
    .map((entry, index) => ({ ...entry, place: placeIn(entry, index) }))
    .filter(({ isRemoved }) => !isRemoved)
  const sorted = left.toSorted((a, b) => a.place - b.place)
  const isMoved = left.some((entry, index) => entry !== sorted[index])
  const placeBefore = ({ name }: Entry) => objectIn(properties.get(name))?.[orderKeyword]
  const places = left.slice(0, left.length - added.length).map(placeBefore)
  if (!isMoved && !places.every(Number.isSafeInteger)) return
  const first = isMoved ? 0 : Math.max(-1, ...(places as number[])) + 1
  for (const [index, { name }] of (isMoved ? sorted : added).entries()) {
    const at = objectIn(properties.get(name))
    if (at !== undefined) properties.set(name, { ...at, [orderKeyword]: first + index })
  }
}

/** @throws invalid_request */
function placeIn(entry: Entry, index: number): number {
  const place = placeOf(entry, index)
  if (place !== undefined) return place
  throw refusedField(
    '',
    `The position of ${cutText(entry.name, 100)} is not a number: write 1 for the first.`,
  )
}
