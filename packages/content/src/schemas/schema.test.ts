import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import type { Json } from '../json/json.ts'
import { cpuMilliseconds } from '../testing/runs.ts'
import { acceptSchema, schemaBytesMax } from './schema.ts'
import { SchemaError } from './schema-error.ts'

const draft2020 = 'https://json-schema.org/draft/2020-12/schema'
const issues = (schema: Json, data: Json) => acceptSchema(schema).validate(data)
const matches = (schema: Json, data: Json) => issues(schema, data).length === 0
const secret = { type: 'string', private: true }

function nestedArrays(levels: number): Json {
  return levels === 0 ? 1 : [nestedArrays(levels - 1)]
}

describe('acceptSchema', () => {
  test('names a schema by its canonical form and takes the same one twice', () => {
    const schema = acceptSchema({ type: 'object', properties: { b: true, a: { private: true } } })
    expect(schema.canonical).toBe('{"properties":{"a":{"private":true},"b":true},"type":"object"}')
    expect(schema.hash).toBe(hashText(schema.canonical))
    expect(acceptSchema({ properties: { a: { private: true }, b: true }, type: 'object' })).toBe(schema)
    expect([schema.private, schema.privateFields]).toEqual([false, ['a']])
    expect(acceptSchema({ private: true }).private).toBe(true)
    expect(acceptSchema({ private: false }).private).toBe(false)
  })

  test('keeps the latest used schemas, as long as they are not too much together', () => {
    const large = (n: number): Json => ({ title: `${n}`, description: 'x'.repeat(200_000) })
    const first = acceptSchema(large(0))
    for (let n = 1; n < 20; n++) acceptSchema(large(n))
    expect(acceptSchema(large(0))).toBe(first)
    for (let n = 20; n < 41; n++) acceptSchema(large(n))
    expect(acceptSchema(large(0))).not.toBe(first)
    const small = acceptSchema({ title: 'small' })
    for (let n = 0; n < 300; n++) acceptSchema({ title: `${n}` })
    expect(acceptSchema({ title: 'small' })).not.toBe(small)
  })

  test('true admits all, false nothing', () => {
    expect(matches(true, { a: 1 })).toBe(true)
    expect(matches(false, { a: 1 })).toBe(false)
    expect(acceptSchema(true).unknownFields({ a: 1 })).toEqual([])
  })

  test.each<[string, Json, RegExp, string | undefined]>([
    ['null', null, /must be a JSON object/, undefined],
    ['an array', [], /must be a JSON object/, undefined],
    ['a string', 'object', /must be a JSON object/, undefined],
    ['against draft-07', { type: 'text' }, /no valid JSON Schema \(draft-07\)/, '/type'],
    ['against draft-07 within', { properties: { a: { minimum: '1' } } }, /draft-07/, '/properties/a/minimum'],
    ['against 2020-12', { $schema: draft2020, items: [{}] }, /2020-12/, '/items'],
    ['too large', { description: 'x'.repeat(schemaBytesMax) }, /at most 262144/, undefined],
    ['too deep', { default: nestedArrays(65) }, /65 levels/, undefined],
    [
      'a reference to another document',
      { properties: { a: { $ref: 'http://example.com/s.json' } } },
      /leaves the schema/,
      '/properties/a/$ref',
    ],
    ['a relative reference', { $ref: 'other.json#/a' }, /leaves the schema/, '/$ref'],
    [
      'a reference to a meta-schema',
      { $ref: 'http://json-schema.org/draft-07/schema#' },
      /leaves the schema/,
      '/$ref',
    ],
    [
      'a reference in an unused definition',
      { definitions: { a: { items: [{ $ref: 'b.json' }] } } },
      /leaves/,
      '/definitions/a/items/0/$ref',
    ],
    [
      'a dynamic reference',
      { $schema: draft2020, $dynamicRef: 'x.json#a' },
      /leaves the schema/,
      '/$dynamicRef',
    ],
    ['a reference without target', { $ref: '#/definitions/none' }, /cannot be compiled/, undefined],
    ['a long pattern', { pattern: 'a'.repeat(257) }, /at most 256/, '/pattern'],
    [
      'a long pattern reached by reference',
      { $ref: '#/x', x: { pattern: 'a'.repeat(257) } },
      /at most 256/,
      '/x/pattern',
    ],
    ['a bad pattern', { anyOf: [{ pattern: '\\-' }] }, /does not compile/, '/anyOf/0/pattern'],
    ['a bad name pattern', { patternProperties: { '(': true } }, /does not compile/, '/patternProperties/('],
    ['a lookaround', { pattern: '^(?!x)' }, /lookaround/, '/pattern'],
    ['an old id', { id: 'x' }, /cannot be compiled/, undefined],
  ])('refuses %s', (_, source, message, path) => {
    let error: unknown
    try {
      acceptSchema(source)
    } catch (cause) {
      error = cause
    }
    expect(error).toBeInstanceOf(SchemaError)
    expect(error).toMatchObject({ code: 'invalid_schema', message: expect.stringMatching(message) })
    expect((error as SchemaError).path).toBe(path)
  })

  test.each([
    '$ref',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'propertyNames',
    'patternProperties',
    'const',
    'enum',
  ])('refuses %s at the root beside private fields, and only then', (keyword) => {
    const values: Record<string, Json> = {
      $ref: '#/definitions/d',
      patternProperties: {},
      const: {},
      enum: [{}],
    }
    const lists: Json = keyword.endsWith('Of') ? [true] : true
    const rest = { definitions: { d: true }, [keyword]: values[keyword] ?? lists }
    expect(() => acceptSchema({ ...rest, properties: { s: secret } })).toThrow(`must not have "${keyword}"`)
    expect(() => acceptSchema({ ...rest, properties: { s: { type: 'string' } } })).not.toThrow()
    expect(() =>
      acceptSchema({
        properties: { s: secret, o: { ...rest, $ref: '#/definitions/d' } },
        definitions: { d: true },
      }),
    ).not.toThrow()
  })

  test('takes references within the document, by pointer and by id', () => {
    const byPointer = {
      properties: { a: { $ref: '#/definitions/d' } },
      definitions: { d: { type: 'number' } },
    }
    expect([matches(byPointer, { a: 1 }), matches(byPointer, { a: 'x' })]).toEqual([true, false])
    const byId = {
      $id: 'http://example.com/root.json',
      properties: { a: { $ref: 'part.json' }, b: { $ref: 'root.json#/definitions/d' } },
      definitions: { d: { $id: 'http://example.com/part.json', type: 'number' } },
    }
    expect([matches(byId, { a: 1, b: 2 }), matches(byId, { a: 'x' }), matches(byId, { b: 'x' })]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('names that only look like keywords are none', () => {
    const source = {
      properties: { pattern: { type: 'string' }, $ref: { type: 'string' } },
      default: { $ref: 'x.json' },
    }
    expect(matches(source, { pattern: '(', $ref: 'x' })).toBe(true)
    expect(matches({ enum: [{ pattern: '(', $ref: 'x.json' }] }, { pattern: '(', $ref: 'x.json' })).toBe(true)
  })

  test('an accepted schema is not checked again', () => {
    const source = { pattern: '(?=accepted)' }
    expect(() => acceptSchema(source)).toThrow(SchemaError)
    expect(acceptSchema(source, { accepted: true }).canonical).toBe(canonicalize(source))
  })
})

describe('validate', () => {
  test('says where and what', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { b: { minimum: 3 }, c: { enum: [1, 2] } },
      additionalProperties: false,
    }
    expect(issues(schema, { b: 1, c: 5, d: 0 })).toEqual([
      { path: '', message: "must have required property 'a'" },
      { path: '', message: 'must not have the member "d"' },
      { path: '/b', message: 'must be >= 3' },
      { path: '/c', message: 'must be one of [1,2]' },
    ])
  })

  test('tells at most 20 issues, and one of very large data', () => {
    const schema = { items: { type: 'string' } }
    expect(issues(schema, Array(100).fill(1))).toHaveLength(20)
    expect(issues(schema, Array(20_000).fill(1))).toHaveLength(1)
    // A schema with an issue for every value and each of its lines would produce millions.
    const long = { items: { allOf: Array(1_000).fill({ type: 'string' }) } }
    expect(issues(long, Array(100).fill(1))).toHaveLength(20)
    expect(issues(long, Array(1_000).fill(1))).toHaveLength(1)
  })

  test('draft-07 unless 2020-12 is named', () => {
    const tuple = { prefixItems: [{ type: 'string' }] }
    expect(matches(tuple, [1])).toBe(true)
    expect(matches({ $schema: draft2020, ...tuple }, [1])).toBe(false)
    expect(matches({ $schema: `${draft2020}#`, ...tuple }, [1])).toBe(false)
    expect(matches({ $schema: 'http://json-schema.org/draft-04/schema#', ...tuple }, [1])).toBe(true)
  })

  test('formats are on', () => {
    const good: Record<string, string> = {
      date: '2024-02-29',
      email: 'a@b.org',
      uri: 'https://a.b/c',
      url: 'https://a.bc/d?e',
      uuid: '123e4567-e89b-12d3-a456-426614174000',
    }
    for (const [format, text] of Object.entries(good)) {
      expect([format, matches({ format }, text), matches({ format }, 'no such')]).toEqual([
        format,
        true,
        false,
      ])
    }
    expect(matches({ format: 'date' }, '2023-02-29')).toBe(false)
    expect(matches({ format: 'unheard-of' }, 'x')).toBe(true)
  })

  test('url matches what ajv-formats says, credentials included', () => {
    const good = [
      'http://user@host.org',
      'http://user:pass@host.org/p',
      'http://a:b:c@d@host.org',
      'ftp://host.org:21/x',
    ]
    const bad = [
      'http://host',
      'http://user@',
      'http://a b@host.org',
      'http://host.org/a b',
      'http://10.0.0.1',
      'https://',
    ]
    expect(good.filter((text) => !matches({ format: 'url' }, text))).toEqual([])
    expect(bad.filter((text) => matches({ format: 'url' }, text))).toEqual([])
  })

  test('date-time matches what ajv-formats says, in the spellings that tables can read', () => {
    const theirs = fullFormats['date-time'] as { validate(text: string): boolean }
    const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`.padStart(2, '0'))
    const days = ['0000', '1900', '2000', '2023', '2024', '9999'].flatMap((year) =>
      numbers(14).flatMap((month) => numbers(33).map((day) => `${year}-${month}-${day}`)),
    )
    const times = ['00', '09', '19', '20', '23', '24', '29'].flatMap((hour) =>
      ['00', '58', '59', '60'].flatMap((minute) =>
        ['00', '59', '60', '61', '5', '59.', '59.999999999'].map((second) => `${hour}:${minute}:${second}`),
      ),
    )
    const zones = ['Z', 'z', '', '+01:00', '-05:30', '-00:00', '-0100', '+01', '+24:00', 'Z\n', 'ZZ', ' Z']
    const texts = [
      ...days.map((day) => `${day}T12:00:00Z`),
      ...times.flatMap((time) => zones.map((zone) => `2024-02-28T${time}${zone}`)),
      ...['t', ' ', '\t', '\n', '\u00a0', '', 'TT', 'T\n'].map(
        (separator) => `2024-02-28${separator}12:00:00Z`,
      ),
      ...[' ', '+', '0', '-'].map((before) => `${before}2024-02-28T12:00:00Z`),
      '٢٠٢٤-02-28T12:00:00Z',
    ]
    const isReadable = (text: string) => /^.{10}[Tt ](?!24)[\d:.]+(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)
    const isTime = (text: string) => isReadable(text) && theirs.validate(text)
    expect(texts.filter((text) => matches({ format: 'date-time' }, text) !== isTime(text))).toEqual([])
    // Ajv rounds the second to 60.
    expect(matches({ format: 'date-time' }, `2024-02-28T12:00:59.${'9'.repeat(30)}Z`)).toBe(true)
    expect(matches({ format: 'date-time' }, '2024-02-28T12:00:00+01')).toBe(false)
    const bounded = { format: 'date-time', formatMaximum: '2024-01-01T00:00:00Z' }
    expect(matches(bounded, '2023-12-31T23:59:59Z')).toBe(true)
    expect(matches(bounded, '2024-01-01T00:00:01Z')).toBe(false)
  })

  test('is fast where patterns, formats and uniqueItems are known not to be', () => {
    const started = cpuMilliseconds()
    expect(matches({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toBe(false)
    expect(matches({ patternProperties: { '^(a|aa)+$': false } }, { [`${'a'.repeat(50_000)}!`]: 1 })).toBe(
      true,
    )
    expect(matches({ format: 'url' }, `http://a${':'.repeat(100_000)}x%`)).toBe(false)
    expect(matches({ format: 'url' }, `http://${'a@b/'.repeat(30_000)} `)).toBe(false)
    expect(
      matches(
        { uniqueItems: true },
        Array.from({ length: 20_000 }, (_, i) => ({ i })),
      ),
    ).toBe(true)
    expect(cpuMilliseconds() - started).toBeLessThan(2000)
  })

  test('uniqueItems compares values', () => {
    expect(
      matches({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toBe(false)
    expect(matches({ uniqueItems: true }, [1, '1', [1], { a: 1 }, null, 0, false])).toBe(true)
    expect(matches({ uniqueItems: false }, [1, 1])).toBe(true)
  })

  test('an inherited name is no member', () => {
    expect(matches({ required: ['constructor'] }, {})).toBe(false)
    expect(matches({ properties: { toString: { type: 'string' } } }, {})).toBe(true)
    expect(matches({ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'))).toBe(true)
  })

  test('a listed `__proto__` is a member like any other', () => {
    const closed = (text: string) => JSON.parse(`{"additionalProperties":false,"properties":${text}}`)
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`m${n}`, true]))
    for (const others of [{}, { constructor: { type: 'integer' }, ...many }]) {
      const listed = closed(
        `{"__proto__":{"type":"integer"},${JSON.stringify(others).slice(1)}`.replace(',}', '}'),
      )
      expect(issues(listed, JSON.parse('{"__proto__":1}'))).toEqual([])
      expect(issues(listed, {})).toEqual([])
      expect(issues(listed, JSON.parse('{"__proto__":"x"}'))).toEqual([
        { path: '/__proto__', message: 'must be integer' },
      ])
      expect(issues(listed, { __proto: 1 })[0]?.message).toBe('must not have the member "__proto"')
    }
    expect(matches(closed('{"a":true}'), JSON.parse('{"__proto__":1}'))).toBe(false)
    const nested = closed(
      '{"__proto__":{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}}',
    )
    expect(matches(nested, JSON.parse('{"__proto__":{"__proto__":"x"}}'))).toBe(true)
    expect(matches(nested, JSON.parse('{"__proto__":{"__proto__":1}}'))).toBe(false)
  })

  test.each([505, 1_500])('a schema may have %i properties', (count) => {
    const names = Array.from({ length: count }, (_, n) => `c${n}`)
    const wide = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
      required: names,
      additionalProperties: false,
    }
    const data = Object.fromEntries(names.map((name, n) => [name, n]))
    expect(issues(wide, data)).toEqual([])
    const message = 'must be integer'
    expect(issues(wide, { ...data, [names.at(-1)!]: 'x' })).toEqual([{ path: `/${names.at(-1)}`, message }])
    expect(issues({ anyOf: [wide, { type: 'null' }] }, { ...data, c0: 'x' })).not.toEqual([])
    expect(issues({ anyOf: [wide, { type: 'null' }] }, data)).toEqual([])
  })

  test('$async does not turn the answer into a promise', () => {
    expect(matches({ $async: true, type: 'string' }, 1)).toBe(false)
  })

  test('a schema may refer to itself', () => {
    const tree = {
      properties: { name: { type: 'string' }, child: { $ref: '#' }, more: { items: { $ref: '#' } } },
    }
    expect(matches(tree, { child: { more: [{ name: 'a' }, { child: {} }] } })).toBe(true)
    expect(issues(tree, { child: { more: [{ name: 1 }] } })).toEqual([
      { path: '/child/more/0/name', message: 'must be string' },
    ])
  })

  test('a schema that refers to itself without end is refused, or an issue, and never a crash', () => {
    expect(() => acceptSchema({ properties: { a: { $ref: '#/properties/a' } } })).toThrow(SchemaError)
    expect(issues({ allOf: [{ $ref: '#' }] }, 1)[0]?.message).toMatch(/without end/)
  })
})

describe('unknown fields', () => {
  const schema = acceptSchema({ properties: { a: true, b: { properties: {} } } })

  test('are top-level members that the root does not list', () => {
    expect(schema.unknownFields({ a: 1, b: { c: 1 }, d: 2, toString: 3 })).toEqual(['d', 'toString'])
    expect(schema.unknownFields(JSON.parse('{"__proto__":1}'))).toEqual(['__proto__'])
    expect(schema.unknownFields([1])).toEqual([])
    expect(acceptSchema({ type: 'object' }).unknownFields({ x: 1 })).toEqual([])
  })

  test('are stripped, and nothing else', () => {
    const data = { d: 1, b: { c: 1 }, a: null }
    expect(schema.strip(data)).toEqual({ b: { c: 1 }, a: null })
    expect(data).toEqual({ d: 1, b: { c: 1 }, a: null })
    const clean = { a: 1 }
    expect(schema.strip(clean)).toBe(clean)
    expect(schema.strip('text')).toBe('text')
  })
})

test('each of several patterns in a schema is its own', () => {
  const schema = acceptSchema({
    properties: { two: { pattern: '^[A-Z]{2}$' }, three: { pattern: '^[A-Z]{3}$' } },
    patternProperties: { '^x-': { type: 'string' } },
  })
  expect(schema.validate({ two: 'DE', three: 'DEU', 'x-note': 'both' })).toEqual([])
  const wrong = schema.validate({ two: 'DEU', three: 'DE', 'x-note': 1 })
  expect(wrong.map(({ path }) => path).sort()).toEqual(['/three', '/two', '/x-note'])
})
