/** Imports every file of the field cases: as the first file of a type, and as a second one. Outcomes of reading: packages/tabular. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPerson, type Person } from '../testing/cli.ts'

const folder = join(import.meta.dirname, '../../../../packages/tabular/src/testing/field-cases')

let ada: Person
beforeEach(async () => {
  ada = openPerson('http://127.0.0.1:9')
  expect(await ada.ulmus('f', 'init', 'ada/first')).toMatchObject({ code: 0 })
})
afterEach(() => ada.dispose())

async function bring(file: string, ...flags: string[]) {
  copyFileSync(join(folder, file), join(ada.home, file))
  return ada.ulmus('f', 'import', `../${file}`, '--yes', '--type', 'T', ...flags)
}

/** `name:kind` of each field, in page order. */
function fieldsNow() {
  const { properties } = JSON.parse(readFileSync(join(ada.home, 'f/schemas/T.json'), 'utf8')) as {
    properties: Record<string, { type?: string; propertyOrder: number }>
  }
  return Object.entries(properties)
    .sort(([, a], [, b]) => a.propertyOrder - b.propertyOrder)
    .map(([name, { type = 'any' }]) => `${name}:${type}`)
}

interface Imported {
  readonly records: number
  readonly id: string
  readonly fields: readonly string[]
  readonly says?: readonly string[]
}
interface Refused {
  readonly code: 2 | 6
  readonly says: readonly string[]
  /** Flags that the refusals name and that make the import succeed. Absent: the file itself must change. */
  readonly way?: readonly string[]
}

const wardFields = ['code:string', 'name:string', 'status:string', 'beds:integer']

const firstFiles: Readonly<Record<string, Imported | Refused>> = {
  'arrays.json': { records: 2, id: 'id', fields: ['name:string'] },
  'backslashquote.csv': { records: 2, id: 'id', fields: ['note:string'], says: ['--quotes doubled'] },
  'bigexp.csv': { records: 2, id: 'id', fields: ['v:number'] },
  'bigexp.json': { records: 2, id: 'id', fields: ['v:number'] },
  'bigpoint.csv': { records: 2, id: 'id', fields: ['v:string'] },
  'bomcrlf.ndjson': { records: 2, id: 'id', fields: ['a:string'] },
  'bytes.parquet': { records: 2, id: 'code', fields: ['code:string', 'n:integer'] },
  'comments.csv': { records: 2, id: 'id', fields: ['name:string'], says: ["--comment ''"] },
  'datetime.csv': { records: 2, id: 'id', fields: ['when:string'], says: ['--convert when=utc'] },
  'decimalcomma.csv': {
    records: 3,
    id: 'id',
    fields: ['name:string', 'price:string'],
    says: ['--delimiter ,', '--convert price=decimal-comma'],
  },
  'dmy.csv': { records: 2, id: 'id', fields: ['when:string'], says: ['--convert when=day-month-year'] },
  'dyn.db': { records: 3, id: 'id', fields: ['v:any'] },
  'ecodes.csv': {
    records: 3,
    id: 'barcode',
    fields: ['barcode:string', 'name:string'],
    says: ['1E5 in line 2 looks like a code', '--kind barcode=number'],
  },
  'features.geojsonl': { records: 2, id: 'code', fields: ['code:string', 'geometry:object'] },
  'interval.parquet': {
    code: 6,
    says: ['The column "wait" cannot be read', '--leave-out wait'],
    way: ['--leave-out', 'wait'],
  },
  'float32.parquet': { records: 2, id: 'code', fields: ['code:string', 'price:number'] },
  'headernl.csv': { records: 2, id: 'id', fields: ['multi\nline:string', 'c:string'] },
  'headeronly.csv': { code: 6, says: ['has no rows'] },
  'inf.parquet': {
    records: 3,
    id: 'code',
    fields: ['code:string', 'v:string'],
    says: ['--missing v=Infinity'],
  },
  'keyed.json': { records: 2, id: 'key', fields: ['key:string', 'name:string'] },
  'latin1.csv': {
    records: 2,
    id: 'id',
    fields: ['name:string'],
    says: ['Windows-1252', '--encoding windows-1250'],
  },
  'mix.db': { code: 6, says: ['--table', 'reading, site'], way: ['--table', 'site'] },
  'name-before-code.csv': {
    records: 3,
    id: 'country-code',
    fields: ['name:string', 'alpha-2:string', 'country-code:string'],
  },
  'nan.ndjson': { code: 6, says: ['NaN is no JSON'], way: ['--missing', 'NaN', '--missing', 'Infinity'] },
  'noheader.csv': { code: 2, says: ['The first row may be data'], way: ['--no-header', '--number'] },
  'null-1.ndjson': { records: 2, id: 'id', fields: [], says: ['Left out: note (it is empty)'] },
  'null-2.ndjson': { records: 1, id: 'id', fields: ['note:string'] },
  'nulls.csv': {
    records: 4,
    id: 'id',
    fields: ['v:string'],
    says: ['--missing v=NULL --missing v=NaN --missing v=NA'],
  },
  'pandas.csv': {
    records: 3,
    id: 'first',
    fields: ['column_1:integer', 'first:string', 'last:string'],
    says: ['No column is called like an id'],
  },
  'pipe.csv': { records: 2, id: 'id', fields: ['name:string', 'rank:string'] },
  'sep.csv': { records: 2, id: 'id', fields: ['name:string', 'price:string'] },
  'spacequote.csv': { records: 2, id: 'id', fields: ['note:string'] },
  'thousands.csv': {
    records: 3,
    id: 'id',
    fields: ['amount:string'],
    says: ['--convert amount=thousands', '--convert amount=decimal-comma'],
  },
  'title.csv': {
    records: 2,
    id: 'id',
    fields: ['name:string', 'pop:integer'],
    says: ['Lines 1 to 2 are above the header', '--skip 0'],
  },
  'total.csv': { records: 3, id: 'id', fields: ['name:string', 'amount:integer'] },
  'two-column-key.csv': {
    code: 2,
    says: ['trip_id and stop_sequence do together'],
    way: ['--id', 'trip_id', '--id', 'stop_sequence'],
  },
  'two-columns-one-name.csv': {
    code: 6,
    says: ['Columns 2 and 3 are both called "Bias"'],
    way: ['--rename-duplicates'],
  },
  'utf16nobom.csv': { records: 2, id: 'id', fields: ['name:string'], says: ['UTF-16LE'] },
  'utf32.csv': { code: 6, says: ['The file is UTF-32', 'Save it as UTF-8'] },
  'versions.csv': {
    records: 4,
    id: 'release',
    fields: ['release:string', 'section:string', 'title:string'],
    says: ['1.1 and 1.10 (line 3) would be one number', '--kind section=number'],
  },
  'wards-1.csv': { records: 120, id: 'code', fields: wardFields, says: ['--closed-list status'] },
  'whole-1.json': { records: 2, id: 'code', fields: ['code:string', 'level:number'] },
  'whole-2.json': { records: 2, id: 'code', fields: ['code:string', 'level:number'] },
  'wrapped.json': { records: 2, id: 'id', fields: ['paragraphs:array'], says: ['the list "data"'] },
  'wrapped2.json': { records: 2, id: 'id', fields: ['a:integer'], says: ['the list "data.items"'] },
}

/** Each case imports the first file into the folder, then the second one. */
const secondFiles: readonly (readonly [first: string, second: string, Imported | Refused])[] = [
  ['wards-1.csv', 'wards-1.csv', { records: 120, id: 'code', fields: wardFields }],
  ['wards-1.csv', 'wards-2-newchoice.csv', { records: 121, id: 'code', fields: wardFields }],
  ['wards-1.csv', 'wards-3-emptycell.csv', { records: 120, id: 'code', fields: wardFields }],
  ['wards-1.csv', 'wards-5-na.csv', { code: 6, says: ['(line 6): "n/a"'], way: ['--missing', 'beds=n/a'] }],
  ['wards-1.csv', 'wards-6-reordered.csv', { records: 120, id: 'code', fields: wardFields }],
  ['wards-1.csv', 'wards-7-columns-reordered.csv', { records: 120, id: 'code', fields: wardFields }],
  [
    'wards-1.csv',
    'wards-8-renamed.csv',
    { code: 6, says: ['"ward_name" is new'], way: ['--rename', 'ward_name=name'] },
  ],
  [
    'wards-1.csv',
    'wards-9-id-renamed.csv',
    { code: 6, says: ['"ward_code" is new'], way: ['--rename', 'ward_code=code'] },
  ],
  [
    'wards-1.csv',
    'wards-10-id-case.csv',
    { code: 6, says: ['all ids of the file are new'], way: ['--max-removed', '100%'] },
  ],
  ['wards-1.csv', 'wards-11-dropped.csv', { code: 6, says: ['beds: '], way: ['--optional', 'beds'] }],
  [
    'wards-1.csv',
    'wards-12-added.csv',
    { records: 120, id: 'code', fields: [...wardFields, 'note:string'], says: ['note is a new field'] },
  ],
  ['whole-1.json', 'whole-2.json', { records: 2, id: 'code', fields: ['code:string', 'level:number'] }],
  [
    'null-1.ndjson',
    'null-2.ndjson',
    { code: 6, says: ['note is a new field'], way: ['--max-removed', '100%'] },
  ],
]

async function expectOutcome(file: string, outcome: Imported | Refused) {
  const { code, said } = await bring(file)
  for (const words of outcome.says ?? []) expect(said).toContain(words)
  if ('records' in outcome) {
    expect([code, fieldsNow()]).toEqual([0, outcome.fields])
    expect(said).toMatch(new RegExp(`^${outcome.records} rows? as T, identified by ${outcome.id}:`, 'm'))
    return
  }
  expect(code).toBe(outcome.code)
  if (outcome.way === undefined) return
  // Refusals name flags one at a time; add the next one for each attempt.
  const [flag] = outcome.way
  expect(said).toContain(flag)
  expect(await bring(file, ...outcome.way)).toMatchObject({ code: 0 })
}

describe('a first file', () => {
  test.each(Object.entries(firstFiles))('%s is imported, or refused with a way on', expectOutcome)
})

describe('a second file', () => {
  test.each(secondFiles)(
    'after %s, %s is imported, or refused with a way on',
    async (first, second, outcome) => {
      expect(await bring(first)).toMatchObject({ code: 0 })
      await expectOutcome(second, outcome)
    },
  )
})

test('every file has its outcome', () => {
  const named = new Set<unknown>([...Object.keys(firstFiles), ...secondFiles.flat()])
  expect(readdirSync(folder).filter((file) => file !== 'README.md' && !named.has(file))).toEqual([])
})
