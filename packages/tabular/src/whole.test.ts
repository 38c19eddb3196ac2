import { canonicalize, type Json } from '@ulmus/content'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  csvOf,
  type Field,
  fieldsOf,
  formatOf,
  idCandidates,
  inferTable,
  openTable,
  type Plan,
  planOf,
  recordsOf,
  referencesIn,
  schemaOf,
  sourceOf,
  type TableRecord,
  typeNameOf,
} from './index.ts'

const table = (text: string, name = 'cities.csv') => openTable(sourceOf(new File([text], name)))
const rowsOf = async (text: string, name?: string) => {
  const opened = await table(text, name)
  const rows: unknown[][] = []
  for await (const batch of opened.batches()) rows.push(...batch.map(({ values }) => [...values]))
  return { columns: opened.columns, rows }
}
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
/** What becomes of a file by the plan that it suggests. */
const read = async (text: string, name?: string, wishes: object = {}): Promise<TableRecord[]> => {
  const opened = await table(text, name)
  return all(recordsOf(opened, planOf(await inferTable(opened), { type: 'T', ...wishes })))
}
const reasonOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    (error: Error) => error.message,
  )

const cities = `id,name,country,population,capital,founded,code
oslo,Oslo,NOR,709037,true,1048-01-01,0150
bergen,"Bergen, ""the"" city",NOR,289330,false,1070-01-01,5003
moss,Moss,NOR,,false,1720-08-01,1530
`

test('the columns of a table, its id, its schema and its records', async () => {
  const opened = await table(cities)
  const inference = await inferTable(opened)
  expect(inference.columns.map(({ name, kind, isFull }) => [name, kind, isFull])).toEqual([
    ['id', 'string', true],
    ['name', 'string', true],
    ['country', 'string', true],
    ['population', 'integer', false],
    ['capital', 'boolean', true],
    ['founded', 'date', true],
    // Zeros in front are part of a code, and one text makes all of them texts.
    ['code', 'string', true],
  ])
  expect(idCandidates(inference.columns)[0]?.name).toBe('id')
  const plan = planOf(inference, { type: 'City', private: ['population'] })
  expect(schemaOf(plan)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      country: { type: 'string' },
      population: { type: 'integer', private: true },
      capital: { type: 'boolean' },
      founded: { type: 'string', format: 'date' },
      code: { type: 'string' },
    },
    required: ['name', 'country', 'capital', 'founded', 'code'],
    additionalProperties: false,
  })
  expect((await all(recordsOf(opened, plan)))[1]).toEqual({
    id: 'bergen',
    type: 'City',
    data: {
      ...{ name: 'Bergen, "the" city', country: 'NOR', population: 289_330, capital: false },
      ...{ founded: '1070-01-01', code: '5003' },
    },
  })
})

describe('what a column holds', () => {
  const kindOf = async (lines: string, name: string) =>
    (await inferTable(await table(lines, name))).columns[0]?.kind
  test.each([
    [['1', '2'], 'integer'],
    [['1', '2.5'], 'number'],
    [['1', 'x'], 'string'],
    [['01', '02'], 'string'],
    [['12345678901234567890'], 'string'],
    [['1e400'], 'string'],
    [['2026-02-30'], 'string'],
    [['2026-02-28'], 'date'],
    [['2026-02-28T10:00:00Z'], 'date-time'],
    [['true', 'false'], 'boolean'],
    [['"[1,2]"'], 'array'],
  ])('CSV %j: %s', async (values, kind) => {
    expect(await kindOf(`value\n${values.join('\n')}\n`, 'a.csv')).toBe(kind)
  })
  test.each([
    [[{}], 'object'],
    [[[1]], 'array'],
    [['x', 1], 'any'],
    [[1.5, 2], 'number'],
    [[true], 'boolean'],
  ])('NDJSON %j: %s', async (values, kind) => {
    expect(await kindOf(values.map((value) => JSON.stringify({ value })).join('\n'), 'a.ndjson')).toBe(kind)
  })

  test('few values that come often are choices', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => ['small', 'large'][n % 2])
    const { columns } = await inferTable(await table(`size\n${lines.join('\n')}\n`))
    expect([...columns[0]!.choices!].sort()).toEqual(['large', 'small'])
  })

  test('values that are ids of another type refer to it', async () => {
    const countries = await inferTable(await table('code,name\nNO,Norway\nSE,Sweden\nDK,Denmark\n'))
    const known = [{ type: 'Country', ids: countries.columns[0]!.ids! }]
    const opened = await table('id,country,other\n1,NO,NO\n2,SE,FI\n3,DK,DK\n')
    const references = await referencesIn(opened, await inferTable(opened), known, 'id')
    expect([...references]).toEqual([['country', 'Country']])
    const plan = planOf(await inferTable(opened), { type: 'City', references })
    expect(schemaOf(plan)).toMatchObject({ properties: { country: { 'x-ref-type': 'Country' } } })
  })
})

test.each([
  ['a.CSV', 'a,b\n', 'csv'],
  ['a.jsonl', '{}', 'ndjson'],
  ['a', '[{}]', 'json'],
  ['a.json', '{"a":1}\n{"a":2}', 'ndjson'],
  ['a.txt', 'a\tb\n', 'tsv'],
  ['a.bin', 'PAR1…', 'parquet'],
  ['a.db', 'SQLite format 3\0', 'sqlite'],
])('the format of %s', async (name, text, format) => {
  expect(await formatOf(sourceOf(new File([text], name)))).toBe(format)
})

test('tables however they are written', async () => {
  expect(await rowsOf('a;b\n1;2\n')).toEqual({ columns: ['a', 'b'], rows: [['1', '2']] })
  expect(await rowsOf('\ufeffa,b\r\n1,2\r\n')).toEqual({ columns: ['a', 'b'], rows: [['1', '2']] })
  expect((await rowsOf('{"items":[{"a":1},{"b":2}]}', 'a.json')).columns).toEqual(['a', 'b'])
  expect((await rowsOf('a\n"x\ny"\n')).rows).toEqual([['x\ny']])
  // A name that objects have of themselves is a name like others.
  expect(await read('id,__proto__,constructor\n1,a,b\n')).toEqual([
    { id: '1', type: 'T', data: JSON.parse('{"__proto__":"a","constructor":"b"}') },
  ])
})

test.each<[text: string, name: string, said: RegExp]>([
  ['a,b\n1,2,3\n', 'x.csv', /x\.csv, line 2/],
  ['a,a\n1,2\n', 'x.csv', /x\.csv, line 1.*“?"?a/],
  ['{}\n[]\n', 'x.ndjson', /x\.ndjson, line 2/],
  ['', 'x.csv', /x\.csv: The file is empty/],
  ['[{"a":', 'x.json', /x\.json/],
  ['id,n\n1,2\n1,3\n', 'x.csv', /line 3: `id` is "1" in a row before/],
  ['a\n"x"y\n', 'x.csv', /line 2.*Text follows the quote/],
  ['PK\u0003\u0004', 'x.xlsx', /workbook/],
])('what is wrong with %j is told with its place', async (text, name, said) => {
  expect(
    await reasonOf(read(text, name, { id: name === 'x.csv' && text.startsWith('id') ? 'id' : undefined })),
  ).toMatch(said)
})

test('a value that is not of the kind that was asked for names its line and column', async () => {
  const reason = await reasonOf(
    read('id,population\n1,2\n2,n/a\n', 'cities.csv', { kinds: { population: 'integer' } }),
  )
  expect(reason).toMatch(/^cities\.csv, line 3: `population` is "n\/a", no integer\./)
  expect(await reasonOf(read('id,b\n1,2\n', 'x.csv', { private: ['B'] }))).toContain('Is "b" meant?')
})

test('types are named after files', () => {
  expect(typeNameOf('world-cities.csv')).toBe('WorldCities')
  expect(typeNameOf('2024 prices.tsv')).toBe('Record2024Prices')
  expect(typeNameOf('…')).toBe('Record')
})

const name = fc
  .string({ minLength: 1, maxLength: 8 })
  .map((text) => text.trim())
  .filter((text) => text !== '' && text.isWellFormed())

test('any table is read as it was written', async () => {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const cell = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed())
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
      fc.array(fc.array(cell, { minLength: 5, maxLength: 5 })),
      fc.constantFrom('\n', '\r\n'),
      async (names, values, end) => {
        const rows = values.map((row) => row.slice(0, names.length))
        const text = [names, ...rows].map((row) => row.map(quoted).join(',')).join(end)
        expect(await rowsOf(text)).toEqual({ columns: names, rows })
      },
    ),
  )
})

/** Values of a kind; undefined: none. */
const valueOfKind = {
  string: fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed()),
  integer: fc.maxSafeInteger().map((value) => (Object.is(value, -0) ? 0 : value)),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  boolean: fc.boolean(),
  array: fc.array(fc.integer(), { maxLength: 3 }),
  object: fc.dictionary(name, fc.integer(), { maxKeys: 3 }),
  any: fc.oneof(
    fc.string({ maxLength: 4 }).filter((text) => text.isWellFormed()),
    fc.integer(),
    fc.boolean(),
  ),
} as const
const field = fc.record({
  name,
  kind: fc.constantFrom(...(Object.keys(valueOfKind) as (keyof typeof valueOfKind)[])),
})

test('any records that are written as CSV are read back the same', async () => {
  const tables = fc
    .uniqueArray(field, { minLength: 1, maxLength: 4, selector: (one) => one.name })
    .chain((fields) => {
      const member = (one: (typeof fields)[number]) =>
        fc.option(valueOfKind[one.kind] as fc.Arbitrary<Json>, { nil: undefined })
      return fc.record({
        fields: fc.constant(fields),
        rows: fc.array(fc.tuple(...fields.map(member)), { maxLength: 8 }),
      })
    })
  await fc.assert(
    fc.asyncProperty(tables, async ({ fields, rows }) => {
      const records = rows.map((values, index) => ({
        id: String(index),
        type: 'T',
        data: Object.fromEntries(
          fields.flatMap(({ name: key }, place) =>
            values[place] === undefined ? [] : [[key, values[place]]],
          ),
        ),
      }))
      const text = (await all(csvOf(records, fields satisfies Field[]))).join('')
      const opened = await table(text)
      const plan: Plan = {
        type: 'T',
        id: opened.columns[0],
        columns: fields.map((one) => ({ ...one, isRequired: false, isPrivate: false })),
      }
      const back = await all(recordsOf(opened, plan))
      expect(canonicalize(back as unknown as Json)).toBe(canonicalize(records as unknown as Json))
    }),
  )
})

test('the fields of a schema, as a table has them', () => {
  const schema = { properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] }, c: {} } }
  expect(fieldsOf(schema)).toEqual([
    { name: 'a', kind: 'integer' },
    { name: 'b', kind: 'string' },
    { name: 'c', kind: 'any' },
  ])
})
