/** Rows that may be no records are named, and left out where the options say so. */
import { expect, test } from 'vitest'
import { inferTable, openTable, planOf, type ReadOptions, recordsOf, sourceOf } from './index.ts'

async function read(text: string, options: ReadOptions = {}) {
  const table = await openTable(sourceOf(new File([text], 'a.csv')), options)
  const inference = await inferTable(table)
  const records = []
  for await (const { data } of recordsOf(table, planOf(inference, { type: 'T', id: null })))
    records.push(data)
  return { inference, records, hints: inference.hints.map(({ option, sentence }) => [option, sentence]) }
}

const units =
  'station,time,temp\n,UTC,degree_C\nS1,2024-01-31T00:00:00Z,11.5\nS2,2024-01-31T01:00:00Z,12\nS3,2024-01-31T02:00:00Z,12.5\n'
const footer = 'region,households\nNorth,1200\nSouth,2300\nTotal,3500\n\nSource: household survey 2020\n'

test('a row of units', async () => {
  const { hints, inference } = await read(units)
  expect(hints).toEqual([
    ['skipUnits', 'Line 2 is perhaps units of the columns, and no record: "UTC, degree_C".'],
  ])
  const [, way] = inference.hints[0]!.choices
  const without = await read(units, way!.options)
  expect(without.records[0]).toEqual({ station: 'S1', time: '2024-01-31T00:00:00Z', temp: 11.5 })
  expect(without.records).toHaveLength(3)
  expect(without.hints).toEqual([
    ['skipUnits', 'Line 2 is left out as units of the columns: "UTC, degree_C".'],
  ])
})

test('a total and a source at the end', async () => {
  const { hints, inference, records } = await read(footer)
  expect(records).toHaveLength(4)
  expect(hints).toEqual([
    [
      'skipFooter',
      'Lines 4, 6 are perhaps a total or a source, and no record: "Total, 3500"; "Source: household survey 2020".',
    ],
  ])
  const without = await read(footer, inference.hints[0]!.choices[1]!.options)
  expect(without.records).toEqual([
    { region: 'North', households: 1200 },
    { region: 'South', households: 2300 },
  ])
})

test.each([
  'Gesamt,3500',
  'Grand total,"3,500"',
  'Итого,3500',
  '合計,3500',
  'Quelle: Amt',
  '* provisional',
  'Figures are rounded to hundreds',
])('%s', async (line) => {
  const { hints } = await read(`region,n\nA,1\nB,2\nC,3\n${line}\n`)
  expect(hints.map(([option]) => option)).toEqual(['skipFooter'])
})

test.each([
  // A value that is missing in the first row, a text, rows without a second value, and totals throughout.
  'id,n\n1,NA\n2,5\n3,6\n',
  'id,n\na,soon\nb,later\nc,now\n',
  'id,n\n1,soon\n2,5\n3,6\n',
  'town,n\nTotalán,1\nSummerland,2\nOslo,3\n',
  'note\nSource: A\nSource: B\n',
  'name,n\nA,1\nB,2\nC,\n',
  'kind,n\nTotal a,1\nTotal b,2\n',
])('no hint about %j', async (text) => {
  expect((await read(text)).hints).toEqual([])
})

test('options that find no such row leave all rows', async () => {
  const rows = Array.from({ length: 1200 }, (_, at) => `${at},x`)
  const { records } = await read(`id,v\n${rows.join('\n')}\n`, { skipUnits: true, skipFooter: true })
  expect(records).toHaveLength(1200)
})
