import { expect, test } from 'vitest'
import { tableColumns } from './columns.ts'
import { QueryError } from './fields.ts'
import { type QueryText, readTableQuery } from './query.ts'

const columns = tableColumns({
  properties: {
    population: { type: 'integer' },
    area: { type: 'number' },
    name: {
      type: 'object',
      properties: { common: { type: 'string' }, native: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    },
    'Case officer': { type: 'string' },
    'a.b': { type: 'string' },
    closed: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    open: { type: 'boolean' },
    any: {},
  },
})
const read = (text: QueryText) => readTableQuery(text, columns)
const filter = (text: string) => {
  const [{ column, operator, values } = {} as never] = read({ filter: text }).filters
  return [column.names, operator, values]
}
const refusal = (text: QueryText) => {
  try {
    read(text)
  } catch (error) {
    if (error instanceof QueryError) return `${error.code}: ${error.message}`
  }
  return undefined
}

test('the best matches or the shortest ids come first only if the order says so, and no field has this name', () => {
  const ranked = (text: QueryText) => read(text).order?.by === 'match'
  expect([ranked({ q: 'a', sort: '_match' }), ranked({ q: 'a' }), ranked({ sort: '_match' })]).toEqual([
    true,
    false,
    false,
  ])
  expect(refusal({ q: 'a', sort: '-_match' })).toContain('unknown_field')
  const own = readTableQuery(
    { q: 'a', sort: '_match' },
    tableColumns({ properties: { _match: { type: 'string' } } }),
  )
  expect([own.order, own.sort.map(({ column }) => column.names)]).toEqual([undefined, [['_match']]])
  expect([read({ sort: '_number' }), read({ q: 'a', sort: '-_number' })].map(({ order }) => order)).toEqual([
    { by: 'number', isDescending: false },
    { by: 'number', isDescending: true },
  ])
  const numbers = tableColumns({ properties: { _number: { type: 'string' } } })
  expect(readTableQuery({ sort: '-_number' }, numbers)).toMatchObject({
    order: undefined,
    sort: [{ column: { names: ['_number'] }, isDescending: true }],
  })
  expect(refusal({ sort: '_number,name' })).toContain('unknown_field')
})

test.each([
  ['population gt 1000000', [['population'], 'gt', [1_000_000n]]],
  ['population lt 2.5', [['population'], 'lt', [2.5]]],
  ['population eq 9223372036854775807', [['population'], 'eq', [9223372036854775807n]]],
  ['area ge -1e3', [['area'], 'ge', [-1000]]],
  ['name.common contains land', [['name', 'common'], 'contains', ['land']]],
  ['"name"."common" starts  Å', [['name', 'common'], 'starts', [' Å']]],
  ['name.native contains Norge', [['name', 'native'], 'contains', ['Norge']]],
  ['"Case officer" eq Ada Lovelace', [['Case officer'], 'eq', ['Ada Lovelace']]],
  ['"Case officer" eq " "', [['Case officer'], 'eq', [' ']]],
  ['"Case officer" eq "', [['Case officer'], 'eq', ['"']]],
  ['a.b eq x', [['a.b'], 'eq', ['x']]],
  ['closed null', [['closed'], 'null', []]],
  ['closed ge 2024-02-29', [['closed'], 'ge', ['2024-02-29']]],
  ['at lt 2024-02-29', [['at'], 'lt', ['2024-02-29T00:00:00Z']]],
  ['at lt 2024-02-29T12:00:00.5+01:00', [['at'], 'lt', ['2024-02-29T12:00:00.5+01:00']]],
  ['open ne true', [['open'], 'ne', [true]]],
  ['population in [1, "2"]', [['population'], 'in', [1n, 2n]]],
  ['_id in ["a", "b"]', [['_id'], 'in', ['a', 'b']]],
  ['any contains x', [['any'], 'contains', ['x']]],
])('filter %s', (text, expected) => {
  expect(filter(text)).toEqual(expected)
})

test('sort, columns, words and a page', () => {
  const query = read({ sort: '-area,name.common,"Case officer"', columns: '_id,a.b', q: ' two  words ' })
  expect(query.sort.map(({ column, isDescending }) => [column.names.join('.'), isDescending])).toEqual([
    ['area', true],
    ['name.common', false],
    ['Case officer', false],
  ])
  expect(query.columns!.map(({ names }) => names)).toEqual([['_id'], ['a.b']])
  expect(query.words).toEqual(['two', 'words'])
  expect([query.limit, query.offset]).toEqual([100, 0])
  expect(read({ limit: 5_000, offset: 7 })).toMatchObject({ limit: 1_000, offset: 7 })
})

test.each<[QueryText, string]>([
  [{ filter: 'populaton gt 1' }, 'unknown_field: There is no field "populaton". Did you mean "population"?'],
  [{ filter: 'common eq x' }, 'unknown_field: There is no field "common". Did you mean "name.common"?'],
  [
    { sort: 'zzzzzz' },
    'unknown_field: There is no field "zzzzzz". The fields are "_id", "name", "name.common", "name.native", "population", "area", "Case officer", "a.b", "closed", "at", "open", "any".',
  ],
  [{ filter: 'population gt many' }, 'invalid_query: "many" is not an integer, which "population" holds.'],
  [
    { filter: 'closed gt 2023-02-29' },
    'invalid_query: "2023-02-29" is not a date such as 2026-01-31, which "closed" holds.',
  ],
  [
    { filter: 'open gt true' },
    'invalid_query: "open" is of type boolean; its operators are eq, ne, in, null, notnull.',
  ],
  [
    { filter: 'population like 1' },
    'invalid_query: "like" is not an operator. Use one of eq, ne, lt, le, gt, ge, contains, starts, ends, in, null, notnull.',
  ],
  [
    { filter: 'population' },
    'invalid_query: "population" is not a filter. Write a field, an operator and a value: "population gt 1000000".',
  ],
  [{ filter: 'population gt' }, 'invalid_query: "population gt" has no value after "gt".'],
  [{ filter: 'closed null 3' }, 'invalid_query: "null" takes no value.'],
  [{ filter: 'population in 3' }, 'invalid_query: "in" takes a JSON list: [1, 2].'],
  [{ sort: 'name' }, 'invalid_query: "name" holds an object and has no order.'],
  [
    { sort: 'area,,population' },
    'invalid_query: "area,,population" is not a list of fields: write "name,area".',
  ],
  [{ q: 'w '.repeat(17) }, 'invalid_query: There are 17 words; 16 are allowed.'],
])('%j is refused', (text, message) => {
  expect(refusal(text)).toBe(message)
})

test('a column is chosen once', () => {
  expect(refusal({ columns: 'area,name,area' })).toBe('invalid_query: "area" is named twice. Name it once.')
  expect(read({ columns: 'name,name.common' }).columns).toHaveLength(2)
})
