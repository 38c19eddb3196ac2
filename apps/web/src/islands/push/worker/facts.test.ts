import { inferTable, openTable, planFor, sourceOf } from '@ulmus/tabular'
import { expect, test } from 'vitest'
import { factsOf, idText, marksOf, sampleOf } from './facts.ts'

const tableOf = (text: string) => openTable(sourceOf(new File([text], 'wards.csv')))
const factsIn = async (text: string) => (await inferTable(await tableOf(text))).columns.map(factsOf)
async function readOf(text: string) {
  const table = await tableOf(text)
  return [table, await inferTable(table)] as const
}
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at))

test('usual marks are offered as missing however often they come, another text only where it is rare', async () => {
  const often = [
    'id,a,b',
    ...lines(20, (at) => (at % 2 === 0 ? `${at},${at % 4 === 0 ? 'NA' : '-'},x${at}` : `${at},${at},7`)),
  ]
  expect(marksOf(await inferTable(await tableOf(often.join('\n'))))).toEqual([
    { mark: 'NA', columns: [{ column: 'a', count: 5 }] },
    { mark: '-', columns: [{ column: 'a', count: 5 }] },
  ])
  const rare = ['id,a', ...lines(20, (at) => `${at},${at === 3 ? 'closed' : at}`)]
  expect(marksOf(await inferTable(await tableOf(rare.join('\n'))))).toEqual([
    { mark: 'closed', columns: [{ column: 'a', count: 1 }] },
  ])
})

test('a reading of numbers is offered with its first value, its result, and how many it changes', async () => {
  const [, amount] = await factsIn(['id,amount', ...lines(3, (at) => `x${at},"81${at},611"`)].join('\n'))
  expect(amount?.readings[0]).toEqual({
    label: 'read 810,611 as 810611',
    values: 3,
    set: { conversion: 'thousands', kind: 'integer' },
  })
})

test('yes and no are named together, and read as booleans where the schema has them', async () => {
  const text = 'id,free,open,paid\na,no,Y,no\nb,yes,N,yes\n'
  const [, free, open] = await factsIn(text)
  expect(free?.readings[0]?.label).toBe('read yes as true and no as false')
  expect(open?.readings[0]?.label).toBe('read Y as true and N as false')
  const inference = await inferTable(await tableOf(text))
  const schema = { properties: { free: { type: 'boolean' }, paid: { type: 'string' } } }
  const { columns } = planFor(inference, { type: 'Ward', schema }, { type: 'Ward' })
  const conversions = columns.map(({ name, conversion }) => [name, conversion])
  expect(Object.fromEntries(conversions)).toMatchObject({ free: 'yes-no', open: undefined, paid: undefined })
})

test('a closed list is offered, never chosen', async () => {
  const rows = lines(100, (at) => `x${at},${at % 2 === 0 ? 'North' : 'South'}`)
  const [, region] = await factsIn(['id,region', ...rows].join('\n'))
  expect(region?.choices).toEqual(['North', 'South'])
})

test('the first rows are shown as they are read, with their lines', async () => {
  const sample = await sampleOf(...(await readOf('id,name\n1,\n\n2,Two\n')))
  expect(sample.columns).toEqual(['id', 'name'])
  expect(sample.rows).toEqual([
    { line: 2, values: ['1', undefined] },
    { line: 4, values: ['2', 'Two'] },
  ])
})

test('the last rows are shown too, because a total or a source is there', async () => {
  const text = ['id,n', ...lines(9, (at) => `${at},1`), 'Total,9', 'Source: survey of 2020'].join('\n')
  const { rows, last } = await sampleOf(...(await readOf(text)))
  expect([rows.length, last.map(({ line }) => line)]).toEqual([5, [10, 11, 12]])
  const few = await sampleOf(...(await readOf('id,n\n1,2\n')))
  expect([few.rows.length, few.last]).toEqual([1, []])
})

test('the id in words: whether it differs in every row, and what it means to have none', async () => {
  const inference = await inferTable(await tableOf('code,year\na,1\nb,1\n'))
  const plan = (id: string[]) => ({ type: 'T', id, columns: [] })
  expect(idText(plan(['code']), inference)).toBe('The id is code: it differs in all 2 rows.')
  expect(idText(plan(['year']), inference)).toContain('Tick another column, or a second one.')
  const together = 'The id is made of code and year together'
  expect(idText(plan(['code', 'year']), inference, true)).toBe(`${together}: it differs in all 2 rows.`)
  expect(idText(plan(['code', 'year']), inference, false)).toBe(
    `${together}, but some rows have the same values or lack one. Tick another column.`,
  )
  expect(idText(plan([]), inference)).toContain('numbered')
})
