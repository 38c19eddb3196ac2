/** Expected outcome of each file in `field-cases/`. Every file has a row in each table that concerns it. */
import type { ReadOptions } from '../reading/options.ts'

/** A file read without options, except `table`. */
export interface ReadingCase {
  readonly file: string
  readonly table?: string
  readonly columns: readonly string[]
  /** Values of the rows, or their number. */
  readonly rows: readonly (readonly unknown[])[] | number
  /** Options that the notes concern. */
  readonly notes?: readonly (keyof ReadOptions)[]
  /** Option with an uncertain note. */
  readonly asks?: keyof ReadOptions
}

/** A file that is refused, and the options with which it can be read. */
export interface RefusalCase {
  readonly file: string
  readonly says: string
  readonly way?: ReadOptions
  readonly rows?: readonly (readonly unknown[])[]
}

const wards = (file: string, columns: readonly string[]): ReadingCase => ({ file, columns, rows: 120 })
const ward = ['code', 'name', 'status', 'beds']

export const readingCases: readonly ReadingCase[] = [
  {
    file: 'arrays.json',
    columns: ['id', 'name'],
    rows: [
      ['1', 'a'],
      ['2', 'b'],
    ],
  },
  {
    file: 'backslashquote.csv',
    columns: ['id', 'note'],
    rows: [
      ['1', 'say "hi" now'],
      ['2', 'x'],
    ],
    notes: ['quotes'],
  },
  {
    file: 'bigexp.csv',
    columns: ['id', 'v'],
    rows: [
      ['1', '1.78784E+16'],
      ['2', '3'],
    ],
  },
  {
    file: 'bigpoint.csv',
    columns: ['id', 'v'],
    rows: [
      ['1', '9007199254740993.0'],
      ['2', '3'],
    ],
  },
  { file: 'bigexp.json', columns: ['id', 'v'], rows: 2 },
  {
    file: 'bomcrlf.ndjson',
    columns: ['id', 'a'],
    rows: [
      [1, 'x'],
      [2, 'y'],
    ],
  },
  {
    file: 'bytes.parquet',
    columns: ['code', 'n'],
    rows: [
      ['A', 1],
      ['B', 2],
    ],
  },
  {
    file: 'features.geojsonl',
    columns: ['code', 'geometry'],
    rows: ['A', 'B'].map((code) => [code, { type: 'Point', coordinates: [1.5, 2.5] }]),
    notes: ['records'],
  },
  {
    file: 'float32.parquet',
    columns: ['code', 'price'],
    rows: [
      ['A', 1.1],
      ['B', 0.3],
    ],
  },
  {
    file: 'inf.parquet',
    columns: ['code', 'v'],
    rows: [
      ['A', 1.5],
      ['B', 'Infinity'],
      ['C', undefined],
    ],
  },
  {
    file: 'comments.csv',
    columns: ['id', 'name'],
    rows: [
      ['1', 'a'],
      ['2', 'b'],
    ],
    notes: ['comment'],
  },
  { file: 'datetime.csv', columns: ['id', 'when'], rows: 2 },
  {
    file: 'decimalcomma.csv',
    columns: ['id', 'name', 'price'],
    rows: [
      ['1', 'Apple', '1,50'],
      ['2', 'Pear', '2,25'],
      ['3', 'Fig', '10,00'],
    ],
    notes: ['delimiter'],
  },
  { file: 'dmy.csv', columns: ['id', 'when'], rows: 2 },
  {
    file: 'dyn.db',
    columns: ['id', 'v'],
    rows: [
      [1, 10],
      [2, 'n/a'],
      [3, ''],
    ],
  },
  {
    file: 'ecodes.csv',
    columns: ['barcode', 'name'],
    rows: [
      ['1E5', 'A'],
      ['2E10', 'B'],
      ['3E07', 'C'],
    ],
  },
  {
    file: 'headernl.csv',
    columns: ['id', 'multi\nline', 'c'],
    rows: [
      ['1', 'a', 'b'],
      ['2', 'c', 'd'],
    ],
  },
  { file: 'headeronly.csv', columns: ['id', 'name'], rows: [] },
  {
    file: 'keyed.json',
    columns: ['key', 'name'],
    rows: [
      ['NOR', 'Norway'],
      ['SWE', 'Sweden'],
    ],
    notes: ['records'],
  },
  {
    file: 'latin1.csv',
    columns: ['id', 'name'],
    rows: [
      ['1', 'café'],
      ['2', 'z'],
    ],
    notes: ['encoding'],
  },
  {
    file: 'mix.db',
    table: 'site',
    columns: ['code', 'alt', 'active', 'pic'],
    rows: [
      ['A1', 100, 1, 'AP8='],
      ['A2', 20, 0, undefined],
    ],
  },
  { file: 'mix.db', table: 'reading', columns: ['site', 'at', 'v'], rows: 3 },
  { file: 'name-before-code.csv', columns: ['name', 'alpha-2', 'country-code'], rows: 3 },
  {
    file: 'noheader.csv',
    columns: ['column_1', 'column_2', 'column_3'],
    rows: [
      ['1', 'Goroka', 'PG'],
      ['2', 'Madang', 'PG'],
      ['3', 'Nuuk', 'GL'],
    ],
    notes: ['header'],
    asks: 'header',
  },
  {
    file: 'null-1.ndjson',
    columns: ['id', 'note'],
    rows: [
      ['a', null],
      ['b', null],
    ],
  },
  { file: 'null-2.ndjson', columns: ['id', 'note'], rows: [['c', 'x']] },
  {
    file: 'nulls.csv',
    columns: ['id', 'v'],
    rows: [
      ['1', 'NULL'],
      ['2', '3'],
      ['3', 'NaN'],
      ['4', 'NA'],
    ],
  },
  { file: 'pandas.csv', columns: ['column_1', 'first', 'last'], rows: 3 },
  {
    file: 'pipe.csv',
    columns: ['id', 'name', 'rank'],
    rows: [
      ['1', 'Oak', 'sp'],
      ['2', 'Elm', 'sp'],
    ],
    notes: ['delimiter'],
  },
  {
    file: 'sep.csv',
    columns: ['id', 'name', 'price'],
    rows: [
      ['1', 'Apple', '1,50'],
      ['2', 'Pear', '2,25'],
    ],
    notes: ['delimiter'],
  },
  {
    file: 'spacequote.csv',
    columns: ['id', 'note'],
    rows: [
      ['1', 'a, b'],
      ['2', 'c'],
    ],
    notes: ['quotes'],
  },
  {
    file: 'thousands.csv',
    columns: ['id', 'amount'],
    rows: [
      ['1', '1,338'],
      ['2', '77'],
      ['3', '2,001'],
    ],
  },
  {
    file: 'title.csv',
    columns: ['id', 'name', 'pop'],
    rows: [
      ['1', 'a', '10'],
      ['2', 'b', '20'],
    ],
    notes: ['skip'],
  },
  {
    file: 'total.csv',
    columns: ['id', 'name', 'amount'],
    rows: [
      ['1', 'a', '10'],
      ['2', 'b', '20'],
      ['Total', undefined, '30'],
    ],
  },
  { file: 'two-column-key.csv', columns: ['trip_id', 'stop_sequence', 'stop_id'], rows: 4 },
  {
    file: 'utf16nobom.csv',
    columns: ['id', 'name'],
    rows: [
      ['1', 'é'],
      ['2', 'ü'],
    ],
    notes: ['encoding'],
  },
  { file: 'versions.csv', columns: ['release', 'section', 'title'], rows: 4 },
  wards('wards-1.csv', ward),
  { ...wards('wards-2-newchoice.csv', ward), rows: 121 },
  wards('wards-3-emptycell.csv', ward),
  wards('wards-5-na.csv', ward),
  wards('wards-6-reordered.csv', ward),
  wards('wards-7-columns-reordered.csv', ['beds', 'code', 'status', 'name']),
  wards('wards-8-renamed.csv', ['code', 'ward_name', 'status', 'beds']),
  wards('wards-9-id-renamed.csv', ['ward_code', 'name', 'status', 'beds']),
  wards('wards-10-id-case.csv', ward),
  wards('wards-11-dropped.csv', ['code', 'name', 'status']),
  wards('wards-12-added.csv', [...ward, 'note']),
  { file: 'whole-1.json', columns: ['code', 'level'], rows: 2 },
  { file: 'whole-2.json', columns: ['code', 'level'], rows: 2 },
  {
    file: 'wrapped.json',
    columns: ['id', 'paragraphs'],
    rows: [
      [1, [{ q: 'x' }]],
      [2, []],
    ],
    notes: ['records'],
  },
  {
    file: 'wrapped2.json',
    columns: ['id', 'a'],
    rows: [
      [1, 2],
      [2, 3],
    ],
    notes: ['records'],
  },
]

export const refusalCases: readonly RefusalCase[] = [
  {
    file: 'interval.parquet',
    says: 'interval.parquet: The column "wait" cannot be read: interval not supported.',
    way: { leaveOut: ['wait'] },
    rows: [
      ['a', undefined, 1],
      ['b', undefined, 2],
    ],
  },
  {
    file: 'nan.ndjson',
    says: 'nan.ndjson, line 1: NaN is no JSON, though Python writes it.',
    way: { missing: ['NaN', 'Infinity'] },
    rows: [
      [1, undefined],
      [2, undefined],
    ],
  },
  {
    file: 'two-columns-one-name.csv',
    says: 'two-columns-one-name.csv, line 1: Columns 2 and 3 are both called "Bias".',
    way: { sameNames: 'number' },
    rows: [
      ['1', '0.5', '0.7'],
      ['2', '0.1', '0.2'],
    ],
  },
  { file: 'utf32.csv', says: 'utf32.csv: The file is UTF-32, which few programs read. Save it as UTF-8' },
]
