/** Hints of `ulmus import` about ordinary files, each with the flag that follows it. No server is needed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPerson, type Person } from '../testing/cli.ts'

let ada: Person
beforeEach(async () => {
  ada = openPerson('http://127.0.0.1:9')
  expect(await ada.ulmus('f', 'init', 'ada/first')).toMatchObject({ code: 0 })
})
afterEach(() => ada.dispose())

function bring(content: string | Uint8Array, ...flags: string[]) {
  writeFileSync(join(ada.home, 'a.csv'), content)
  return ada.ulmus('f', 'import', '../a.csv', '--yes', '--type', 'T', ...flags)
}
const recordsNow = () =>
  readFileSync(join(ada.home, 'f/records/T.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { data: Record<string, unknown> }).data)

test('the next file of a type is read as the one before, which is said, and can be changed', async () => {
  const text = (day: string) =>
    `Report\n\ncode;iso;when;price;rank\nA;NA;${day};1,5;NA\nB;DE;02/03/2024;2;7\n`
  const flags = ['--skip', '2', '--convert', 'when=month-day-year', '--convert', 'price=decimal-comma']
  expect(await bring(text('01/02/2024'), ...flags, '--missing', 'rank=NA')).toMatchObject({ code: 0 })
  const { code, said } = await bring(text('03/04/2024'))
  expect([code, said]).toEqual([
    0,
    expect.stringContaining('Read as earlier files of T: delimiter ";"; lines skipped: 2'),
  ])
  expect(said).toContain('"NA" in rank means missing')
  expect(said).toMatch(/when +date +read as month-day-year/)
  expect(said).not.toContain('The schema of T changes')
  expect(recordsNow()[0]).toEqual({ code: 'A', iso: 'NA', price: 1.5, when: '2024-03-04' })
  const other = await bring(text('03/04/2024'), '--convert', 'when=day-month-year')
  expect(other.said).toContain('when is read as day-month-year, in the next files too.')
  expect(recordsNow()[0]).toMatchObject({ when: '2024-04-03' })
  expect(await bring(text('13/04/2024'))).toMatchObject({ code: 0 })
  expect((await bring(text('13/04/2024'), '--convert', 'when=none')).code).toBe(6)
})

test('numbers of too many digits stay text, and the hint says why', async () => {
  const { said } = await bring('code,v\na,1\nb,123456789012345678\n')
  expect(said).toContain('v stays text: 123456789012345678 (line 3) has more digits than a number keeps.')
  expect(said).not.toContain('--kind v=number')
})

test('rows that may be no records are named with the flag that leaves them out', async () => {
  const text = 'region,n\n,people\nNorth,12\nSouth,23\nTotal,35\n\nSource: survey\n'
  const { said } = await bring(text, '--number')
  expect(said).toContain('Otherwise: --skip-units')
  expect(said).toContain('Otherwise: --skip-footer')
  const flags = ['--number', '--skip-units', '--skip-footer', '--kind', 'n=integer', '--max-removed', '100%']
  expect(await bring(text, ...flags)).toMatchObject({ code: 0 })
  expect(recordsNow()).toEqual([
    { n: 12, region: 'North' },
    { n: 23, region: 'South' },
  ])
})

test('an encoding that cannot be told apart stops with all names', async () => {
  const bytes = Buffer.from('eaeee42ce3eef0eee40a312ccceef1eae2e00a322ccae0e7e0edfc0a', 'hex')
  const { code, said } = await bring(bytes)
  expect([code, said]).toEqual([
    2,
    expect.stringContaining('Add --encoding, likeliest first: windows-1251, '),
  ])
  expect(said).toContain('"код,город" in Windows-1251 (Cyrillic)')
  expect(said).toContain('gb18030')
  expect(await bring(bytes, '--encoding', 'windows-1251', '--number')).toMatchObject({ code: 0 })
  expect(Object.values(recordsNow()[0]!)).toContain('Москва')
})

describe('the proposed id is an identity', () => {
  test('repeated values of a column `id` are named with their lines', async () => {
    const { code, said } = await bring('id,value\nA,1\nB,2\nA,3\nC,4\nD,5\n')
    expect(code).toBe(6)
    expect(said).toContain('id is called like an id, but rows have the same: "A" in lines 2 and 4.')
    expect(said).not.toContain('--id value')
  })

  test('without an identity the way is --number', async () => {
    for (const text of [
      'note\n"first line\nsecond line"\nplain\n"a, b"\n',
      'town,visitors\nOslo,10\nOslo,20\n',
    ])
      expect(await bring(text)).toMatchObject({ code: 2, said: expect.stringContaining('--number') })
    expect(await bring('note\n"first line\nsecond line"\nplain\n', '--number')).toMatchObject({ code: 0 })
    const { code, said } = await bring('note\n"first line\nsecond line"\nplain\n', '--id', 'note')
    expect([code, said]).toEqual([6, expect.stringContaining('control character')])
  })
})

describe('missing marks belong to columns', () => {
  const ranks =
    'iso2,continent,name,rank\nNA,AF,Namibia,1\nUS,NA,United States,NA\nCA,NA,Canada,3\nZA,AF,South Africa,4\n'

  test('the advice names the column, and following it changes that column alone', async () => {
    expect((await bring(ranks)).said).toContain('--missing rank=NA.')
    expect(await bring(ranks, '--missing', 'rank=NA', '--kind', 'rank=integer')).toMatchObject({ code: 0 })
    expect(recordsNow()).toEqual([
      { continent: 'NA', iso2: 'CA', name: 'Canada', rank: 3 },
      { continent: 'AF', iso2: 'NA', name: 'Namibia', rank: 1 },
      { continent: 'NA', iso2: 'US', name: 'United States' },
      { continent: 'AF', iso2: 'ZA', name: 'South Africa', rank: 4 },
    ])
  })

  test('a mark for all columns says what it removes in each', async () => {
    const { said } = await bring(ranks, '--missing', 'NA', '--id', 'name')
    expect(said).toContain(
      '"NA" means missing: 1 value of iso2 (line 2), 2 values of continent (the first in line 3), 1 value of rank (line 3).',
    )
  })

  test('a mark with an equals sign has one more before it', async () => {
    expect(await bring('id,v\n1,=\n2,5\n3,a=b\n', '--missing', '=', '--missing', '=a=b')).toMatchObject({
      code: 0,
    })
    expect(recordsNow().map(({ v }) => v)).toEqual([undefined, 5, undefined])
  })

  test('a column that the file lacks is named', async () => {
    const { code, said } = await bring(ranks, '--missing', 'rnak=NA')
    expect([code, said]).toEqual([6, expect.stringContaining('There is no column "rnak".')])
  })
})
