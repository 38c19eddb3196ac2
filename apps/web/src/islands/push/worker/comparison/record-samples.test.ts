import { expect, test } from 'vitest'
import { compareRecords } from './compare.ts'
import { changedCell, changedRecordsOf, tableOf, updatedRecord, wholeRecord } from './record-samples.ts'

const schema = { properties: { b: { propertyOrder: 0 }, a: { propertyOrder: 1 } } }
const hrefOf = (id: string) => `/${id}`

test('changed values are old and new text, which never look alike', () => {
  expect(changedCell('Oslo', 'Bergen')).toEqual({ was: 'Oslo', is: 'Bergen' })
  expect(changedCell(undefined, '')).toEqual({ is: '""' })
  expect(changedCell(5, '5')).toEqual({ was: '5', is: '"5"' })
  expect(changedCell(null, { a: 1 })).toEqual({ was: 'null', is: '{"a":1}' })
  const { was, is } = changedCell(`${'long '.repeat(1000)}a`, `${'long '.repeat(1000)}b`)
  expect([was!.length, was!.at(-1), is!.at(-1)]).toEqual([32, 'a', 'b'])
  const face = changedCell(`${'x'.repeat(119)}😀`, 'y')
  expect(face.was!.isWellFormed()).toBe(true)
})

test('updated records have the columns that changed, in the order of the schema', () => {
  const updates = [
    updatedRecord({ a: 1, b: { x: 1, y: 2 }, c: 0 }, { id: 'one', data: { a: 1, b: { x: 5, y: 2 }, c: 0 } }),
    updatedRecord({ a: 1, b: { x: 1 } }, { id: 'two', data: { a: 2, b: { x: 1 } } }),
  ]
  expect(tableOf(updates, schema, hrefOf)).toEqual({
    ...{ columns: ['b.x', 'a'], moreColumns: 0 },
    rows: [
      { id: 'one', href: '/one', cells: [{ was: '1', is: '5' }, { same: '1' }] },
      { id: 'two', href: '/two', cells: [{ same: '1' }, { was: '1', is: '2' }] },
    ],
  })
})

test('whole records have their members as columns, and wide ones show the first columns', () => {
  const towns = [
    { id: 'a', data: { a: [1], b: { y: 2, x: '' } } },
    { id: 'b', data: 5 },
  ]
  expect(tableOf(towns.map(wholeRecord), schema)).toMatchObject({
    columns: ['b.x', 'b.y', 'a', ''],
    rows: [
      { href: undefined, cells: [{ same: '' }, { same: '2' }, { same: '[1]' }, {}] },
      { cells: [{}, {}, {}, { same: '5' }] },
    ],
  })
  const data = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`c${at}`, 'x'.repeat(500)]))
  const wide = tableOf([wholeRecord({ id: 'a', data: { ...data, b: 1 } })], schema)
  expect([wide.columns.length, wide.columns[0], wide.moreColumns]).toEqual([12, 'b', 19])
  expect(wide.rows[0]!.cells[1]!.same).toHaveLength(61)
})

test('the first ten of each change are kept and read, however many there are', async () => {
  const plan = { type: 'City', id: ['id'], columns: [] }
  async function* records() {
    for (let at = 0; at < 1_000; at++) yield { id: `n${at}`, type: 'City', data: { a: at }, line: at + 2 }
  }
  const ids = Array.from({ length: 2_000 }, (_, at) => (at < 500 ? `n${at}` : `old${at}`))
  const held = new Map(ids.map((id) => [id, { hash: '', isPrivate: false }]))
  const sides = { records: records(), held, plan, mode: 'everything', schemas: undefined } as const
  const dataOf = async function* (ids: readonly string[]) {
    for (const id of ids) yield { id, data: { a: 'before' } }
  }
  const comparison = await compareRecords({ ...sides, table: {} as never, dataOf }, () => {})
  const read: string[] = []
  const one = async (_ref: string, version: string, _type: string, id: string) => {
    read.push(`${version} ${id}`)
    return { data: { a: 'before' } }
  }
  const client = { records: { one } } as never
  const target = { ref: 'ada/cities', head: 'v1.0.0' }
  const { updated, added, removed } = await changedRecordsOf(client, target, comparison, schema)
  // The updated ones were read to be compared.
  expect(read).toHaveLength(10)
  expect([updated, added, removed].map(({ rows, total }) => [rows.length, total])).toEqual([
    [10, 500],
    [10, 500],
    [10, 1500],
  ])
  expect([updated, added, removed].map(({ rows }) => rows[0]!.href)).toEqual([
    '/ada/cities/v/v1.0.0/record?type=City&id=n0',
    undefined,
    '/ada/cities/v/v1.0.0/record?type=City&id=old500',
  ])
})

test('members of an object may have names such as toString', () => {
  expect(changedCell({ toString: 'a' }, { toString: 1 })).toEqual({
    was: '{"toString":"a"}',
    is: '{"toString":1}',
  })
})
