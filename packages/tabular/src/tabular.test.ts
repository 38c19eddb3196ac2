import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  columnsOf,
  formatOf,
  idCandidates,
  planOf,
  readRows,
  recordsOf,
  schemaOf,
  typeNameOf,
} from './index.ts'

const cities = `id,name,country,population,capital,founded,code
oslo,Oslo,NOR,709037,true,1048-01-01,0150
bergen,"Bergen, ""the"" city",NOR,289330,false,1070-01-01,5003
moss,Moss,NOR,,false,1720-08-01,1530
`

test('the columns of a table, its id, its schema and its records', () => {
  const rows = readRows(cities, 'csv')
  const columns = columnsOf(rows)
  expect(columns.map(({ name, kind, isFull }) => [name, kind, isFull])).toEqual([
    ['id', 'string', true],
    ['name', 'string', true],
    ['country', 'string', true],
    ['population', 'integer', false],
    ['capital', 'boolean', true],
    ['founded', 'date', true],
    // Zeros in front are part of a code, and one text makes all of them texts.
    ['code', 'string', true],
  ])
  expect(idCandidates(columns)[0]?.name).toBe('id')
  const plan = planOf('City', columns, 'id')
  expect(schemaOf(plan)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      country: { type: 'string' },
      population: { type: 'integer' },
      capital: { type: 'boolean' },
      founded: { type: 'string', format: 'date' },
      code: { type: 'string' },
    },
    required: ['name', 'country', 'capital', 'founded', 'code'],
    additionalProperties: false,
  })
  expect([...recordsOf(rows, plan)][1]).toEqual({
    id: 'bergen',
    type: 'City',
    data: {
      ...{ name: 'Bergen, "the" city', country: 'NOR', population: 289_330, capital: false },
      ...{ founded: '1070-01-01', code: '5003' },
    },
  })
})

describe('what a column holds', () => {
  const kindOf = (...values: unknown[]) => columnsOf(values.map((value) => ({ value })))[0]?.kind
  test.each([
    [['1', '2'], 'integer'],
    [['1', '2.5'], 'number'],
    [['1', 'x'], 'string'],
    [['01', '02'], 'string'],
    [['12345678901234567890'], 'string'],
    [['2026-02-30'], 'string'],
    [['2026-02-28'], 'date'],
    [['2026-02-28T10:00:00Z'], 'date-time'],
    [['true', 'false'], 'boolean'],
    [[{}], 'any'],
    [['x', 1], 'any'],
    [[1.5, 2], 'number'],
  ])('%j: %s', (values, kind) => {
    expect(kindOf(...values)).toBe(kind)
  })

  test('few values that come often are choices', () => {
    const rows = Array.from({ length: 40 }, (_, n) => ({ size: ['small', 'large'][n % 2] }))
    expect(columnsOf(rows)[0]?.choices).toEqual(['large', 'small'])
  })
})

test('formats, by their names and by how they begin', () => {
  expect(formatOf('a.CSV', '')).toBe('csv')
  expect(formatOf('a.jsonl', '')).toBe('ndjson')
  expect(formatOf('a', '[{}]')).toBe('json')
  expect(formatOf('a.json', '{"a":1}\n{"a":2}')).toBe('ndjson')
  expect(formatOf('a.txt', 'a\tb\n')).toBe('tsv')
  expect(readRows('a;b\n1;2\n', 'csv')).toEqual([{ a: '1', b: '2' }])
  expect(readRows('{"items":[{"a":1}]}', 'json')).toEqual([{ a: 1 }])
  expect(readRows('\ufeffa,b\n1,2\n', 'csv')).toEqual([{ a: '1', b: '2' }])
})

test('what is wrong with a file is told with its line', () => {
  expect(() => readRows('a,b\n1,2,3\n', 'csv')).toThrow(/Line 2/)
  expect(() => readRows('a,a\n', 'csv')).toThrow('Line 1: Two columns are called “a”.')
  expect(() => readRows('{}\n[]\n', 'ndjson')).toThrow('Line 2: This is no JSON object.')
  expect(() => readRows('', 'csv')).toThrow('The file is empty')
  expect(() => readRows('7', 'json')).toThrow('list of objects')
})

test('types are named after files', () => {
  expect(typeNameOf('world-cities.csv')).toBe('WorldCities')
  expect(typeNameOf('2024 prices.tsv')).toBe('Record2024Prices')
  expect(typeNameOf('…')).toBe('Record')
})

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test('any table that is written with quotes is read back the same', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc
          .string({ minLength: 1 })
          .map((name) => name.trim())
          .filter((name) => name !== ''),
        { minLength: 1, maxLength: 5 },
      ),
      fc.array(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 5, maxLength: 5 })),
      (names, values) => {
        const lines = [names, ...values.map((row) => row.slice(0, names.length))]
        const text = lines.map((row) => row.map(quoted).join(',')).join('\n')
        const rows = values.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))
        expect(readRows(text, 'csv')).toEqual(rows)
      },
    ),
  )
})
