/** Tables as publishers have them, with values that a downloaded table cannot tell: other zones, nanoseconds, null, names that differ in case. */
import type { JsonObject } from '@ulmus/content'

export interface RealTable {
  readonly type: string
  readonly schema: JsonObject
  readonly records: readonly { readonly id: string; readonly data: JsonObject }[]
  /** Text of the CSV that is replaced to edit one cell, and the member of `data` that changes. */
  readonly edit: readonly [from: string, to: string, id: string, path: string, value: unknown]
}

const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const day = { type: 'string', format: 'date' }
const time = { type: 'string', format: 'date-time' }
const orNull = (schema: JsonObject): JsonObject => ({ ...schema, type: [schema['type']!, 'null'] })
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items })
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  ...{ properties, required, additionalProperties: false },
})
const fileReference = object({ $file: text }, ['$file'])

/** A schema whose columns are in the order of `properties`. */
const schemaOf = (properties: Record<string, JsonObject>, required: string[] = []): JsonObject =>
  object(
    Object.fromEntries(
      Object.entries(properties).map(([name, property], propertyOrder) => [
        name,
        { ...property, propertyOrder },
      ]),
    ),
    required,
  )

export const realTables: readonly RealTable[] = [
  {
    type: 'CameraTrap',
    schema: schemaOf({ seen: time, species: text, count: integer }),
    records: [
      { id: 'm1', data: { seen: '2020-05-30T04:57:37+02:00', species: 'fox', count: 2 } },
      { id: 'm2', data: { seen: '2020-05-30T05:01:00.120+02:00', species: 'marten' } },
      { id: 'm3', data: { seen: '2020-05-30t05:20:10z', species: '' } },
    ],
    edit: ['marten', 'badger', 'm2', 'species', 'badger'],
  },
  {
    type: 'Sensor',
    schema: schemaOf({ at: time, value: orNull(number), unit: text }, ['value']),
    records: [
      { id: 's1', data: { at: '2024-06-01T12:00:00.123456789Z', value: 21.5, unit: '°C' } },
      { id: 's2', data: { at: '2016-12-31T23:59:60Z', value: null } },
      { id: 's3', data: { at: '2024-06-01 12:00:00.500000Z', value: 1e21 } },
      { id: 's4', data: { at: '9999-12-31T23:59:59-01:00', value: 4611686018427388000 } },
    ],
    edit: ['21.5', '21.25', 's1', 'value', 21.25],
  },
  {
    type: 'Visit',
    schema: schemaOf({ title: text, visits: listOf(time), tags: listOf(text) }),
    records: [
      { id: 'a', data: { title: 'one', visits: ['2024-01-01T00:00:00Z', '2024-01-02T10:30:00+01:00'] } },
      { id: 'b', data: { title: 'two', visits: ['2016-12-31T23:59:60Z'], tags: ['', 'a,b', '"'] } },
      { id: 'c', data: { title: 'three', visits: [], tags: [] } },
    ],
    edit: ['three', 'four', 'c', 'title', 'four'],
  },
  {
    type: 'Person',
    schema: schemaOf({ code: text, Name: text, name: text, NAME: orNull(text), '': text }),
    records: [
      { id: 'A', data: { code: 'A', Name: 'Ann', name: 'ann', NAME: null, '': 'x' } },
      { id: 'B', data: { code: 'B', Name: 'Bob', name: 'bob' } },
    ],
    edit: ['bob', 'rob', 'B', 'name', 'rob'],
  },
  {
    type: 'Population',
    schema: schemaOf({ municipality: text, year: integer, people: integer, share: number }),
    records: [
      { id: '0301', data: { municipality: 'Oslo', year: 2024, people: 717710, share: 0.1 } },
      { id: '5501', data: { municipality: 'Tromsø', year: 2024, people: 78745, share: 1e-7 } },
      { id: '9999', data: { municipality: '007', year: 2024, people: 2 ** 62, share: 5e-324 } },
      { id: '9998', data: { municipality: '1.10', people: 1e21 } },
    ],
    edit: ['78745', '78746', '5501', 'people', 78746],
  },
  {
    type: 'Price',
    schema: schemaOf(
      { product: text, price: { anyOf: [number, { type: 'null' }] }, on: day, sale: { type: 'boolean' } },
      ['price'],
    ),
    records: [
      { id: '1', data: { product: 'Milk', price: 1.1, on: '2024-02-29', sale: false } },
      { id: '2', data: { product: 'Bread; "rye"', price: null, on: '0000-01-01' } },
      { id: '3', data: { product: ' tea ', price: 100, sale: true } },
    ],
    edit: ['1.1', '1.2', '1', 'price', 1.2],
  },
  {
    type: 'Artwork',
    schema: schemaOf({
      title: text,
      artist: object({ name: text, born: time, aliases: listOf(text) }, ['name']),
      image: fileReference,
      scans: listOf(fileReference),
    }),
    records: [
      {
        id: 'nm-1',
        data: { title: 'Line\nbreak', artist: { name: 'Peder Balke', born: '1804-11-04T00:00:00+01:00' } },
      },
      { id: 'nm-2', data: { title: 'Untitled', artist: { name: 'Unknown', aliases: [] }, scans: [] } },
      { id: 'nm-3', data: { title: 'Sketch' } },
    ],
    edit: ['Sketch', 'Study', 'nm-3', 'title', 'Study'],
  },
  {
    type: 'Occurrence',
    schema: schemaOf({ species: text, extra: {}, where: { type: 'array', items: number }, notes: {} }),
    records: [
      {
        id: 'o1',
        data: { species: 'Vulpes vulpes', extra: { a: null, b: [1, '1'] }, where: [69.65, 18.96] },
      },
      { id: 'o2', data: { species: 'Lynx lynx', extra: '12', where: [], notes: '' } },
      { id: 'o3', data: { species: '{}', extra: 12, notes: null } },
      { id: 'o4', data: { species: 'null', extra: 1e21, notes: [] } },
    ],
    edit: ['Lynx lynx', 'Lynx', 'o2', 'species', 'Lynx'],
  },
  {
    type: 'Election',
    schema: {
      ...schemaOf({
        party: { $ref: '#/$defs/party' },
        votes: integer,
        counted: { enum: ['final', '', 'partial'] },
      }),
      $defs: { party: { type: ['string', 'null'] } },
    },
    records: [
      { id: 'd1', data: { party: '7', votes: 100, counted: 'final' } },
      { id: 'd2', data: { party: 'true', votes: 0, counted: '' } },
      { id: 'd3', data: { party: null, votes: 3, counted: 'partial' } },
      { id: 'd4', data: { votes: 4 } },
    ],
    edit: ['partial', 'final', 'd3', 'counted', 'final'],
  },
  {
    type: 'Grant',
    schema: schemaOf({ _id: text, id: integer, _search: text, data: text, 'a.b': text, ' spaced': text }),
    records: [
      { id: 'g-1', data: { _id: 'x', id: 1, _search: 's', data: 'd', 'a.b': 'c', ' spaced': 'sp' } },
      { id: 'g-2', data: { id: 2 } },
    ],
    edit: ['c,sp', 'c,space', 'g-1', ' spaced', 'space'],
  },
  {
    type: 'Reading',
    schema: schemaOf({ station: text, empty: time, nothing: orNull(text), level: number }),
    records: [
      {
        id: '#1',
        data: { station: '# not a comment', empty: '1990-12-31T23:59:60Z', nothing: null, level: 0 },
      },
      { id: '#2', data: { station: 'NA', nothing: '', level: -0.5 } },
    ],
    edit: ['-0.5', '-0.75', '#2', 'level', -0.75],
  },
  {
    type: 'Stop',
    schema: schemaOf({ '2019': integer, '2020': integer, '2021': integer }),
    records: [
      { id: '10', data: { '2019': 1, '2020': 2, '2021': 3 } },
      { id: '9', data: { '2019': 4, '2020': 5 } },
    ],
    edit: ['4,5', '4,6', '9', '2020', 6],
  },
  {
    type: 'Single',
    schema: schemaOf({ note: text }),
    records: [
      { id: '1', data: { note: '' } },
      { id: '2', data: {} },
      { id: '3', data: { note: '3' } },
    ],
    edit: ['3,3', '3,4', '3', 'note', '4'],
  },
  {
    type: 'Free',
    schema: { type: 'object' },
    records: [
      { id: 'f1', data: { at: '2020-05-30T04:57:37+02:00', n: null, list: [1, { a: '' }] } },
      { id: 'f2', data: {} },
    ],
    edit: ['+02:00', '+03:00', 'f1', 'at', '2020-05-30T04:57:37+03:00'],
  },
  {
    type: 'Event',
    schema: schemaOf({
      span: object({ from: time, to: orNull(time), days: listOf(day) }),
      kind: { const: 'open' },
    }),
    records: [
      {
        id: 'e1',
        data: { span: { from: '2020-05-30T04:57:37+02:00', to: null, days: ['2020-05-30'] }, kind: 'open' },
      },
      { id: 'e2', data: { span: { from: '2016-12-31T23:59:60Z' } } },
      { id: 'e3', data: { span: {} } },
      { id: 'e4', data: {} },
    ],
    edit: ['2020-05-30""]', '2020-05-31""]', 'e1', 'span', undefined],
  },
]
