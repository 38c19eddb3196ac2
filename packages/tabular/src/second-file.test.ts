/** A file for an existing type: matching the type, the plan from its schema, misfits, and changes of the schema. */
import { describe, expect, test } from 'vitest'
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
  proposeIdFor,
  recordsOf,
  schemaOf,
  sourceOf,
} from './index.ts'
import { PrivateValues, repeatedIn } from './private.ts'
import { type ColumnMisfit, checkTable, wishesWith } from './records/check.ts'

const open = (text: string, name = 'wards-2.csv') => openTable(sourceOf(new File([text], name)))

type Ward = readonly [code: string, name: string, status: string, beds: string]
const wards: readonly Ward[] = Array.from({ length: 120 }, (_, at) => [
  `W${String(at).padStart(3, '0')}`,
  `Ward ${at}`,
  at % 3 === 0 ? 'closed' : 'open',
  String((at % 7) + 1),
])
const csv = (rows: readonly Ward[], header = 'code,name,status,beds') =>
  `${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`
const withRow = (at: number, change: (ward: Ward) => Ward) =>
  wards.map((ward, place) => (place === at ? change(ward) : ward))

/** The type made by the first file, with a closed list and required fields as a careful publisher would declare. */
async function wardType(wishes: Partial<PlanWishes> = {}): Promise<KnownType> {
  const table = await open(csv(wards), 'wards.csv')
  const plan = planOf(await inferTable(table), {
    ...{ type: 'Ward', closed: ['status'], required: ['name', 'beds'], private: ['name'], ...wishes },
  })
  const [ids, samples] = [new HashSet(), [] as { id: string; data: unknown }[]]
  for await (const record of recordsOf(table, plan)) {
    ids.add(record.id)
    samples.push(record)
  }
  return { type: 'Ward', schema: schemaOf(plan), ids, samples }
}

async function second(text: string, wishes: Partial<PlanWishes> = {}, name = 'wards-2.csv') {
  const known = await wardType()
  const table = await open(text, name)
  const inference = await inferTable(table)
  const asked: PlanWishes = { type: 'Ward', ...wishes }
  const plan = planFor(inference, known, asked)
  const check = await checkTable(table, inference, plan, known.ids)
  const changed = changeSchema(known.schema as Record<string, unknown>, plan)
  return { known, table, inference, asked, plan, check, changed }
}

/** Applies the first remedy to the file's only misfit. */
async function cured(text: string) {
  const { check, asked } = await second(text)
  const [misfit] = check.misfits as [ColumnMisfit]
  expect(check.misfits).toHaveLength(1)
  const wishes = wishesWith(asked, misfit, misfit.ways[0]!)
  const again = await second(text, wishes)
  expect(again.check.misfits).toEqual([])
  return { misfit, ...again }
}

test('the same file: nothing of the schema changes, whatever the order of rows and columns', async () => {
  const turned = wards.toReversed().map(([code, name, status, beds]) => [beds, code, status, name] as const)
  for (const text of [csv(wards), csv(turned as unknown as Ward[], 'beds,code,status,name')]) {
    const { plan, check, changed } = await second(text)
    expect(check).toEqual({ misfits: [], knownIds: 120 })
    expect(changed.changes).toEqual([])
    expect(plan.id).toEqual(['code'])
    const name = plan.columns.find((column) => column.name === 'name')
    expect(name).toMatchObject({ isPrivate: true, isRequired: true, isKnown: true })
  }
})

test('a new value of a closed list', async () => {
  const text = csv(withRow(10, ([code, name, , beds]) => [code, name, 'planned', beds]))
  const { misfit, changed } = await cured(text)
  expect(misfit).toMatchObject({ column: 'status', why: 'values', count: 1, line: 12, value: '"planned"' })
  expect(misfit.sentence).toBe('1 value is none of the 2 that it may have (line 12): "planned".')
  expect(changed.changes).toMatchObject([{ field: 'status', what: 'values' }])
  expect(changed.schema['properties']).toMatchObject({ status: { enum: ['closed', 'open', 'planned'] } })
})

test('an empty cell', async () => {
  const text = csv(withRow(4, ([code, name, status]) => [code, name, status, '']))
  const { misfit, changed } = await cured(text)
  expect(misfit).toMatchObject({
    column: 'beds',
    why: 'empty',
    count: 1,
    line: 6,
    ways: [{ do: 'optional' }],
  })
  expect(changed.schema['required']).toEqual(['code', 'name'])
})

test('a mark that stands for no value, and a fraction', async () => {
  const mark = csv(withRow(4, ([code, name, status]) => [code, name, status, 'n/a']))
  expect((await second(mark)).check.misfits).toMatchObject([
    {
      ...{ column: 'beds', why: 'kind', count: 1, line: 6, value: '"n/a"' },
      ways: [
        { do: 'missing', value: 'n/a', optional: true },
        { do: 'kind', kind: 'string' },
      ],
    },
  ])
  const { misfit, changed } = await cured(
    csv(withRow(4, ([code, name, status]) => [code, name, status, '2.5'])),
  )
  expect(misfit.ways).toEqual([{ do: 'kind', kind: 'number' }])
  expect(changed.schema['properties']).toMatchObject({ beds: { type: 'number', propertyOrder: 3 } })
  expect(changed.changes[0]?.sentence).toBe('beds changes from integer to number.')
})

test('numbers with separators, where the schema has numbers', async () => {
  const { check, plan, changed, table } = await second(
    csv(withRow(4, ([code, name, status]) => [code, name, status, '"1,338"'])),
  )
  // As a decimal comma it would be no integer.
  expect([check.misfits, changed.changes]).toEqual([[], []])
  expect(plan.columns.map(({ conversion }) => conversion)).toEqual([
    undefined,
    undefined,
    undefined,
    'thousands',
  ])
  const records = []
  for await (const { data } of recordsOf(table, plan)) records.push(data['beds'])
  expect(records.slice(3, 6)).toEqual([4, 1338, 6])
})

test('a column under another name', async () => {
  const { misfit, plan, changed } = await cured(csv(wards, 'code,ward_name,status,beds'))
  expect(misfit).toMatchObject({ field: 'name', why: 'gone', line: undefined })
  expect(misfit.sentence).toBe('The file has no such column, and "ward_name" is new.')
  expect(misfit.ways).toEqual([{ do: 'rename', from: 'ward_name' }, { do: 'optional' }])
  expect(plan.columns[1]).toMatchObject({ name: 'ward_name', field: 'name', isPrivate: true })
  expect(changed.changes).toEqual([])
})

test('the id under another name, and ids in another case', async () => {
  const renamed = await cured(csv(wards, 'ward_code,name,status,beds'))
  expect(renamed.plan.id).toEqual(['ward_code'])
  expect(renamed.misfit.ways[0]).toEqual({ do: 'rename', from: 'ward_code' })
  expect(renamed.check.knownIds).toBe(120)
  const small = csv(wards.map(([code, ...rest]) => [code.toLowerCase(), ...rest] as const))
  expect((await second(small)).check).toEqual({ misfits: [], knownIds: 0 })
})

test('a column that is gone, and one that is new', async () => {
  const dropped = wards.map(([code, name, status]) => [code, name, status] as unknown as Ward)
  const { misfit, changed } = await cured(csv(dropped, 'code,name,status'))
  expect(misfit).toMatchObject({ field: 'beds', why: 'gone', ways: [{ do: 'optional' }] })
  expect(changed.schema['required']).toEqual(['code', 'name'])
  const added = await second(
    csv(
      wards.map((ward) => [...ward, 'x'] as unknown as Ward),
      'code,name,status,beds,note',
    ),
  )
  expect(added.check.misfits).toEqual([])
  expect(added.changed.changes).toEqual([{ field: 'note', what: 'new', sentence: 'note is a new field.' }])
  expect(added.changed.schema['properties']).toMatchObject({ note: { type: 'string', propertyOrder: 4 } })
})

test('an optional field may be missing from all of a JSON file, a required one from none', async () => {
  const known = await wardType({ required: ['name'] })
  const items = wards.map(([code, name, status]) => ({ code, name, status }))
  const inferred = await inferTable(await open(JSON.stringify(items), 'wards.json'))
  expect(planFor(inferred, known, { type: 'Ward' }).gone).toMatchObject([{ field: 'beds', isAccepted: true }])
  const strict = planFor(inferred, await wardType(), { type: 'Ward' })
  expect(strict.gone).toMatchObject([{ field: 'beds', isAccepted: false }])
})

test('a schema of another origin keeps what plans do not know', async () => {
  const schema = {
    title: 'Ward',
    properties: {
      beds: { type: ['integer', 'null'], minimum: 0, description: 'Beds' },
      size: { enum: [1, 2] },
    },
    required: ['beds'],
  }
  const inference = await inferTable(await open('code,beds,size\nA,1.5,1\nB,2,2\n'))
  const plan = planFor(inference, { type: 'Ward', schema }, { type: 'Ward', kinds: { beds: 'number' } })
  expect(changeSchema(schema, plan).schema).toEqual({
    title: 'Ward',
    properties: {
      beds: { type: ['number', 'null'], minimum: 0, description: 'Beds' },
      size: { enum: [1, 2] },
      // Has no order: it would come before the fields that have none.
      code: { type: 'string' },
    },
    required: ['beds'],
  })
  const open_ = { description: 'anything' }
  expect(changeSchema(open_, plan)).toEqual({ schema: open_, changes: [] })
})

test('a wish for a field that there is not', async () => {
  await expect(second(csv(wards), { optional: ['bed'] })).rejects.toThrow('There is no column "bed"')
})

describe('which type a file is of', () => {
  test('the one with its columns and ids, in words', async () => {
    const table = await open(csv(wards), 'export (1).csv')
    const inference = await inferTable(table)
    const other: KnownType = { type: 'Person', schema: { properties: { name: {}, age: {} } } }
    const [first, ...rest] = await matchTypes(table, inference, [other, await wardType()])
    expect(first).toMatchObject({ type: 'Ward', isLikely: true, sharedIds: 120 })
    expect(first!.reason).toBe('4 of 4 columns are fields of Ward, and 120 of 120 ids are in it.')
    expect(rest).toMatchObject([{ type: 'Person', isLikely: false }])
  })

  test('none where a name is all that they share', async () => {
    const matched = async (text: string, name: string, known: KnownType) => {
      const table = await open(text, name)
      return matchTypes(table, await inferTable(table), [known])
    }
    const birds = 'id,name,beak\n1,a,long\n2,b,short\n'
    expect(await matched(birds, 'birds.csv', await wardType())).toMatchObject([{ isLikely: false }])
    // Numbers from 1 on are ids in many types.
    const numbered = (type: string): KnownType => {
      const ids = new HashSet()
      for (const id of ['1', '2', '3']) ids.add(id)
      return {
        type,
        schema: { properties: { amount: {} } },
        ids,
        samples: [{ id: '1', data: { amount: 1 } }],
      }
    }
    const prices = 'id,amount\n1,5\n2,6\n'
    expect(await matched(prices, 'prices.csv', numbered('Total'))).toMatchObject([
      { isLikely: false, sharedIds: 2 },
    ])
    expect(await matched(prices, 'prices.csv', numbered('Prices'))).toMatchObject([{ isLikely: true }])
    expect(await matched('a,b\n1,2\n', 'x.csv', await wardType())).toEqual([])
  })

  test('ids of several columns are compared as they are joined', async () => {
    const table = await open('Region,Code\nCentre,401\nNorth,401\nA~B,402\nSouth,9\n', 'x.csv')
    const ids = new HashSet()
    for (const id of ['Centre~401', 'North~401', 'A%7EB~402']) ids.add(id)
    const known: KnownType = {
      ...{ type: 'Grant', schema: { properties: { Region: {}, Code: {}, Title: {}, Amount: {}, Year: {} } } },
      ...{ ids, samples: [{ id: 'Centre~401', data: { Region: 'Centre', Code: 401 } }] },
    }
    const [match] = await matchTypes(table, await inferTable(table), [known])
    expect(match).toMatchObject({ sharedIds: 3, isLikely: true })
  })
})

test('the id of several columns is found again in the records that are there', async () => {
  const text = 'stop,trip,name\n1,T~1,a\n2,T~1,b\n1,T2,c\n'
  const samples = [
    { id: 'T%7E1~1', data: { trip: 'T~1', stop: 1, name: 'a' } },
    { id: 'T2~1', data: { trip: 'T2', stop: 1, name: 'c' } },
  ]
  const inference = await inferTable(await open(text))
  const known = { type: 'Stop', schema: {}, samples }
  expect(proposeIdFor(inference, known)).toEqual({ columns: ['trip', 'stop'], why: 'known' })
})

describe('a type whose rows were numbered', () => {
  const people = (column: string) =>
    `${column},name,starts\n${['ann', 'bo', 'cy', 'di'].map((one, at) => `${one}@x.org,${one},2026-01-0${at + 1}`).join('\n')}\n`
  const numbered = async () => {
    const table = await open(people('email'), 'people.csv')
    const plan = planOf(await inferTable(table), { type: 'Person', id: null, private: ['email'] })
    const [ids, samples] = [new HashSet(), [] as { id: string; data: object }[]]
    for await (const record of recordsOf(table, plan)) {
      ids.add(record.id)
      samples.push(record)
    }
    return { type: 'Person', schema: schemaOf(plan), ids, samples }
  }

  test('is numbered in the next file, too, whose rows are then the same records', async () => {
    const known = await numbered()
    const inference = await inferTable(await open(people('email'), 'people.csv'))
    expect(proposeIdFor(inference, known)).toEqual({ columns: [], why: 'known' })
    expect(planFor(inference, known, { type: 'Person' }).id).toEqual([])
    const [match] = await matchTypes(await open(people('email'), 'people.csv'), inference, [known])
    expect(match).toMatchObject({ sharedIds: undefined, isLikely: true })
  })

  test('a renamed private column is found, and is no id', async () => {
    const known = await numbered()
    const table = await open(people('mail'), 'people.csv')
    const inference = await inferTable(table)
    const plan = planFor(inference, known, { type: 'Person' })
    const values = new PrivateValues('Person', known.schema, ['email'])
    for (const { id, data } of known.samples) values.add(id, data)
    const repeats = await repeatedIn(table, inference, plan, [values], known)
    expect([plan.id, [...repeats]]).toEqual([[], [['mail', { type: 'Person', field: 'email' }]]])
  })
})
