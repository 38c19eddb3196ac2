/** Proposals of the inference besides kinds: ids, codes, conversions and declared numbers. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  inferTable,
  joinIds,
  keyOfTwo,
  misfitsOf,
  openTable,
  type PlanWishes,
  planOf,
  proposeId,
  recordsOf,
  schemaOf,
  sourceOf,
  type Table,
} from './index.ts'
import { converted } from './inference/conversions.ts'

const open = (name: string, text: string) => openTable(sourceOf(new File([text], name)))

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

async function read(table: Table, wishes: Partial<PlanWishes> = {}) {
  const inference = await inferTable(table)
  const plan = planOf(inference, { type: 'T', ...wishes })
  const properties = schemaOf(plan)['properties'] as Record<string, { type?: unknown }>
  return { inference, plan, properties, records: await all(recordsOf(table, plan)) }
}

describe('the id', () => {
  test.each<[header: string, rows: readonly string[], id: string | undefined, why: string | undefined]>([
    ['name,alpha-2,country-code', ['Northland,NL,004', 'Southland,SL,012'], 'country-code', 'named'],
    ['name,stationid', ['A,7', 'B,8'], 'stationid', 'named'],
    ['label,SiteNo,ID', ['A,7,1', 'B,8,2'], 'ID', 'named'],
    // Counts, measurements, positions in an order and unnamed columns are not ids.
    ['Rank,Country,Medals', ['1,Norway,37', '2,Germany,27'], 'Country', 'unique'],
    ['rank,medals', ['1,37', '2,27'], undefined, undefined],
    ['t,temp', ['10.5,3', '11.5,4'], undefined, undefined],
    [',first,last', ['0,Ann,Ek', '1,Bo,Li'], 'first', 'unique'],
    ['covid,grid,year', ['1,2,2020', '2,3,2021'], 'year', 'unique'],
    ['valid,day', ['1,2020-01-01', '2,2020-01-02'], 'day', 'unique'],
    ['code,name', ['A,x', 'A,y'], 'name', 'unique'],
    // Texts that are numbers or times but for notation, a unit or a mark.
    [
      'temp,at',
      ['degree_C,UTC', '11.5,2024-01-31T00:00:00Z', '12,2024-01-31T01:00:00Z'],
      undefined,
      undefined,
    ],
    ['price,town', ['€ 5,Oslo', '€ 7,Bergen'], 'town', 'unique'],
    ['visitors,town', ['"1,338",Oslo', '"2,001",Bergen'], 'town', 'unique'],
    // A line break would be refused as an id.
    ['note', ['"first\nsecond"', 'plain'], undefined, undefined],
    ['note,town', ['"a\nb",Oslo', 'c,Bergen'], 'town', 'unique'],
    // Two mistakes do not make another id.
    ['id,name', ['1,x', '2,y', '2,z'], 'id', 'named'],
    ['id,code', ['1,x', '2,y', '2,z'], 'code', 'named'],
    ['id,lang,text', ['1,de,a', '1,en,a', '2,de,a', '2,en,a'], undefined, undefined],
  ])('of %j', async (header, rows, id, why) => {
    const proposal = proposeId(await inferTable(await open('a.csv', [header, ...rows, ''].join('\n'))))
    expect([proposal?.columns[0], proposal?.why]).toEqual([id, why])
  })

  test('is the key that the file declares', async () => {
    const table = await open('a.csv', 'id,site,at\n1,A,1\n2,A,2\n')
    const inference = await inferTable({ ...table, key: ['site', 'at'] })
    expect(proposeId(inference)).toEqual({ columns: ['site', 'at'], why: 'declared' })
  })

  test.each<[header: string, rows: readonly string[], pair: readonly string[] | undefined]>([
    ['trip_id,stop_sequence,x', ['T1,1,1', 'T1,2,1', 'T2,1,1'], ['trip_id', 'stop_sequence']],
    ['id,lang', ['1,de', '1,en', '2,de', '2,en'], ['id', 'lang']],
    ['year,month,x', ['2024,1,1', '2024,2,1', '2025,1,1'], ['year', 'month']],
    // Measurements differ by chance.
    ['town,visitors', ['Oslo,10', 'Oslo,20', 'Bergen,10'], undefined],
    ['town,visitors', ['Oslo,"1,010"', 'Oslo,"1,020"', 'Bergen,"1,010"'], undefined],
    ['town,visitors', ['Oslo,NA', 'Oslo,20', 'Oslo,30', 'Bergen,20'], undefined],
  ])('of two columns: %j', async (header, rows, pair) => {
    const table = await open('a.csv', [header, ...rows, ''].join('\n'))
    expect(await keyOfTwo(table, await inferTable(table))).toEqual(pair)
  })

  test('names the values that repeat in a column called like an id, with their lines', async () => {
    const inference = await inferTable(await open('a.csv', 'id,value\n1,5\n2,6\n1,7\n3,8\n2,9\n'))
    expect(proposeId(inference)?.repeats).toEqual([
      { value: '1', line: 4 },
      { value: '2', line: 6 },
    ])
  })

  test('of several columns is their values, joined', async () => {
    const text = 'trip,stop,name\nT1,1,a\nT1,2,b\nT~1,1,c\n'
    const { records, plan } = await read(await open('a.csv', text), { id: ['trip', 'stop'] })
    expect(records.map(({ id }) => id)).toEqual(['T1~1', 'T1~2', 'T%7E1~1'])
    expect(records[0]!.data).toEqual({ trip: 'T1', stop: 1, name: 'a' })
    expect(plan.columns.map(({ isRequired }) => isRequired)).toEqual([true, true, false])
    const twice = await open('a.csv', 'a,b\n1,2\n1,2\n')
    await expect(read(twice, { id: ['a', 'b'] })).rejects.toThrow(
      'line 3: An earlier row has the id "1~2" too',
    )
    const half = await open('a.csv', 'a,b\n1,\n')
    await expect(read(half, { id: ['a', 'b'] })).rejects.toThrow('`b` has no value, and it is part of the id')
  })

  test('no two rows of different values have one id', () => {
    const part = fc.string({ unit: fc.constantFrom('~', '%', '7', 'E', '2', '5', 'a'), maxLength: 4 })
    const parts = fc.array(part, { minLength: 2, maxLength: 2 })
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(joinIds(a) === joinIds(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
        expect(joinIds(a).split('~').map(decodeURIComponent)).toEqual(a)
      }),
    )
  })
})

describe('codes that look like numbers stay texts', () => {
  test.each<[values: readonly string[], kind: string, reason: object | undefined]>([
    [['1.1', '1.10', '1.2'], 'string', { line: 3, value: '1.10', other: '1.1' }],
    [['250.0', '250.00'], 'string', { line: 3, value: '250.00', other: '250.0' }],
    [['1', '1.0'], 'string', { line: 3, value: '1.0', other: '1' }],
    [['1E5', '2E10'], 'string', { line: 2, value: '1E5', other: undefined }],
    [
      ['1', '123456789012345678'],
      'string',
      { line: 3, value: '123456789012345678', other: undefined, isLong: true },
    ],
    // Prices have trailing zeros, programs write exponents, and sensors minus zero.
    [['1.50', '2.25', '10.00', '1.50'], 'number', undefined],
    [['1.78784E+16', '3', '1e-05', '1.0E5'], 'number', undefined],
    [['0.0', '-0.0', '1.5'], 'number', undefined],
  ])('%j: %s', async (values, kind, reason) => {
    const { inference, records } = await read(await open('a.csv', `v\n${values.join('\n')}\n`), { id: null })
    expect([inference.columns[0]!.kind, inference.columns[0]!.codes]).toEqual([kind, reason])
    expect(misfitsOf(inference.columns[0]!)).toBeUndefined()
    const expected = values.map((value) => (kind === 'string' ? value : Number(value)))
    expect(records.map(({ data }) => data['v'])).toEqual(expected)
  })
})

describe('conversions are offered, and applied when they are asked for', () => {
  test.each<
    [values: readonly string[], conversion: string, kind: string, count: number, read: readonly unknown[]]
  >([
    [['"1,338"', '77', '"2,001"'], 'thousands', 'integer', 2, [1338, 77, 2001]],
    [['1 338.5', '2 001'], 'thousands', 'number', 2, [1338.5, 2001]],
    [['"1,50"', '"10,00"', '"1.234,50"'], 'decimal-comma', 'number', 3, [1.5, 10, 1234.5]],
    [['1.234.567', '12'], 'point-thousands', 'integer', 1, [1234567, 12]],
    [['"€ 533,084"', '€5', '-€ 1.50', '7'], 'currency', 'number', 3, [533084, 5, -1.5, 7]],
    [['"US$1,234"', 'US$7'], 'currency', 'integer', 2, [1234, 7]],
    [["CHF 1'234.50", 'CHF -2'], 'currency', 'number', 2, [1234.5, -2]],
    [['"1.234,50 €"', '"-7,5 €"'], 'currency-comma', 'number', 2, [1234.5, -7.5]],
    [['1 234 kr', '5 kr'], 'currency', 'integer', 2, [1234, 5]],
    [['ja', 'Nein'], 'yes-no', 'boolean', 2, [true, false]],
    [['OUI', 'non'], 'yes-no', 'boolean', 2, [true, false]],
    [['sí', 'no'], 'yes-no', 'boolean', 2, [true, false]],
    [['12%', '"7,5 %"'], 'percent', 'number', 2, [12, 7.5]],
    [['Yes', 'no', 'Y'], 'yes-no', 'boolean', 3, [true, false, true]],
    [['31/01/2024', '1.2.2024'], 'day-month-year', 'date', 2, ['2024-01-31', '2024-02-01']],
    [['01/31/2024', '2024-02-01'], 'month-day-year', 'date', 1, ['2024-01-31', '2024-02-01']],
    [['2024/1/31'], 'year-month-day', 'date', 1, ['2024-01-31']],
    [
      ['2024-01-31 12:00:00', '2024-02-01 13:30', '2024-02-01T13:30:00+0100'],
      ...(['utc', 'date-time', 3] as const),
      ['2024-01-31T12:00:00Z', '2024-02-01T13:30:00Z', '2024-02-01T13:30:00+01:00'],
    ],
  ])('%j: %s', async (values, conversion, kind, count, expected) => {
    const table = await open('a.csv', `v\n${values.join('\n')}\n`)
    const [column] = (await inferTable(table)).columns
    const offer = column!.conversions.find((one) => one.conversion === conversion)
    expect([column!.kind, offer?.kind, offer?.count]).toEqual(['string', kind, count])
    const { records } = await read(table, { id: null, conversions: { v: offer!.conversion } })
    expect(records.map(({ data }) => data['v'])).toEqual(expected)
  })

  test('both ways to read what can be read both ways', async () => {
    const offered = async (...values: string[]) => {
      const [column] = (await inferTable(await open('a.csv', `v\n${values.join('\n')}\n`))).columns
      return column!.conversions.map(({ conversion }) => conversion)
    }
    expect(await offered('01/02/2024')).toEqual(['day-month-year', 'month-day-year'])
    expect(await offered('"1,338"')).toEqual(['thousands', 'decimal-comma'])
    expect(await offered('01/02/2024', '13/02/2024')).toEqual(['day-month-year'])
    // An impossible day; numbers; words.
    expect(await offered('31/02/2024')).toEqual([])
    expect(await offered('1.234', '2.5')).toEqual([])
    expect(await offered('Oslo', 'no')).toEqual([])
    // Advice by decimal commas where there is a comma.
    expect(await offered('1 338', '2 001')).toEqual(['thousands'])
    expect(await offered('1.234.567', '1.234')).toEqual(['point-thousands'])
    expect(await offered('"€ 533,084"')).toEqual(['currency', 'currency-comma'])
    expect(await offered('"1.234,50 €"')).toEqual(['currency-comma'])
    // Two currencies, and codes that are none.
    expect(await offered('€ 5', '$ 5')).toEqual([])
    expect(await offered('ABC 12', 'ABC 13')).toEqual([])
    expect(await offered('N', 'S')).toEqual([])
  })

  test('a value that a conversion cannot read is refused with its line', async () => {
    const table = await open('a.csv', 'id,v\n1,"1,338"\n2,none\n')
    await expect(read(table, { conversions: { v: 'thousands' } })).rejects.toThrow(
      'a.csv, line 3: `v` is "none", which cannot be read as thousands.',
    )
  })

  test('amounts of another currency are refused', async () => {
    const table = await open('a.csv', 'id,v\n1,€ 5\n2,$ 5\n')
    await expect(read(table, { conversions: { v: 'currency' } })).rejects.toThrow('line 3: `v` is "$ 5"')
  })

  test('texts of JSON, beside numbers that stay as they are', async () => {
    const table = await open('a.json', '[{"v":"1,338"},{"v":77},{"v":1.5}]')
    const { inference, records } = await read(table, { id: null, conversions: { v: 'thousands' } })
    expect(inference.columns[0]!.conversions[0]).toMatchObject({ count: 1, kind: 'number', becomes: '1338' })
    expect(records.map(({ data }) => data['v'])).toEqual([1338, 77, 1.5])
  })

  test('a text that is rewritten is read as the kind that was offered', () => {
    const text = fc.string({
      unit: fc.constantFrom('1', '0', '9', ',', '.', ' ', '%', '-', '+', '/'),
      maxLength: 10,
    })
    fc.assert(
      fc.property(text, (value) => {
        const made = converted('thousands', value)
        if (made !== undefined) expect(Number.isFinite(Number(made.text))).toBe(true)
      }),
    )
  })
})

describe('a double in the file is a number', () => {
  test.each([
    ['a.json', '[{"v":21.0,"in":{"x":[1.0]}},{"v":20.0,"in":{"x":[2.0]}}]'],
    ['a.ndjson', '{"v":2.1e1,"in":{"x":[1.0]}}\n{"v":20.0 ,"in":{"x":[2.0]}}\n'],
  ])('%s', async (name, text) => {
    const { properties, records } = await read(await open(name, text), { id: null })
    expect(properties).toMatchObject({
      v: { type: 'number' },
      in: { properties: { x: { items: { type: 'number' } } } },
    })
    expect(records.map(({ data }) => data)).toEqual([
      { v: 21, in: { x: [1] } },
      { v: 20, in: { x: [2] } },
    ])
  })

  test('and fits where integers, texts or anything is asked for', async () => {
    const table = await open('a.json', '[{"id":1.0,"v":21.0,"t":"a 1.0, b"}]')
    const as = async (kind: 'integer' | 'string' | 'any') =>
      (await read(table, { id: ['id'], kinds: { v: kind } })).records[0]
    expect(await as('integer')).toEqual({ id: '1', type: 'T', data: { v: 21, t: 'a 1.0, b' } })
    expect((await as('string'))?.data['v']).toBe('21')
    expect((await as('any'))?.data['v']).toBe(21)
  })
})

test('marks for missing values are named by the mark, whatever their share', async () => {
  const misfitsIn = async (name: string, text: string) => {
    const table = await openTable(sourceOf(new File([text], name)))
    return misfitsOf((await inferTable(table)).columns.at(-1)!)
  }
  expect(await misfitsIn('nulls.csv', 'id,v\n1,NULL\n2,3\n3,NaN\n4,NA\n')).toEqual({
    ...{ column: 'v', kind: 'integer', count: 3, line: 2, value: 'NULL' },
    marks: ['NULL', 'NaN', 'NA'],
  })
  expect((await misfitsIn('a.csv', 'id,v\n1,-\n2,2026-01-31\n3,\\N\n'))?.marks).toEqual(['-', '\\N'])
  expect((await misfitsIn('a.json', '[{"id":1,"v":"NA"},{"id":2,"v":1.5}]'))?.kind).toBe('number')
  // Beside a text it is a value, and so may NA be: the code of Namibia.
  expect(await misfitsIn('a.csv', 'id,v\n1,NA\n2,DE\n')).toBeUndefined()
})
