/** Forms of records: which control a field has, and the data that its entry makes. */

import { RegistryError } from '@ulmus/registry'
import { describe, expect, test } from 'vitest'
import type { Form } from '../../../page.ts'
import { allControls, controlsMax, controlsOf, initialText } from './controls.ts'
import { atInputs, enteredData } from './entries.ts'

const schema = {
  properties: {
    name: { type: 'string' },
    note: { type: 'string', maxLength: 5_000 },
    born: { type: 'string', format: 'date' },
    size: { type: 'number' },
    count: { type: ['integer', 'null'] },
    isOpen: { type: 'boolean' },
    colour: { enum: ['red', 'green', 1, null] },
    rank: { anyOf: [{ const: 'a', title: 'First' }, { const: 'b' }] },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    place: {
      type: 'object',
      properties: {
        town: { type: 'string' },
        at: { properties: { lat: { type: 'number' }, deep: { properties: { x: {} } } } },
      },
    },
    open: { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
    pairs: { type: 'array', items: { type: 'object' } },
    mixed: { type: ['string', 'number'] },
    'odd/~ name': { type: 'string' },
    ['__proto__']: { type: 'string' },
  },
  required: ['name', 'count', 'tags'],
}

const kindsOf = (data: unknown) =>
  Object.fromEntries(allControls(controlsOf(schema, data)).map(({ pointer, kind }) => [pointer, kind]))

/** The form as a browser sends it, with these entries. */
function sent(data: unknown, entries: Form = {}, of: object = schema): Form {
  const inputs = allControls(controlsOf(of as never, data)).filter(({ kind }) => kind !== 'group')
  const texts = inputs.map((control) => [control.pointer, initialText(control).replaceAll('\n', '\r\n')])
  return { ...Object.fromEntries(texts), ...entries }
}

const saved = (data: unknown, entries: Form = {}) =>
  enteredData(controlsOf(schema, data), data, sent(data, entries))

const issuesIn = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return (error as RegistryError).details['issues']
  }
  return undefined
}

describe('forms of records', () => {
  test('each kind of field has its control; others are JSON', () => {
    expect(kindsOf(undefined)).toEqual({
      ...{ '/name': 'text', '/note': 'long', '/born': 'date', '/size': 'number', '/count': 'number' },
      ...{ '/isOpen': 'boolean', '/colour': 'choice', '/rank': 'choice', '/maybe': 'text' },
      ...{ '/tags': 'list', '/sizes': 'list', '/place': 'group', '/place/town': 'text' },
      ...{ '/place/at': 'group', '/place/at/lat': 'number', '/place/at/deep': 'json' },
      ...{
        '/open': 'json',
        '/pairs': 'json',
        '/mixed': 'json',
        '/odd~1~0 name': 'text',
        '/__proto__': 'text',
      },
    })
  })

  test('a value that an input would change is edited in another one', () => {
    const data = {
      name: 'a\nb',
      note: '\nfirst',
      born: '2026-02-30',
      tags: ['a\nb'],
      place: { other: 1 },
      size: null,
    }
    expect(kindsOf(data)).toMatchObject({
      ...{ '/name': 'long', '/note': 'json', '/born': 'text', '/tags': 'json', '/place': 'json' },
      '/size': 'number',
    })
    expect(kindsOf({ name: 'a\rb', born: '0000-01-01' })).toMatchObject({ '/name': 'json', '/born': 'text' })
  })

  test.each([
    {},
    { name: '', count: null, tags: [], place: {}, colour: null, maybe: null, size: null },
    { name: ' a ', note: 'a\nb\n', born: '2026-11-26', size: 1e-7, count: 0, isOpen: false, colour: 1 },
    { tags: [' a', ' '], sizes: [0.1, 1e21], place: { town: 'x', at: { lat: 5, deep: { x: [1] } } } },
    { open: { z: 'ä' }, pairs: [{ b: 1, a: 2 }], mixed: '\u202e', rank: 'c', 'odd/~ name': 'x' },
    JSON.parse('{"__proto__": "x", "unlisted": 1}'),
  ])('unedited members stay as they are: %j', (members) => {
    const data = { count: 1, tags: ['t'], ...members }
    expect(JSON.parse(saved(data))).toEqual(data)
    expect(Object.keys(JSON.parse(saved(data)))).toEqual(Object.keys(data))
  })

  test('entries become JSON as they were written', () => {
    const entries = {
      '/name': 'O"slo',
      '/note': 'a\r\nb',
      '/size': ' 0.10 ',
      '/isOpen': 'true',
      '/colour': '"green"',
    }
    const more = {
      '/tags': 'x\r\n\r\n y',
      '/sizes': '1\r\n2.50',
      '/place/at/lat': '59',
      '/pairs': '[{\r\n"a":1.0}]',
    }
    expect(saved({ count: 3, name: 'Oslo' }, { ...entries, ...more })).toBe(
      '{"count":3,"name":"O\\"slo","note":"a\\nb","size":0.10,"isOpen":true,"colour":"green",' +
        '"tags":["x"," y"],"sizes":[1,2.50],"place":{"at":{"lat":59}},"pairs":[{ "a":1.0}]}',
    )
  })

  test('an emptied input removes the member; a required one becomes null or an empty list if it can', () => {
    const data = { name: 'x', note: 'n', count: 1, tags: ['a'], place: { town: 'x' }, colour: 1 }
    const empty = Object.fromEntries(Object.keys(sent(data)).map((name) => [name, '']))
    expect(saved(data, empty)).toBe('{"count":null,"tags":[]}')
  })

  test.each([
    ['46,5', 46.5],
    ['-0,125', -0.125],
    ['1234,567', 1234.567],
    ['1,23', 1.23],
  ])('a decimal comma, %s, is one', (text, value) => {
    expect(JSON.parse(saved({}, { '/size': text, '/sizes': text }))).toMatchObject({
      size: value,
      sizes: [value],
    })
  })

  test('a comma that may separate thousands is asked about', () => {
    expect(issuesIn(() => saved({}, { '/size': '1,234' }))).toEqual([
      { path: '/size', message: 'Write 1234 or 1.234: a comma may mean either.' },
    ])
  })

  test('faults name their inputs, all at once', () => {
    const entries = {
      '/size': '1,5 m',
      '/count': 'true',
      '/sizes': '1\nx',
      '/colour': '{"a":1}',
      '/mixed': '{',
      '/isOpen': '1}',
    }
    const issues = issuesIn(() => saved({ name: 'x' }, entries)) as { path: string }[]
    expect(issues.map(({ path }) => path)).toEqual(['/count', '/size', '/mixed', '/colour', '/sizes'])
    expect(JSON.parse(saved({}, { '/isOpen': '1}' }))).toMatchObject({ isOpen: false })
    expect(issuesIn(() => saved({}, { '/size': '12345678901234567890' }))).toMatchObject([{ path: '/size' }])
  })

  test('faults of the schema are at the inputs that they concern', () => {
    const error = new RegistryError('schema_violation', {
      details: {
        validationErrors: [
          {
            code: 'schema_violation',
            message: 'm',
            errors: [
              { path: '', message: "must have required property 'name'" },
              { path: '/tags/1', message: 'must be string' },
              { path: '/pairs/0/a', message: 'must be number' },
              { path: '/place/town', message: 'must be string' },
            ],
          },
        ],
      },
    })
    expect(atInputs(error, controlsOf(schema, {}))?.details['issues']).toEqual([
      { path: '/name', message: 'This field is required.' },
      { path: '/tags', message: 'Line 2 must be string' },
      { path: '/pairs', message: '/0/a must be number' },
      { path: '/place/town', message: 'must be string' },
    ])
  })

  test('a form has a bounded number of inputs, and keeps the fields beyond', () => {
    const names = Array.from({ length: 400 }, (_, index) => `f${index}`)
    const wide = {
      properties: Object.fromEntries(names.map((name) => [name, { properties: { a: {}, b: {} } }])),
    }
    const data = Object.fromEntries(names.map((name) => [name, { a: 1 }]))
    const controls = controlsOf(wide, data)
    expect(allControls(controls)).toHaveLength(controlsMax)
    expect(JSON.parse(enteredData(controls, data, sent(data, {}, wide)))).toEqual(data)
  })
})
