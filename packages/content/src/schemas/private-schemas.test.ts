import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalize } from '../json/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { type MarkedSchema, markedSchema, token } from '../testing/marked-schemas.ts'
import { cpuMilliseconds, runs } from '../testing/runs.ts'
import { acceptSchema } from './schema.ts'
import { SchemaError } from './schema-error.ts'
import { publicData, publicSchemas } from './view.ts'

const draft2020 = 'https://json-schema.org/draft/2020-12/schema'
const hidden = { type: 'string', private: true }

function refusal(source: Json): string | undefined {
  try {
    acceptSchema(source)
    return undefined
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.path ?? `none: ${error.message}`
  }
}

function shown(source: JsonObject, others: Record<string, Json> = {}): Json {
  const schemas = Object.entries({ T: source, ...others }).map(([type, schema]) => [type, schema] as const)
  return publicSchemas(new Map(schemas.map(([type, schema]) => [type, acceptSchema(schema)]))).get('T')!
    .source
}

describe('"private" where it hides nothing is refused, with its pointer', () => {
  test.each<[string, JsonObject]>([
    ['/properties/a/properties/b/private', { properties: { a: { properties: { b: hidden } } } }],
    ['/properties/a/items/private', { properties: { a: { items: hidden } } }],
    ['/properties/a/items/1/private', { properties: { a: { items: [true, hidden] } } }],
    ['/properties/a/prefixItems/0/private', { properties: { a: { prefixItems: [hidden] } } }],
    ['/properties/a/anyOf/0/private', { properties: { a: { anyOf: [hidden] } } }],
    ['/allOf/0/properties/b/private', { allOf: [{ properties: { b: hidden } }] }],
    ['/allOf/0/private', { allOf: [{ private: true }] }],
    ['/patternProperties/^s/private', { patternProperties: { '^s': hidden } }],
    ['/additionalProperties/private', { additionalProperties: hidden }],
    ['/dependentSchemas/a/properties/b/private', { dependentSchemas: { a: { properties: { b: hidden } } } }],
    ['/dependencies/a/private', { dependencies: { a: hidden } }],
    ['/if/private', { if: hidden }],
    ['/$defs/S/private', { properties: { a: { $ref: '#/$defs/S' } }, $defs: { S: hidden } }],
    ['/definitions/S/private', { definitions: { S: hidden } }],
    ['/definitions/a~1b~0c/private', { definitions: { 'a/b~c': hidden } }],
    ['/private', { private: 'true' }],
    ['/private', { private: null }],
    ['/properties/a/private', { properties: { a: { private: 'true' } } }],
    ['/properties/a/private', { properties: { a: { private: 1 } } }],
    ['/Private', { Private: true }],
    ['/x-private', { 'x-private': true }],
    ['/properties/a/x-private', { properties: { a: { 'x-private': true } } }],
    ['/properties/a/_private', { properties: { a: { _private: true } } }],
    ['/properties/a/X-Private', { properties: { a: { 'X-Private': true } } }],
    ['/properties/a/PRIVATE', { properties: { a: { PRIVATE: false } } }],
    ...[
      'xPrivate',
      'XPrivate',
      'x_private',
      'pri-vate',
      'pri_vate',
      'p.r.i.v.a.t.e',
      'private:',
      ' private',
      'ｐrivate',
      'priv\u00adate',
    ].map((keyword): [string, JsonObject] => [
      `/properties/a/${keyword}`,
      { properties: { a: { [keyword]: true } } },
    ]),
    ['/x-ui/xPrivate', { 'x-ui': { xPrivate: true } }],
    ['/properties/a/not/private', { properties: { a: { not: { private: false } } } }],
    // Below undefined keywords: an author may misspell a keyword, or refer to such a place.
    ['/Properties/a/private', { Properties: { a: hidden } }],
    ['/properties/a/x-parts/0/b/private', { properties: { a: { 'x-parts': [{ b: hidden }] } } }],
    ['/x-foo/bar/private', { properties: { a: { $ref: '#/x-foo/bar' } }, 'x-foo': { bar: hidden } }],
    // Data becomes a schema if a reference points to it.
    ['/default/a/private', { properties: { b: { $ref: '#/default/a' } }, default: { a: hidden } }],
    ['/default/a/private', { properties: { b: { $ref: '#/%64efault/a' } }, default: { a: hidden } }],
    [
      '/default/a b~/private',
      { properties: { b: { $ref: '#/default/a%20b~0' } }, default: { 'a b~': hidden } },
    ],
    [
      '/default/a/private',
      { $id: 'http://a.org/s', properties: { b: { $ref: 's#/default/a' } }, default: { a: hidden } },
    ],
    [
      '/$defs/p/enum/0/private',
      {
        $schema: draft2020,
        $defs: { p: { $id: 'p', enum: [hidden] } },
        properties: { a: { $ref: 'p#/enum/0' } },
      },
    ],
  ])('%s', (path, source) => {
    expect(refusal(source)).toBe(path.replace('~/', '~0/'))
  })

  test.each<[string, JsonObject]>([
    ['of a type', { private: true }],
    ['of none', { private: false, properties: { a: { private: false } } }],
    ['of a field', { properties: { a: hidden } }],
    ['a property of this name', { properties: { private: { type: 'boolean' }, Private: true } }],
    ['a property of this name within', { properties: { a: { properties: { private: true } } } }],
    ['a definition of this name', { $defs: { private: {} }, definitions: { private: true } }],
    ['what depends on it', { dependencies: { private: ['a'] }, dependentRequired: { private: ['a'] } }],
    ['a pattern of this name', { patternProperties: { private: true } }],
    ['data with it', { default: { private: true }, enum: [{ private: true }], examples: [{ private: 'x' }] }],
    ['data with it within', { properties: { a: { const: { private: true }, example: { private: true } } } }],
    ['a keyword that is more than it', { 'x-privateer': true, privates: true, isPrivate: true }],
  ])('but not %s', (_, source) => {
    expect(refusal(source)).toBeUndefined()
  })
})

describe('in a schema with private fields, a reference is refused that leads to', () => {
  const withField = (rest: JsonObject, more: JsonObject = {}): JsonObject => ({
    properties: { s: { private: true, properties: { in: true, deep: {} } }, o: rest },
    ...more,
  })
  test.each<[string, JsonObject]>([
    ['the root', { $ref: '#' }],
    ['the root, as Ajv reads it', { $ref: '#/' }],
    ['the properties of the root', { $ref: '#/properties' }],
    ['the field', { $ref: '#/properties/s' }],
    ['what is in the field', { $ref: '#/properties/s/properties/deep' }],
    ['the field, percent-encoded', { $ref: '#/%70roperties/%73' }],
  ])('%s', (_, rest) => {
    expect(refusal(withField(rest))).toBe('/properties/o/$ref')
    expect(refusal(withField({ items: rest }))).toBe('/properties/o/items/$ref')
    expect(refusal(withField(true as unknown as JsonObject, { $defs: { d: rest } }))).toBe('/$defs/d/$ref')
  })

  test('the root by its id, the field by its anchor or id, any of them through another reference', () => {
    const byId = { $id: 'http://a.org/r' }
    expect(refusal(withField({ $ref: 'http://a.org/r' }, byId))).toBe('/properties/o/$ref')
    expect(refusal(withField({ $ref: 'r#/properties/s' }, byId))).toBe('/properties/o/$ref')
    const named = (names: JsonObject, $ref: string): JsonObject => ({
      properties: { s: { private: true, ...names }, o: { $ref } },
    })
    expect(refusal({ $schema: draft2020, ...named({ $anchor: 's' }, '#s') })).toBe('/properties/o/$ref')
    expect(refusal(named({ $id: '#s' }, '#s'))).toBe('/properties/o/$ref')
    expect(refusal(named({ $id: 'http://a.org/s' }, 'http://a.org/s'))).toBe('/properties/o/$ref')
    const around = { $defs: { a: { $ref: '#/$defs/b' }, b: { items: { $ref: '#/properties/s' } } } }
    expect(refusal(withField({ $ref: '#/$defs/a' }, around))).toBe('/$defs/b/items/$ref')
    expect(refusal({ properties: { 'a/b~': hidden, o: { $ref: '#/properties/a~1b~0' } } })).toBe(
      '/properties/o/$ref',
    )
  })

  test('references that only the data decides', () => {
    const dynamic = { $schema: draft2020, $dynamicAnchor: 'n' }
    expect(refusal({ ...dynamic, ...withField({ $dynamicRef: '#n' }) })).toBe('/properties/o/$dynamicRef')
    expect(refusal(withField({ $recursiveRef: '#' }))).toBe('/properties/o/$recursiveRef')
  })

  test('parts that the public schema lacks', () => {
    expect(refusal(withField({ $ref: '#/x-parts/a' }, { 'x-parts': { a: {} } }))).toBe('/properties/o/$ref')
    expect(refusal(withField({ $ref: '#/default' }, { default: {} }))).toBe('/properties/o/$ref')
  })

  test('but not one to the root of an embedded schema, nor to a field that is not private', () => {
    const embedded = {
      $id: 'http://a.org/e',
      properties: { s: { $ref: '#' }, t: { $ref: '#/properties/s' } },
    }
    expect(refusal(withField(embedded))).toBeUndefined()
    expect(refusal(withField({ $ref: '#/properties/p' }, {}))).toMatch(/none: The schema cannot be compiled/)
    expect(refusal({ properties: { s: hidden, p: {}, o: { $ref: '#/properties/p' } } })).toBeUndefined()
  })
})

describe('the public schema', () => {
  test('lacks $comment, keywords of the root that JSON Schema does not define, and definitions of private fields', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $comment: 'ssn is secret',
      title: 'Person',
      'x-index': ['ssn'],
      discriminator: { propertyName: 'ssn' },
      private: false,
      'x-ref-type': 'T',
      properties: { ssn: { ...hidden, $ref: '#/$defs/ssn' }, a: { $ref: '#/$defs/a' }, $comment: true },
      $defs: { ssn: { $ref: '#/definitions/digits' }, a: { $ref: '#/definitions/b/items' }, none: {} },
      definitions: { digits: {}, b: { items: { $ref: '#named' } }, c: { $id: '#named' }, none: {} },
    }
    expect(shown(schema)).toEqual({
      $schema: schema.$schema,
      title: 'Person',
      properties: { a: schema.properties.a, $comment: true },
      $defs: { a: schema.$defs.a },
      definitions: { b: schema.definitions.b, c: schema.definitions.c },
    })
    const { properties, ...rest } = schema
    const open = { ...rest, properties: { ssn: { $ref: '#/$defs/ssn' } } }
    expect(shown(open)).toEqual(open)
    expect(properties.ssn.private).toBe(true)
  })

  test('lacks $defs of which nothing is left, and has all when a reference leads to all', () => {
    const $defs = { s: { title: 'of s' } }
    expect(shown({ properties: { s: { ...hidden, $ref: '#/$defs/s' } }, $defs })).toEqual({ properties: {} })
    const all = { properties: { s: hidden, o: { $ref: '#/$defs' } }, $defs }
    expect(shown(all)).toEqual({ properties: { o: { $ref: '#/$defs' } }, $defs })
  })

  test('lacks every x-ref-type that names a private type, alone or among others', () => {
    const source = {
      properties: { a: { 'x-ref-type': ['Hidden', 'T'] }, b: { items: { 'x-ref-type': ['T'] } } },
      $defs: { c: { anyOf: [{ properties: { d: { 'x-ref-type': 'Hidden' } } }] } },
    }
    expect(shown(source, { Hidden: { private: true } })).toEqual({
      properties: { a: {}, b: { items: { 'x-ref-type': ['T'] } } },
      $defs: { c: { anyOf: [{ properties: { d: {} } }] } },
    })
  })

  test('of what a store holds, misplaced marks and references without a target included, is made all the same', () => {
    const stored = {
      properties: { s: hidden, o: { $ref: '#/%', private: 'x' }, p: { $ref: '#' } },
      $defs: [1],
    }
    const schema = acceptSchema(stored, { accepted: true })
    expect(publicSchemas(new Map([['T', schema]])).get('T')!.source).toEqual({
      properties: { o: stored.properties.o, p: stored.properties.p },
    })
  })
})

test('a schema is refused, or no byte of what it marks, names included, is in its public form', () => {
  let accepted = 0
  const check = ({ source, data }: MarkedSchema) => {
    const others = { Hidden: { private: true, title: token }, Other: {} }
    if (refusal(source) !== undefined) return
    accepted++
    const schema = acceptSchema(source)
    const visible = publicSchemas(
      new Map([
        ['T', schema],
        [`${token}Type`, acceptSchema(others.Hidden)],
      ]),
    )
    const open = visible.get('T')
    expect([...visible.keys()].join()).not.toContain(token)
    if (open === undefined) return
    expect(open.canonical).not.toContain(token)
    // The public view is a schema that others can push.
    expect(acceptSchema(JSON.parse(open.canonical) as Json).canonical).toBe(open.canonical)
    expect(isJsonObject(open.source)).toBe(true)
    expect(canonicalize(publicData(schema, data))).not.toContain(token)
  }
  const numRuns = runs(3_000)
  fc.assert(fc.property(markedSchema, check), { numRuns })
  expect(accepted).toBeGreaterThan(numRuns / 20)
  expect(accepted).toBeLessThan(numRuns * 0.9)
})

test('finding places takes time in proportion to the schema', () => {
  const parts = Array.from({ length: 4_000 }, (_, n) => [
    `d${n}`,
    { $id: `http://a.org/${n}`, $ref: `${n}x` },
  ])
  const started = cpuMilliseconds()
  expect(refusal({ $defs: Object.fromEntries(parts) as JsonObject })).toBe('/$defs/d0/$ref')
  const chained = Array.from({ length: 4_000 }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }])
  const $defs = Object.fromEntries([...chained, ['d4000', {}]]) as JsonObject
  expect(shown({ properties: { s: hidden }, $defs })).toEqual({ properties: {} })
  expect(cpuMilliseconds() - started).toBeLessThan(3_000)
})
