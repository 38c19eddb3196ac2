/** Values that mean missing belong to columns: `NA` is a missing rank, the code of Namibia, and a continent. */
import { expect, test } from 'vitest'
import { inferTable, misfitsOf, openTable, planOf, type ReadOptions, recordsOf, sourceOf } from './index.ts'

const text = 'iso2,continent,rank\nNA,AF,1\nUS,NA,NA\nCA,NA,3\n'
const items = '[{"iso2":"NA","continent":"AF","rank":-999},{"iso2":"US","continent":"NA","rank":"NA"}]'

async function read(name: string, content: string, options: ReadOptions) {
  const table = await openTable(sourceOf(new File([content], name)), options)
  const inference = await inferTable(table)
  const records = []
  for await (const { data } of recordsOf(table, planOf(inference, { type: 'T', id: null })))
    records.push(data)
  return { inference, records }
}

test('a mark of one column is a value in the others', async () => {
  const { inference, records } = await read('a.csv', text, { missingIn: { rank: ['NA'] } })
  expect(records).toEqual([
    { iso2: 'NA', continent: 'AF', rank: 1 },
    { iso2: 'US', continent: 'NA' },
    { iso2: 'CA', continent: 'NA', rank: 3 },
  ])
  expect(inference.removed).toEqual([{ column: 'rank', mark: 'NA', count: 1, line: 3 }])
  const ofItems = await read('a.json', items, { missingIn: { rank: ['NA', '-999'] } })
  expect(ofItems.records).toEqual([
    { iso2: 'NA', continent: 'AF' },
    { iso2: 'US', continent: 'NA' },
  ])
})

test('a mark of all columns is counted in each', async () => {
  const { inference } = await read('a.csv', text, { missing: ['NA'] })
  expect(inference.removed).toEqual([
    { column: 'iso2', mark: 'NA', count: 1, line: 2 },
    { column: 'continent', mark: 'NA', count: 2, line: 3 },
    { column: 'rank', mark: 'NA', count: 1, line: 3 },
  ])
})

test('only columns are advised that the mark keeps from being numbers', async () => {
  const { inference } = await read('a.csv', text, {})
  expect(inference.columns.map((column) => misfitsOf(column)?.marks)).toEqual([undefined, undefined, ['NA']])
})

test.each(['N.A.', 'k.A.', 'Unknown', 'missing', '***', '#'])('%s is a mark, as are others', async (mark) => {
  const { inference } = await read('a.csv', `v\n1\n${mark}\n2\n`, {})
  expect(misfitsOf(inference.columns[0]!)?.marks).toEqual([mark])
})

test('a column that the file lacks is refused by name', async () => {
  await expect(read('a.csv', text, { missingIn: { rnak: ['NA'] } })).rejects.toThrow(
    'There is no column "rnak". The columns are: iso2, continent, rank.',
  )
})
