/** Answers to statements with the map that each must have, or the reason for none. */
import type { SqlAnswer } from '@ulmus/wire'

export type Rows = SqlAnswer['rows']
const range = (n: number) => [...Array(n).keys()]

/** Names and types of the columns, the rows, and the places that are drawn as `latitude longitude`, or the reason for none. */
export const results: [
  name: string,
  columns: Record<string, string>,
  rows: Rows,
  drawn: string[] | RegExp,
][] = [
  [
    'latitude and longitude',
    { longitude: 'DOUBLE', latitude: 'DOUBLE' },
    [
      [10, 60],
      [11, 61],
    ],
    ['60 10', '61 11'],
  ],
  ['one point', { lat: 'DOUBLE', lng: 'DOUBLE' }, [[60, 10]], ['60 10']],
  [
    'two equal points',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [60, 10],
      [60, 10],
    ],
    ['60 10', '60 10'],
  ],
  ['a list', { latlng: 'DOUBLE[]' }, [[[60, 10]], [[61, 11]]], ['60 10', '61 11']],
  ['a list of decimals', { latlng: 'DECIMAL(9,6)[2]' }, [[['60.5', '10.25']]], ['60.5 10.25']],
  ['a GeoJSON Point', { geometry: 'JSON' }, [['{"type":"Point","coordinates":[10,60]}']], ['60 10']],
  [
    'JSON of other kinds',
    { geometry: 'JSON' },
    [['{"type":"LineString","coordinates":[[10,60]]}'], ['"text"'], ['null']],
    /no row has coordinates/,
  ],
  ['an object', { place: 'STRUCT(lat DOUBLE, lon DOUBLE)' }, [[{ lat: 60, lon: 10 }], [null]], ['60 10']],
  [
    'an object of GeoJSON',
    { place: 'STRUCT("type" VARCHAR, coordinates DOUBLE[])' },
    [[{ type: 'Point', coordinates: [10, 60] }]],
    ['60 10'],
  ],
  [
    'both sides of 180°',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [-17, 179],
      [-17, -179],
    ],
    ['-17 179', '-17 -179'],
  ],
  [
    'the poles',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [90, 0],
      [-90, 0],
    ],
    ['90 0', '-90 0'],
  ],
  [
    'one pole',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [-90, 0],
      [-80, 120],
      [-80, -120],
      [-85, 0],
    ],
    ['-90 0', '-80 120', '-80 -120', '-85 0'],
  ],
  [
    'swapped numbers',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [120, 30],
      [100, 20],
    ],
    ['30 120', '20 100'],
  ],
  [
    'a number beyond 90 among others',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [[95, 30], ...range(20).map((n) => [n, 100])],
    range(20).map((n) => `${n} 100`),
  ],
  [
    'nulls',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [null, 10],
      [60, null],
      [60, 10],
    ],
    ['60 10'],
  ],
  [
    'out of range',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      [60, 181],
      [-91, 200],
      [60, 10],
    ],
    ['60 10'],
  ],
  ['metres', { lat: 'DOUBLE', lng: 'DOUBLE' }, [[6_600_000, 260_000]], /coordinates of 1 row are nowhere/],
  [
    'no numbers',
    { lat: 'DOUBLE', lng: 'DOUBLE' },
    [
      ['nan', 'inf'],
      [null, null],
    ],
    /no row has coordinates|nowhere/,
  ],
  ['no row', { lat: 'DOUBLE', lng: 'DOUBLE' }, [], /no row has coordinates/],
  ['no coordinates', { name: 'VARCHAR', people: 'BIGINT' }, [['a', 1]], /no column has coordinates/],
  ['texts', { lat: 'VARCHAR', lng: 'VARCHAR' }, [['60', '10']], /no column has coordinates/],
  [
    'members of one of two',
    { a: 'STRUCT(lat DOUBLE)', b: 'STRUCT(lng DOUBLE)' },
    [[{ lat: 1 }, { lng: 1 }]],
    /no column has coordinates/,
  ],
]
