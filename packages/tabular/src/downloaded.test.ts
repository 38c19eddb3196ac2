/** A table that was downloaded from a registry, edited and uploaded: only the edits are changes. */
import { expect, test } from 'vitest'
import {
  changeSchema,
  HashSet,
  inferTable,
  type KnownType,
  matchTypes,
  openTable,
  type PlanWishes,
  planFor,
  planOf,
  proposeId,
  proposeIdFor,
  recordsOf,
  sourceOf,
} from './index.ts'
import { checkTable } from './records/check.ts'
import { keeperOf } from './records/kept-values.ts'

const schema = {
  type: 'object',
  properties: {
    name: {
      type: 'object',
      properties: { common: { type: 'string' }, official: { type: 'string' }, since: { type: 'integer' } },
      required: ['common'],
      additionalProperties: false,
      propertyOrder: 0,
    },
    code: { type: 'string', propertyOrder: 1 },
    area: { type: 'number', propertyOrder: 2 },
    isLandlocked: { type: 'boolean', propertyOrder: 3 },
    founded: { type: 'string', format: 'date', propertyOrder: 4 },
    capital: { type: ['string', 'null'], propertyOrder: 5 },
  },
  required: ['name', 'capital'],
  additionalProperties: false,
}
const country = (id: string, data: object) => ({ id, type: 'Country', data })
const countries = [
  country('no', {
    name: { common: 'Norway', official: 'Kingdom of Norway', since: 872 },
    ...{ code: '047', area: 385207, isLandlocked: false, founded: '1814-05-17', capital: 'Oslo' },
  }),
  country('at', {
    name: { common: 'Austria, "the"' },
    ...{ code: '', area: 83879.5, isLandlocked: true, capital: null },
  }),
]
const ids = new HashSet()
for (const { id } of countries) ids.add(id)
const known: KnownType = { type: 'Country', schema, ids, samples: countries }

const whole = [
  '_id,name,code,area,isLandlocked,founded,capital',
  'at,"{""common"":""Austria, \\""the\\""""}","",83879.5,true,,',
  'no,"{""common"":""Norway"",""official"":""Kingdom of Norway"",""since"":872}",047,385207,false,1814-05-17,Oslo',
].join('\n')
const chosen = [
  '_id,name.common,name.official,name.since,code,area,isLandlocked,founded,capital',
  'at,"Austria, ""the""",,,"",83879.5,true,,',
  'no,Norway,Kingdom of Norway,872,047,385207,false,1814-05-17,Oslo',
].join('\n')

async function upload(text: string, of: KnownType = known, wishes: Partial<PlanWishes> = {}) {
  const table = await openTable(sourceOf(new File([text], 'countries-v1.0.0-Country.csv')))
  const inference = await inferTable(table)
  const plan = planFor(inference, of, { type: of.type, ...wishes })
  const check = await checkTable(table, inference, plan, of.ids)
  const records = check.misfits.length > 0 ? [] : await Array.fromAsync(recordsOf(table, plan))
  return { table, inference, plan, check, records, changed: changeSchema(of.schema as typeof schema, plan) }
}

test.each([
  { name: 'objects as JSON', text: whole },
  { name: 'members as columns', text: chosen },
])('with $name: the same records, and no change of the schema', async ({ text }) => {
  const { table, inference, plan, check, records, changed } = await upload(text)
  expect(plan.id).toEqual(['_id'])
  expect(plan.leftOut).toEqual([{ name: '_id', why: 'id' }])
  expect(check).toEqual({ misfits: [], knownIds: 2 })
  expect(records).toEqual(countries.toReversed())
  expect(changed).toEqual({ schema, changes: [] })
  const [match] = await matchTypes(table, inference, [known])
  expect(match).toMatchObject({ type: 'Country', isLikely: true, sharedIds: 2 })
})

test('one edited cell changes one record', async () => {
  for (const text of [whole, chosen]) {
    const { records, changed } = await upload(text.replace('83879.5', '83880'))
    expect(changed.changes).toEqual([])
    const before = new Map(countries.map((record) => [record.id, JSON.stringify(record.data)]))
    const different = records.filter(({ id, data }) => {
      const old = JSON.parse(before.get(id)!) as object
      return !Object.entries({ ...old, ...data }).every(
        ([name, value]) =>
          JSON.stringify(value) === JSON.stringify((old as never)[name]) &&
          JSON.stringify(value) === JSON.stringify(data[name]),
      )
    })
    expect(different.map(({ id }) => id)).toEqual(['at'])
  }
})

test('`_id` is the id even if other columns are like ids, and if a row repeats or lacks it', async () => {
  const keyed: KnownType = {
    type: 'Town',
    schema: { type: 'object', properties: { id: { type: 'string' }, code: { type: 'string' } } },
    samples: [{ id: 'a', data: { id: 'a', code: 'x' } }],
  }
  const { plan, records } = await upload('_id,id,code\na,a,x\nb,b,y\n', keyed)
  expect(plan.id).toEqual(['_id'])
  expect(records[0]).toEqual({ id: 'a', type: 'Town', data: { id: 'a', code: 'x' } })
  await expect(upload('_id,id,code\na,a,x\na,b,y\n', keyed)).rejects.toThrow('An earlier row has the id "a"')
  await expect(upload('_id,id,code\na,a,x\n,b,y\n', keyed)).rejects.toThrow('`_id` has no value')
})

test('a type with a property `_id` keeps it as a field', async () => {
  const own: KnownType = {
    type: 'Town',
    schema: { type: 'object', properties: { _id: { type: 'string' }, code: { type: 'string' } } },
    samples: [{ id: 'x', data: { _id: 'a', code: 'x' } }],
  }
  const { plan, records, inference } = await upload('_id,code\na,x\nb,y\n', own)
  expect(proposeIdFor(inference, own)).toEqual({ columns: ['code'], why: 'known' })
  expect([plan.id, records[0]!.data]).toEqual([['code'], { _id: 'a', code: 'x' }])
})

test('a new type takes `_id` before other names of ids', async () => {
  const inference = await inferTable(await openTable(sourceOf(new File(['id,_id\n1,a\n2,b\n'], 'towns.csv'))))
  expect(proposeId(inference)).toEqual({ columns: ['_id'], why: 'named' })
  expect(planOf(inference, { type: 'Town' }).columns.map(({ name }) => name)).toEqual(['id'])
})

test('a member without a column is missed, and a plan cannot change the schema of an object', async () => {
  const some = chosen.replace(',name.official', '').replace('"",,', '"",').replace('Kingdom of Norway,', '')
  expect((await upload(some)).check.misfits).toMatchObject([
    { field: 'name.official', why: 'gone', sentence: 'The file has no such column.' },
  ])
  await expect(upload(chosen, known, { private: ['name.common'] })).rejects.toThrow(
    '"name.common" is a member of the object "name".',
  )
  const { check } = await upload(chosen.replace('872', 'long ago'))
  expect(check.misfits).toMatchObject([{ column: 'name.since', why: 'kind', ways: [{ do: 'missing' }] }])
})

test('a whole record in one column, where the schema lists no fields, and files by their hashes', async () => {
  const open: KnownType = { type: 'Town', schema: { type: 'object' }, samples: [] }
  const { records, changed } = await upload('_id,data\na,"{""x"":{""y"":1}}"\n', open)
  expect([records[0]!.data, changed.changes]).toEqual([{ x: { y: 1 } }, []])
  const file = { type: 'object', properties: { $file: { type: 'string' } }, required: ['$file'] }
  const illustrated: KnownType = {
    ...{ type: 'Town', samples: [] },
    schema: { type: 'object', properties: { photo: file } },
  }
  const hash = `sha256:${'0a'.repeat(32)}`
  const read = await upload(`_id,photo\na,${hash}\nb,\n`, illustrated)
  expect(read.records.map(({ data }) => data)).toEqual([{ photo: { $file: hash } }, {}])
  expect(read.changed.changes).toEqual([])
  expect((await upload('_id,photo\na,sha256:1\n', illustrated)).check.misfits).toMatchObject([
    { why: 'kind' },
  ])
})

test('a field with a dot in its name stays one', async () => {
  const dotted: KnownType = {
    type: 'Town',
    schema: {
      type: 'object',
      properties: {
        'name.en': { type: 'string' },
        name: { type: 'object', properties: { en: { type: 'string' } } },
      },
    },
    samples: [],
  }
  const { records } = await upload('_id,name.en\na,Vienna\n', dotted)
  expect(records[0]!.data).toEqual({ 'name.en': 'Vienna' })
})

const time = { type: 'string', format: 'date-time' }
const lossy: KnownType = {
  type: 'Visit',
  schema: {
    type: 'object',
    properties: {
      at: time,
      Name: { type: 'string' },
      name: { type: ['string', 'null'] },
      count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      visits: { type: 'array', items: time },
      span: { type: 'object', properties: { from: time }, additionalProperties: false },
    },
    additionalProperties: false,
  },
}
const was = {
  ...{ at: '2020-05-30T04:57:37.123456789+02:00', Name: '', name: null, count: null },
  ...{
    visits: ['2024-01-02T10:30:00+01:00', '2016-12-31T23:59:60Z'],
    span: { from: '2016-12-31T23:59:60Z' },
  },
}
const header = '_id,at,Name,name_2,count,visits,span'
const visits = '"[""2024-01-02T09:30:00Z"",null]"'

async function kept(row: string, columns = header) {
  const { table, plan, check, records, changed } = await upload(`${columns}\na,${row}\n`, lossy)
  expect([check.misfits, changed.changes]).toEqual([[], []])
  return keeperOf(table, plan)!(was, records[0]!.data)
}

test.each([
  ['as the table wrote it', `2020-05-30T02:57:37.123456Z,"",,,${visits},{}`],
  ['with quotes around every cell', `"2020-05-30T02:57:37.123456Z","","","",${visits},"{}"`],
  ['without quotes', `2020-05-30 02:57:37.123456+00:00,,,,${visits},{}`],
])('a row %s keeps the values of its record', async (_, row) => {
  expect(await kept(row)).toEqual(was)
  expect(await kept(row.replace(/,[^,]*$/, ','), header.replace('span', 'span.from'))).toEqual(was)
})

test.each([
  [
    '2020-05-30T02:57:37.123456Z',
    '2020-05-30T04:57:37.123456+02:00',
    { at: '2020-05-30T04:57:37.123456+02:00' },
  ],
  ['2020-05-30T02:57:37.123456Z', '2016-12-31T23:59:60Z', { at: '2016-12-31T23:59:60Z' }],
  ['""', 'x', { Name: 'x' }],
  [',,', ',x,', { name: 'x' }],
  [',,', ',,5', { count: 5 }],
  ['Z"",null', 'Z"",""2024-01-01T00:00:00Z""', { visits: [was.visits[0], '2024-01-01T00:00:00Z'] }],
  ['{}', '"{""from"":""2020-01-01T00:00:00Z""}"', { span: { from: '2020-01-01T00:00:00Z' } }],
])('%s as %s is an edit', async (from, to, edited) => {
  const row = `2020-05-30T02:57:37.123456Z,"",,,${visits},{}`
  expect(row).toContain(from)
  expect(await kept(row.replace(from, to))).toEqual({ ...was, ...edited })
})

test('an emptied cell is a missing value', async () => {
  const { at: _, ...others } = was
  expect(await kept(`,"",,,${visits},{}`)).toEqual(others)
})
