/** Results of statements with the chart that each must have, or the reason for none. */
import type { ChartSource } from './source.ts'

export type Rows = ChartSource['rows']
export const range = (n: number) => [...Array(n).keys()]
export const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
const month = (n: number) => new Date(Date.UTC(2024, n, 1)).toISOString().slice(0, 10)
const long = 'A sentence of two hundred characters. '.repeat(6).slice(0, 200)

/** Types of the columns, the rows, and the drawing: its form with the points of each series, or the reason for none. */
export const results: [name: string, types: string, rows: Rows, drawn: string | RegExp][] = [
  ['one row', 'VARCHAR INTEGER', [['a', 1]], /two rows/],
  ['no row', 'VARCHAR INTEGER', [], /two rows/],
  ['one column of texts', 'VARCHAR', [['a'], ['b']], /two numbers/],
  ['one column of few numbers', 'INTEGER', range(9).map((n) => [n]), /ten numbers/],
  ['one column of numbers', 'DOUBLE', range(200).map((n) => [n ** 1.5]), 'histogram 15'],
  ['equal values', 'DOUBLE', range(50).map(() => [7]), /all values of c0 are equal/],
  [
    'names and numbers',
    'VARCHAR INTEGER',
    [
      ['a', 3],
      ['b', 5],
    ],
    'bars 2',
  ],
  [
    'numbers before names',
    'INTEGER VARCHAR',
    [
      [3, 'a'],
      [5, 'b'],
    ],
    'bars 2',
  ],
  ['31 names', 'VARCHAR INTEGER', range(31).map((n) => [`n${n}`, n]), 'bars 30'],
  [
    'repeated names',
    'VARCHAR INTEGER',
    [
      ['a', 3],
      ['a', 5],
    ],
    /several rows have the same c0/,
  ],
  [
    'repeated empty names',
    'VARCHAR INTEGER',
    [
      [null, 3],
      [null, 5],
    ],
    /several rows have the same c0/,
  ],
  [
    'a name and a gap',
    'VARCHAR INTEGER',
    [
      ['a', 3],
      ['b', null],
      [null, 4],
    ],
    'bars 3',
  ],
  [
    'negative values',
    'VARCHAR DOUBLE',
    [
      ['a', -3.5],
      ['b', 5],
      ['c', -1],
    ],
    'bars 3',
  ],
  [
    'one huge outlier',
    'VARCHAR DOUBLE',
    [
      ['a', 1],
      ['b', 2],
      ['c', 1e12],
    ],
    'bars 3',
  ],
  [
    'texts of 200 characters',
    'VARCHAR INTEGER',
    [
      [`${long}a`, 1],
      [`${long}b`, 2],
    ],
    'bars 2',
  ],
  [
    'booleans',
    'BOOLEAN BIGINT',
    [
      [true, 3],
      [false, 5],
    ],
    'bars 2',
  ],
  [
    'pairs of names',
    'VARCHAR VARCHAR INTEGER',
    ['a', 'b'].flatMap((a) => ['x', 'y'].map((x) => [a, x, 1])),
    'bars 2+2',
  ],
  [
    'few of the pairs',
    'VARCHAR VARCHAR INTEGER',
    [
      ['a', 'x', 1],
      ['a', 'y', 2],
      ['b', 'z', 3],
    ],
    'bars 3',
  ],
  [
    'a name that seems to tell rows apart',
    'VARCHAR VARCHAR INTEGER',
    [
      ['NO', '1', 1],
      ['NO', '2', 2],
      ['SE', '3', 3],
      ['SE', '4', 4],
    ],
    'bars 4',
  ],
  ['300 days', 'DATE DOUBLE', range(300).map((n) => [day(n), Math.sin(n)]), 'lines 300'],
  [
    'days in no order',
    'DATE INTEGER',
    [
      [day(2), 3],
      [day(0), 1],
      [day(1), 2],
    ],
    'lines 3',
  ],
  [
    'the same day twice',
    'DATE INTEGER',
    [
      [day(0), 1],
      [day(0), 2],
      [day(1), 3],
    ],
    /several rows have the same c0/,
  ],
  [
    'three series over months',
    'DATE VARCHAR INTEGER',
    range(24).flatMap((n) => ['a', 'b', 'c'].map((s) => [month(n), s, n])),
    'lines 24+24+24',
  ],
  [
    'twelve series',
    'DATE VARCHAR INTEGER',
    range(3).flatMap((n) => range(12).map((s) => [month(n), `s${s}`, s])),
    `lines ${Array(8).fill(3).join('+')}`,
  ],
  [
    'a gap in a line',
    'DATE INTEGER',
    [
      [day(0), 1],
      [day(1), null],
      [day(2), 3],
      [day(3), 4],
    ],
    'lines 4',
  ],
  [
    'dates before 1900',
    'DATE INTEGER',
    [
      ['1066-10-14', 1],
      ['1789-07-14', 2],
    ],
    'lines 2',
  ],
  [
    'times',
    'TIMESTAMP INTEGER',
    [
      ['2026-01-01 10:00:00', 1],
      ['2026-01-01 11:30:00', 2],
    ],
    'lines 2',
  ],
  [
    'no time that has a place',
    'TIMESTAMP INTEGER',
    [
      ['infinity', 1],
      [null, 2],
    ],
    /two rows with a c0/,
  ],
  [
    'a time without a place',
    'TIMESTAMP INTEGER',
    [
      ['infinity', 1],
      [day(0), 2],
      [day(1), 2],
    ],
    'lines 2',
  ],
  [
    'years',
    'INTEGER DOUBLE',
    [
      [2020, 1.5],
      [2022, 3],
      [2021, 2],
    ],
    'lines 3',
  ],
  [
    'the same year twice',
    'INTEGER DOUBLE',
    [
      [2020, 1.5],
      [2020, 3],
    ],
    /several rows have the same c0/,
  ],
  ['two numbers', 'DOUBLE DOUBLE', range(500).map((n) => [n / 7, (n * n) % 97]), 'points 500'],
  [
    'two numbers with gaps',
    'DOUBLE DOUBLE',
    [
      [1, 2],
      [null, 3],
      [4, null],
      [5, 6],
    ],
    'points 2',
  ],
  ['5,001 rows', 'DOUBLE DOUBLE', range(5_001).map((n) => [n / 7, n]), /room for 5,000 rows/],
  ['10,000 rows', 'VARCHAR DOUBLE', range(10_000).map((n) => [`n${n}`, n]), /room for 5,000 rows/],
  [
    'lists',
    'VARCHAR[] INTEGER',
    [
      [['a'], 1],
      [['b'], 2],
    ],
    /Name a column of texts/,
  ],
  [
    'large whole numbers',
    'VARCHAR HUGEINT',
    [
      ['a', '170141183460469231731687303715884105727'],
      ['b', '1'],
    ],
    'bars 2',
  ],
  [
    'no number at all',
    'VARCHAR DOUBLE',
    [
      ['a', 'nan'],
      ['b', 'inf'],
    ],
    /two numbers/,
  ],
  [
    'equal values in a line',
    'DATE INTEGER',
    [
      [day(0), 5],
      [day(1), 5],
    ],
    'lines 2',
  ],
  [
    'the largest numbers',
    'DATE DOUBLE',
    [
      [day(0), 1.7e308],
      [day(1), -1.7e308],
      [day(2), 1],
      [day(3), 2],
    ],
    'lines 4',
  ],
  [
    'numbers next to each other',
    'DATE DOUBLE',
    [
      [day(0), 1e15],
      [day(1), 1e15 + 1],
    ],
    'lines 2',
  ],
]
