import { canonicalize, type Json, type PlainSchema } from '@ulmus/content'
import { describe, expect, test } from 'vitest'
import type { Form } from '../../page.ts'
import { editedSchema } from './edited-schema.ts'
import {
  type Entry,
  entriesOf,
  onLatest,
  prefixOf,
  rebased,
  submittedEntries,
  submittedNewEntries,
  wordsIn,
} from './schema-entries.ts'

const kept = {
  type: 'object',
  title: 'Bird\r\nof a feather',
  required: ['name', 'unlisted'],
  'x-own': [1, 2],
  additionalProperties: false,
  properties: {
    name: { type: 'string', title: ' Name ', minLength: 1, propertyOrder: 3, 'x-own': { a: 1 } },
    free: true,
    any: {},
    code: { type: ['string', 'null'], enum: ['a', 'b', null], propertyOrder: 1 },
    odd: { type: 'string', enum: [' a', ''] },
    country: { type: 'string', 'x-ref-type': 'Country', description: 'one\rtwo\u0000' },
    tags: { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1 },
    site: { type: 'string', format: 'uri' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    place: { type: 'object', properties: { lat: { type: 'number' } } },
    __proto__x: { type: 'number', enum: [1, 2.5, 1e21], private: false },
    day: { type: 'string', format: 'date', private: true },
  },
} as PlainSchema

/** The form as a browser submits it. */
function formOf(entries: readonly Entry[], isNew = false): Form {
  const lines = (text: string) => text.replace(/\r\n?|\n/g, '\r\n')
  const fields = entries.flatMap((entry, index) => {
    const on = { required: entry.isRequired, private: entry.isPrivate, remove: entry.isRemoved }
    const texts = ['name', 'title', 'description', 'kind', 'refersTo', 'values', 'order'] as const
    return [
      ...texts.flatMap((name) => (entry[name] === undefined ? [] : [[name, lines(entry[name])] as const])),
      ...Object.entries(on).flatMap(([name, isOn]) => (isOn ? [[name, 'on'] as const] : [])),
    ].map(([name, value]) => [`${prefixOf(index, isNew)}${name}`, value])
  })
  return Object.fromEntries(fields)
}

/** The schema after changes of properties by name, submitted through a form. */
function edited(
  schema: PlainSchema,
  changes: Readonly<Record<string, Partial<Entry>>>,
  added: readonly Partial<Entry>[] = [],
): PlainSchema {
  const before = entriesOf(schema)
  const changed = before.map((entry) => ({ ...entry, ...changes[entry.name] }))
  const blank = submittedNewEntries({ 'n0.name': 'blank', 'n0.order': '', 'n0.kind': 'text' })[0]!
  const form = {
    ...formOf(changed),
    ...formOf(
      added.map((entry) => ({ ...blank, ...entry })),
      true,
    ),
  }
  const entries = submittedEntries(form, before)
  return editedSchema(schema, { ...wordsIn(schema), entries, added: submittedNewEntries(form) })
}
const property = (schema: PlainSchema, name: string) =>
  (schema['properties'] as Record<string, unknown>)[name]
const ordered = (...names: string[]): PlainSchema => ({
  properties: Object.fromEntries(
    names.map((name, propertyOrder) => [name, { type: 'string', propertyOrder }]),
  ),
})
const namesOf = (schema: PlainSchema) => entriesOf(schema).map(({ name }) => name)

test('a form that is submitted as it was shown changes nothing', () => {
  expect(canonicalize(edited(kept, {}) as Json)).toBe(canonicalize(kept as Json))
})

test('a change of one member leaves all others as they are', () => {
  const after = edited(kept, { name: { title: 'Full name', isRequired: false, isPrivate: true } })
  expect(after).toEqual({
    ...kept,
    required: ['unlisted'],
    properties: {
      ...(kept['properties'] as object),
      name: { ...(property(kept, 'name') as object), title: 'Full name', private: true },
    },
  })
})

describe('kinds', () => {
  test.each([
    ['name', { kind: 'integer', values: '1\n2' }, { type: 'integer', enum: [1, 2] }],
    ['code', { kind: 'date', values: '' }, { type: ['string', 'null'], format: 'date' }],
    ['code', { values: 'b\nc' }, { type: ['string', 'null'], enum: ['b', 'c', null] }],
    ['code', { values: '' }, { type: ['string', 'null'] }],
    ['country', { kind: 'texts' }, { type: 'array', items: { type: 'string', 'x-ref-type': 'Country' } }],
    ['country', { refersTo: '' }, { type: 'string' }],
    [
      'tags',
      { refersTo: 'Tag' },
      { type: 'array', items: { type: 'string', maxLength: 3, 'x-ref-type': 'Tag' } },
    ],
    ['tags', { kind: 'text' }, { type: 'string' }],
    ['day', { kind: 'any' }, {}],
    ['any', { kind: 'boolean' }, { type: 'boolean' }],
  ] as const)('%s with %j', (name, change, expected) => {
    const after = property(edited(kept, { [name]: change }), name) as PlainSchema
    const { type, format, items, enum: values, 'x-ref-type': refersTo } = after
    expect(JSON.parse(JSON.stringify({ type, format, items, enum: values, 'x-ref-type': refersTo }))).toEqual(
      expected,
    )
  })

  test.each(['free', 'odd', 'site', 'either', 'place'])('%s has what the form cannot express', (name) => {
    const entry = entriesOf(kept).find((one) => one.name === name)!
    expect(entry.kind === undefined || entry.values === undefined).toBe(true)
  })

  test.each([
    [{ kind: 'integer', values: '1\n2.5' }, 'name: the allowed value 2.5 is not an integer.'],
    [{ kind: 'boolean', values: 'a' }, 'name: only texts and numbers can have allowed values'],
    [{ kind: 'number', refersTo: 'Bird' }, 'name: only texts and lists of texts can refer to records'],
    [{ order: 'first' }, 'The position of name is not a number'],
  ] as const)('%j is refused', (change, sentence) => {
    expect(() => edited(kept, { name: change })).toThrow(sentence)
  })
})

test('a property goes, also from the list of required ones; a new one comes last', () => {
  const schema = { ...ordered('a', 'b', 'c'), required: ['a'] }
  const after = edited(schema, { a: { isRemoved: true } }, [{ name: 'd', kind: 'number', isRequired: true }])
  expect(after).toEqual({
    properties: {
      b: { type: 'string', propertyOrder: 1 },
      c: { type: 'string', propertyOrder: 2 },
      d: { type: 'number', propertyOrder: 3 },
    },
    required: ['d'],
  })
})

test.each([
  ['d', '2', 'a d b c'],
  ['a', '3', 'b c a d'],
  ['b', '99', 'a c d b'],
  ['c', '0', 'c a b d'],
  ['c', '3', 'a b c d'],
])('%s at position %s: %s', (name, order, names) => {
  expect(namesOf(edited(ordered('a', 'b', 'c', 'd'), { [name]: { order } }))).toEqual(names.split(' '))
})

test('a new property may come first, and properties without an order get none from one that comes last', () => {
  expect(namesOf(edited(ordered('a', 'b'), {}, [{ name: 'z', order: '1' }]))).toEqual(['z', 'a', 'b'])
  const plain = { properties: { a: {}, b: {} } }
  expect(edited(plain, {}, [{ name: 'z' }])).toEqual({ properties: { a: {}, b: {}, z: { type: 'string' } } })
})

test('new properties need names of their own', () => {
  expect(() => edited(kept, {}, [{ name: 'name' }])).toThrow('There are two properties name.')
  expect(() => edited(kept, {}, [{ name: '', title: 'T' }])).toThrow('Name the new property T.')
})

test('changes of two people come together, unless they are of one member', () => {
  const before = entriesOf(ordered('a', 'b', 'c'))
  const mine = before.map((entry) => (entry.name === 'b' ? { ...entry, title: 'Mine' } : entry))
  const theirs = edited(ordered('a', 'b', 'c'), { b: { description: 'Theirs' }, a: { isRemoved: true } })
  const both = rebased(entriesOf(theirs), before, mine)
  expect(both.entries.map(({ name, title, description }) => [name, title, description])).toEqual([
    ['b', 'Mine', 'Theirs'],
    ['c', '', ''],
  ])
  expect(both.added).toEqual([])
})

test('a changed property that was removed meanwhile is a new one', () => {
  const before = entriesOf(ordered('a', 'b', 'c'))
  const mine = before.map((entry) => (entry.name === 'b' ? { ...entry, title: 'Mine' } : entry))
  const both = rebased(entriesOf(ordered('a')), before, mine)
  expect(both.entries.map(({ name }) => name)).toEqual(['a'])
  expect(both.added).toMatchObject([{ name: 'b', title: 'Mine', kind: 'text', order: '' }])
})

test('without the version of the form, all entries are kept by name', () => {
  const shown = entriesOf({
    properties: { a: { title: 'A' }, x: { type: 'string' }, place: { type: 'object' }, b: { title: 'B' } },
  })
  const form = formOf(shown.map((entry) => (entry.name === 'b' ? { ...entry, title: 'Mine' } : entry)))
  const latest = entriesOf({ properties: { a: {}, another: { title: 'New' }, b: { private: true } } })
  const { entries, added } = onLatest(form, latest)
  expect(entries.map(({ name, title, order }) => [name, title, order])).toEqual([
    ['a', 'A', '1'],
    ['another', 'New', '2'],
    ['b', 'Mine', '3'],
  ])
  expect(added.map(({ name, kind }) => [name, kind])).toEqual([
    ['x', 'text'],
    ['place', 'any'],
  ])
})
