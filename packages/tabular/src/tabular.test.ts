import { describe, expect, test } from 'vitest'
import {
  csvOf,
  fieldsOf,
  formatOf,
  idCandidates,
  inferTable,
  misfitsOf,
  openTable,
  type PlanWishes,
  planOf,
  recordsOf,
  referencesIn,
  schemaOf,
  sourceOf,
  typeNameOf,
} from './index.ts'
import { kindOfAll, kindOfText, kindOfValue } from './inference/kinds.ts'
import type { ReadOptions } from './reading/options.ts'
import { TableError } from './reading/table-error.ts'

const open = (name: string, text: BlobPart, options: ReadOptions = {}) =>
  openTable(sourceOf(new File([text], name)), options)

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

const rowsOf = async (name: string, text: BlobPart, options: ReadOptions = {}) => {
  const table = await open(name, text, options)
  const rows = (await all(table.batches())).flat()
  return rows.map(({ values }) =>
    Object.fromEntries(table.columns.map((column, place) => [column, values[place]])),
  )
}

const read = async (name: string, text: BlobPart, wishes: Partial<PlanWishes> & ReadOptions = {}) => {
  const table = await open(name, text, wishes)
  const inference = await inferTable(table)
  const plan = planOf(inference, { type: 'City', ...wishes })
  return { table, inference, plan, schema: schemaOf(plan), records: await all(recordsOf(table, plan)) }
}

const cities = `id,name,country,population,capital,founded,code
oslo,Oslo,NOR,709037,true,1048-01-01,0150
bergen,"Bergen, ""the"" city",NOR,289330,false,1070-01-01,5003
moss,Moss,NOR,,false,1720-08-01,1530
`

test('the columns of a table, its id, its schema and its records', async () => {
  const { inference, plan, schema, records } = await read('cities.csv', cities)
  expect(inference.rows).toBe(3)
  expect(inference.columns.map(({ name, kind, isFull }) => [name, kind, isFull])).toEqual([
    ['id', 'string', true],
    ['name', 'string', true],
    ['country', 'string', true],
    ['population', 'integer', false],
    ['capital', 'boolean', true],
    ['founded', 'date', true],
    // Leading zeros are part of a code, and a single text makes all of them texts.
    ['code', 'string', true],
  ])
  expect(idCandidates(inference.columns)[0]?.name).toBe('id')
  expect(plan.leftOut).toEqual([{ name: 'id', why: 'id' }])
  expect(schema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', propertyOrder: 0 },
      country: { type: 'string', propertyOrder: 1 },
      population: { type: 'integer', propertyOrder: 2 },
      capital: { type: 'boolean', propertyOrder: 3 },
      founded: { type: 'string', format: 'date', propertyOrder: 4 },
      code: { type: 'string', propertyOrder: 5 },
    },
    additionalProperties: false,
  })
  expect(records[1]).toEqual({
    id: 'bergen',
    type: 'City',
    data: {
      ...{ name: 'Bergen, "the" city', country: 'NOR', population: 289_330, capital: false },
      ...{ founded: '1070-01-01', code: '5003' },
    },
  })
})

describe('kind of a column of texts', () => {
  test.each([
    [['1', '2'], 'integer'],
    [['1', '2.5'], 'number'],
    [['1', 'x'], 'string'],
    [['01', '02'], 'string'],
    [['007'], 'string'],
    [['-0'], 'string'],
    [['+47123'], 'string'],
    [['9007199254740991'], 'integer'],
    [['9007199254740993'], 'string'],
    [['12345678901234567890', '1'], 'string'],
    [['1e400'], 'string'],
    [['1e-400'], 'string'],
    [['0.30000000000000004', '.5', '1E5', '1e+21'], 'number'],
    [['0.1234567890123456789'], 'string'],
    [['-', '.', 'e5'], 'string'],
    [['2026-02-30'], 'string'],
    [['2026-02-28'], 'date'],
    [['2026-02-28T10:00:00Z'], 'date-time'],
    [['2026-02-28T10:00:00'], 'string'],
    [['2026-02-28T25:00:00Z'], 'string'],
    [['true', 'False', 'TRUE'], 'boolean'],
    [['yes', 'no'], 'string'],
    [['[1]', '[]'], 'array'],
    [['{"a":1}'], 'object'],
    [['{'], 'string'],
    [['[1]', 'x'], 'string'],
  ])('%j: %s', (values, kind) => {
    expect(kindOfAll(new Set(values.map(kindOfText)), true)).toBe(kind)
  })
})

describe('kind of a column of JSON', () => {
  test.each([
    [['1', '2'], 'string'],
    [[1, 2.5], 'number'],
    [['x', 1], 'any'],
    [[{}], 'object'],
    [[{}, []], 'any'],
    [['2026-02-28', 'x'], 'string'],
    [[true], 'boolean'],
  ])('%j: %s', (values, kind) => {
    expect(kindOfAll(new Set(values.map(kindOfValue)), false)).toBe(kind)
  })
})

test.each([
  [['\t', '\t\n\t']],
  [['"\\', ',0']],
  [['a|b', 'c|d', 'e|f', 'g|h']],
  [['a;b', 'c;d', 'e;f', 'g;h']],
])('a column of texts with other delimiters, as it is written, is one column: %j', async (ids) => {
  const csv = (
    await all(
      csvOf(
        ids.map((id) => ({ id, data: {} })),
        [],
      ),
    )
  ).join('')
  expect(await rowsOf('a.csv', csv)).toEqual(ids.map((_id) => ({ _id })))
})

test('an empty cell is no value, empty quotes are the empty text, except where a number should be', async () => {
  const { schema, records } = await read('a.csv', 'id,name,size\n1,,1\n2,"",""\n3,x,3\n')
  expect(records.map(({ data }) => data)).toEqual([{ size: 1 }, { name: '' }, { name: 'x', size: 3 }])
  expect(schema['required']).toBeUndefined()
  expect(schema['properties']).toMatchObject({ name: { type: 'string' }, size: { type: 'integer' } })
})

test('few values that come often are offered as a closed list, as long as there are enough of them', async () => {
  const sizes = (count: number) =>
    `id,size\n${Array.from({ length: count }, (_, n) => `${n},${['small', 'large'][n % 2]}`).join('\n')}`
  const choicesOf = async (text: string) => (await inferTable(await open('a.csv', text))).columns[1]?.choices
  expect(await choicesOf(sizes(100))).toEqual(['large', 'small'])
  expect(await choicesOf(sizes(99))).toBeUndefined()
  // Offered, but closed only on request: the next file may have another value.
  const property = (schema: object) => (schema as { properties: object }).properties
  const asked = (wishes: Partial<PlanWishes>) => read('a.csv', sizes(100), wishes)
  expect(property((await asked({})).schema)).toEqual({ size: { type: 'string', propertyOrder: 0 } })
  const closed = property((await asked({ closed: ['size'] })).schema)
  expect(closed).toEqual({ size: { type: 'string', enum: ['large', 'small'], propertyOrder: 0 } })
  await expect(asked({ closed: ['id'] })).rejects.toThrow('"id" has more than 100 different values')
})

test('members of JSON: null, nested values, numbers that doubles do not hold', async () => {
  const { schema, records } = await read(
    'a.json',
    `{"about": {"x": "]"}, "items": [
      {"id": 1, "a": null, "tags": ["x"], "at": {"lat": 1, "lng": 2.5}, "big": 12345678901234567890},
      {"id": 2, "a": 1.5, "tags": [], "at": {"lat": 1.5, "zone": null}, "big": 1}], "count": [2].length}`.replace(
      '[2].length',
      '2',
    ),
  )
  expect(schema).toEqual({
    type: 'object',
    properties: {
      a: { type: ['number', 'null'], propertyOrder: 0 },
      tags: { type: 'array', items: { type: 'string' }, propertyOrder: 1 },
      at: {
        type: 'object',
        properties: { lat: { type: 'number' }, lng: { type: 'number' }, zone: {} },
        propertyOrder: 2,
      },
      big: { type: 'string', propertyOrder: 3 },
    },
    additionalProperties: false,
  })
  expect(records).toEqual([
    {
      id: '1',
      type: 'City',
      data: { a: null, tags: ['x'], at: { lat: 1, lng: 2.5 }, big: '12345678901234567890' },
    },
    { id: '2', type: 'City', data: { a: 1.5, tags: [], at: { lat: 1.5, zone: null }, big: '1' } },
  ])
})

test('wishes change the plan, and a wrong one says what there is', async () => {
  const { plan, schema, records } = await read('cities.csv', cities, {
    ...{ id: ['code'], private: ['population'], leaveOut: ['founded'], kinds: { capital: 'string' } },
    ...{ rename: { name: 'title' }, references: new Map([['country', 'Country']]) },
  })
  expect(plan.id).toEqual(['code'])
  expect(schema['required']).toEqual(['code'])
  expect(schema['properties']).toMatchObject({
    id: { type: 'string' },
    title: { type: 'string' },
    country: { type: 'string', 'x-ref-type': 'Country' },
    population: { type: 'integer', private: true },
    capital: { type: 'string' },
    code: { type: 'string' },
  })
  expect(records[0]).toMatchObject({ id: '0150', data: { title: 'Oslo', capital: 'true' } })
  await expect(read('a.csv', 'id,Name\n1,x\n', { private: ['name'] })).rejects.toThrow('Is "Name" meant?')
  await expect(read('a.csv', 'id,b\n1,x\n', { id: ['x'] })).rejects.toThrow('The columns are: id, b.')
  await expect(read('a.csv', 'id,b,c\n1,x,y\n', { rename: { b: 'c' } })).rejects.toThrow(
    'both be the field "c"',
  )
})

test('without an id, records are numbered', async () => {
  const { plan, records } = await read('a.csv', 'a\nx\nx\n')
  expect(plan.id).toEqual([])
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
})

test('a row that does not fit the plan is reported with file, line and column, and skipped on request', async () => {
  const text = 'id,population\n1,5\n2,n/a\n3,7\n2,8\n,9\n'
  const table = await open('cities.csv', text)
  const plan = planOf(await inferTable(table), { type: 'City', id: ['id'], kinds: { population: 'integer' } })
  await expect(all(recordsOf(table, plan))).rejects.toThrow(
    'cities.csv, line 3: `population` is "n/a", no integer. Say that "n/a" stands for no value, or make the column a string.',
  )
  const faults: TableError[] = []
  const records = await all(recordsOf(table, plan, { onFault: (fault) => faults.push(fault) }))
  expect(records.map(({ id }) => id)).toEqual(['1', '3'])
  expect(faults.map(({ line, column, value }) => [line, column, value])).toEqual([
    [3, 'population', '"n/a"'],
    [5, 'id', '"2"'],
    [6, 'id', undefined],
  ])
  // Values that mean missing are named once, and the column becomes one of integers.
  const { records: mapped } = await read('a.csv', 'id,population\n1,5\n2,n/a\n', { missing: ['n/a'] })
  const items = '[{"id":1,"population":5},{"id":2,"population":-999},{"id":3,"population":"n/a"}]'
  const ofJson = await read('a.json', items, { missing: ['n/a', '-999'] })
  expect(ofJson.records.map(({ data }) => data)).toEqual([{ population: 5 }, {}, {}])
  expect(mapped.map(({ data }) => data)).toEqual([{ population: 5 }, {}])
})

test('columns that hold the ids of other records refer to them', async () => {
  const countries = await inferTable(await open('countries.csv', 'code,no\nNO,1\nSE,2\nDK,3\n'))
  const text = 'id,country,county_no,Country_id,parent\na,NO,1,1,\nb,SE,2,2,a\nc,DK,3,3,a\nd,NO,1,1,b\n'
  const table = await open('cities.csv', text)
  const inference = await inferTable(table)
  const ids = (of: typeof countries, name: string) => of.columns.find((column) => column.name === name)!.ids!
  const found = await referencesIn(
    table,
    inference,
    [
      { type: 'Country', ids: ids(countries, 'code') },
      { type: 'City', ids: ids(inference, 'id') },
    ],
    'id',
  )
  expect(Object.fromEntries(found)).toEqual({ country: 'Country' })
  const byNumber = await referencesIn(
    table,
    inference,
    [{ type: 'Country', ids: ids(countries, 'no') }],
    'id',
  )
  expect(Object.fromEntries(byNumber)).toEqual({ Country_id: 'Country' })
})

test('formats, by their first bytes, their names and how they begin', async () => {
  const of = (name: string, text: BlobPart) => formatOf(sourceOf(new File([text], name)))
  expect(await of('a.CSV', 'x')).toBe('csv')
  expect(await of('a.jsonl', '{}')).toBe('ndjson')
  expect(await of('a', '[{}]')).toBe('json')
  expect(await of('a.json', '{"a":1}\n{"a":2}')).toBe('ndjson')
  expect(await of('a.json', '{"items":[{"a":1}]}\n')).toBe('json')
  expect(await of('a.json', '{"a":1}')).toBe('json')
  expect(await of('a.txt', 'a\tb\n')).toBe('tsv')
  expect(await of('a.csv', 'PAR1')).toBe('parquet')
  expect(await of('a', 'SQLite format 3\0')).toBe('sqlite')
  await expect(of('a.xlsx', 'PK\x03\x04')).rejects.toThrow('a.xlsx: This is an archive in an archive')
  await expect(of('a.csv.gz', new Uint8Array([0x1f, 0x8b]))).rejects.toThrow('Decompress it first')
  await expect(of('a.csv', '')).rejects.toThrow('The file is empty')
  expect(await rowsOf('a.csv', 'a;b\n1;2\n')).toEqual([{ a: '1', b: '2' }])
  expect(await rowsOf('a.csv', '"a;b;c",d\n1,2\n')).toEqual([{ 'a;b;c': '1', d: '2' }])
})

test('types are named after files', () => {
  expect(typeNameOf('world-cities.csv')).toBe('WorldCities')
  expect(typeNameOf('2024 prices.tsv')).toBe('Record2024Prices')
  expect(typeNameOf('…')).toBe('Record')
})

test('records are written as CSV', async () => {
  const fields = fieldsOf({
    properties: { a: { type: 'string' }, id: {}, list: { type: ['array', 'null'] } },
  })
  const text = (
    await all(
      csvOf(
        [
          { id: 'x', data: { a: '', id: '1', list: [1] } },
          { id: 'y', data: { id: 1 } },
        ],
        fields,
      ),
    )
  ).join('')
  expect(text).toBe('_id,a,id,list\nx,"","""1""",[1]\ny,,1,\n')
})

test.each<[data: unknown, sentence: RegExp]>([
  [{ a: 'x', other: null }, /"second" has the member "other", for which there is no column/],
  [['a'], /The data of "second" is no object/],
  ['a', /no object/],
  [null, /no object/],
])('nothing is left out of a CSV: %j is refused', async (data, sentence) => {
  const records = [
    { id: 'first', data: { a: 'x' } },
    { id: 'second', data },
  ]
  const writing = all(csvOf(records, fieldsOf({ properties: { a: {} } })))
  await expect(writing).rejects.toThrow(sentence)
  await expect(writing).rejects.toThrow(TableError)
})

test('the few values that keep a column from being of numbers are found, and where', async () => {
  const misfitsIn = async (...values: string[]) => {
    const all = [...Array.from({ length: 30 }, (_, at) => String(at)), ...values]
    return misfitsOf((await inferTable(await open('a.csv', `a\n${all.join('\n')}\n`))).columns[0]!)
  }
  expect(await misfitsIn('n/a', 'n/a', '-')).toEqual({
    column: 'a',
    kind: 'integer',
    count: 3,
    line: 32,
    value: 'n/a',
    marks: ['n/a', '-'],
  })
  expect((await misfitsIn('1.5', 'n/a'))?.kind).toBe('number')
  expect(await misfitsIn('1.5')).toBeUndefined()
  expect(await misfitsIn('a', 'b', 'c', 'd')).toBeUndefined()
  // Such a column contains codes.
  expect(await misfitsIn('007')).toBeUndefined()
})
