import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalize } from '../json/canonical.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { runs } from '../testing/runs.ts'
import { acceptSchema, type Schema } from './schema.ts'
import { publicData, publicSchemas } from './view.ts'

function accepted(sources: Record<string, Json>): Map<string, Schema> {
  return new Map(Object.entries(sources).map(([type, source]) => [type, acceptSchema(source)]))
}

/** Occurs only in private parts. */
const secret = 'k7Qz-secret'

describe('publicSchemas', () => {
  test('leaves private types out and public ones as they are', () => {
    const schemas = accepted({ Open: { type: 'object' }, Hidden: { private: true }, Any: true })
    const visible = publicSchemas(schemas)
    expect([...visible.keys()]).toEqual(['Open', 'Any'])
    expect(visible.get('Open')).toBe(schemas.get('Open'))
    expect(visible.get('Any')).toBe(schemas.get('Any'))
  })

  test('cuts private fields and what the root says of them', () => {
    const source = {
      type: 'object',
      title: 'Person',
      required: ['name', 'ssn'],
      properties: {
        name: { type: 'string' },
        ssn: { type: 'string', private: true },
        inner: { properties: { ssn: true } },
      },
      additionalProperties: false,
      dependencies: { ssn: ['name'] },
      dependentRequired: { ssn: ['name'] },
      dependentSchemas: { ssn: true },
      examples: [{ ssn: '1' }],
      default: { ssn: '1' },
    }
    const visible = publicSchemas(accepted({ Person: source })).get('Person')!
    expect(visible.source).toEqual({
      type: 'object',
      title: 'Person',
      required: ['name'],
      properties: { name: { type: 'string' }, inner: { properties: { ssn: true } } },
      additionalProperties: false,
    })
    expect(visible.privateFields).toEqual([])
    expect(visible.validate({ name: 'a' })).toEqual([])
  })

  test('cuts every x-ref-type that names a private type, and no other', () => {
    const reference = (type: string) => ({ type: 'string', 'x-ref-type': type })
    const schemas = accepted({
      Hidden: { private: true },
      Open: {
        properties: {
          a: reference('Hidden'),
          b: reference('Open'),
          list: { items: reference('Hidden') },
          'x-ref-type': { type: 'string' },
        },
        $defs: { d: { anyOf: [reference('Hidden'), reference('Absent')] } },
      },
    })
    expect(publicSchemas(schemas).get('Open')!.source).toEqual({
      properties: {
        a: { type: 'string' },
        b: reference('Open'),
        list: { items: { type: 'string' } },
        'x-ref-type': { type: 'string' },
      },
      $defs: { d: { anyOf: [{ type: 'string' }, reference('Absent')] } },
    })
  })

  test('holds no byte of what is private, and is accepted like any schema', () => {
    const plain: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
      { type: 'string' },
      { 'x-ref-type': 'Open' },
      { 'x-ref-type': `${secret}Type` },
      { items: { 'x-ref-type': `${secret}Type` } },
      {},
    )
    const hidden: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
      { private: true, const: secret },
      { private: true, enum: [secret], description: secret },
      { private: true, default: secret, 'x-ref-type': 'Open' },
    )
    const source = fc.tuple(
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), plain),
      fc.record({ [`${secret}1`]: hidden, [`${secret}2`]: hidden }),
      fc.shuffledSubarray([
        'required',
        'dependencies',
        'dependentRequired',
        'dependentSchemas',
        'examples',
        'default',
      ]),
    )
    const says: Record<string, Json> = {
      required: ['a', `${secret}1`],
      dependencies: { a: [`${secret}1`] },
      dependentRequired: { [`${secret}2`]: ['a'] },
      dependentSchemas: { a: { required: [`${secret}1`] } },
      examples: [{ [`${secret}1`]: 1 }],
      default: { a: secret },
    }
    fc.assert(
      fc.property(source, ([open, closed, keywords]) => {
        const properties = Object.fromEntries([...Object.entries(open), ...Object.entries(closed)])
        const person = Object.fromEntries([
          ['properties', properties],
          ...keywords.map((name) => [name, says[name]!]),
        ])
        const schemas = accepted({ Person: person, [`${secret}Type`]: { private: true, title: secret } })
        const visible = publicSchemas(schemas)
        expect([...visible.keys()]).toEqual(['Person'])
        const { canonical, source: cut } = visible.get('Person')!
        expect(canonical).not.toContain(secret)
        expect(acceptSchema(cut).canonical).toBe(canonical)
        expect(Object.keys((cut as { properties: JsonObject }).properties).sort()).toEqual(
          Object.keys(open).sort(),
        )
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('publicData', () => {
  const schema = acceptSchema({ properties: { ssn: { private: true }, note: { private: true }, name: true } })

  test('lacks the private fields of the root alone', () => {
    expect(publicData(schema, { ssn: 1, name: 'a', inner: { ssn: 2 } })).toEqual({
      name: 'a',
      inner: { ssn: 2 },
    })
    const open = { name: 'a' }
    expect(publicData(schema, open)).toBe(open)
    expect(publicData(acceptSchema({ type: 'object' }), open)).toBe(open)
    expect(publicData(schema, ['ssn'])).toEqual(['ssn'])
    expect(publicData(schema, 'ssn')).toBe('ssn')
    expect(canonicalize(publicData(schema, JSON.parse('{"ssn":1,"__proto__":{"a":1}}')))).toBe(
      '{"__proto__":{"a":1}}',
    )
  })

  test('holds no byte of a private value', () => {
    const open = fc.dictionary(
      fc.constantFrom('name', 'a', 'b', '__proto__', '7'),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const hidden = fc.dictionary(
      fc.constantFrom('ssn', 'note'),
      fc.constantFrom<Json>(secret, [secret], { a: secret }),
    )
    fc.assert(
      fc.property(open, hidden, fc.boolean(), (shown, closed, isClosedFirst) => {
        const members = [...Object.entries(shown as JsonObject), ...Object.entries(closed)]
        const data = Object.fromEntries(isClosedFirst ? members.reverse() : members)
        const text = canonicalize(publicData(schema, data))
        expect(text).not.toContain(secret)
        expect(text).toBe(canonicalize(shown as JsonObject))
      }),
      { numRuns: runs(300) },
    )
  })
})
