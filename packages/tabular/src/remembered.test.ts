/** Memory of a type: the options of one file are applied to the next. */
import { describe, expect, test } from 'vitest'
import {
  changeSchema,
  inferTable,
  openAsBefore,
  openTable,
  type PlanWishes,
  planFor,
  planOf,
  type ReadOptions,
  recordsOf,
  schemaOf,
  sourceOf,
} from './index.ts'

type Content = string | Uint8Array<ArrayBuffer>
const fileOf = (content: Content, name = 'a.csv') => sourceOf(new File([content], name))

async function first(content: Content, options: ReadOptions = {}, wishes: Partial<PlanWishes> = {}) {
  const inference = await inferTable(await openTable(fileOf(content), options))
  return schemaOf(planOf(inference, { type: 'T', ...wishes }))
}

async function next(
  schema: object,
  content: Content,
  given: ReadOptions = {},
  wishes: Partial<PlanWishes> = {},
  name = 'a.csv',
) {
  const types = [{ type: 'T', schema }]
  const { table, notes } = await openAsBefore((all) => openTable(fileOf(content, name), all), given, types)
  const inference = await inferTable(table)
  const plan = planFor(inference, types[0]!, { type: 'T', id: ['code'], ...wishes })
  const faults: string[] = []
  const data = []
  for await (const record of recordsOf(table, plan, { onFault: ({ message }) => faults.push(message) }))
    data.push(record.data)
  const asks = table.notes.filter(({ isUncertain }) => isUncertain)
  return {
    data,
    faults,
    asks,
    notes: notes.map(({ sentence }) => sentence),
    ...changeSchema(schema as never, plan),
  }
}

describe('conversions', () => {
  test.each([
    ['day-month-year', '01/02/2024', '03/04/2024', '2024-04-03'],
    ['month-day-year', '01/02/2024', '03/04/2024', '2024-03-04'],
    ['decimal-comma', '"1,338"', '"2,001"', 2.001],
    // All values of the next file could be read without it, as other numbers.
    ['decimal-comma', '"1,5"', '1.234', 1234],
    ['thousands', '"1,338"', '"2,001"', 2001],
    ['currency', '"€ 1,338"', '"€ 2,001"', 2001],
    ['percent', '5%', '7%', 7],
    ['yes-no', 'ja', 'nein', false],
    ['utc', '2024-01-31 12:00:00', '2024-01-31 13:00:00', '2024-01-31T13:00:00Z'],
  ] as const)('%s of %s is kept for %s', async (conversion, before, after, value) => {
    const schema = await first(`code,v\n1,${before}\n`, {}, { conversions: { v: conversion } })
    const { data, faults, changes } = await next(schema, `code,v\n1,${after}\n`)
    expect([faults, changes, data[0]!['v']]).toEqual([[], [], value])
  })

  test('one value in another notation is one fault, not three hundred', async () => {
    const schema = await first('code,v\n1,31/01/2024\n', {}, { conversions: { v: 'day-month-year' } })
    const rows = Array.from({ length: 300 }, (_, at) => `${at},${at === 7 ? 'soon' : '01/02/2024'}`)
    const { faults } = await next(schema, `code,v\n${rows.join('\n')}\n`)
    expect(faults).toEqual([expect.stringContaining('line 9')])
  })

  test('values that fit as they are stay so, and so does a download', async () => {
    const schema = await first('code,v\n1,"1,5"\n', {}, { conversions: { v: 'decimal-comma' } })
    expect((await next(schema, 'code,v\n1,46.5\n2,7\n')).data.map(({ v }) => v)).toEqual([46.5, 7])
    const download = await next(schema, '_id,code,v\n1,1,1.234\n', {}, { id: ['_id'] })
    expect(download.data).toEqual([{ code: 1, v: 1.234 }])
  })

  test('the only one that fits the kind needs no memory', async () => {
    const schema = { properties: { code: { type: 'integer' }, v: { type: 'string', format: 'date' } } }
    const { data, changes } = await next(schema, 'code,v\n1,31/01/2024\n2,01/02/2024\n')
    expect([changes, data.map(({ v }) => v)]).toEqual([[], ['2024-01-31', '2024-02-01']])
    // Of two that fit, the user chooses.
    expect((await next(schema, 'code,v\n1,01/02/2024\n')).faults).toHaveLength(1)
  })

  test('another one is chosen for a file, kept from then on, and named', async () => {
    const schema = await first('code,v\n1,01/02/2024\n', {}, { conversions: { v: 'day-month-year' } })
    const other = await next(schema, 'code,v\n1,01/02/2024\n', {}, { conversions: { v: 'month-day-year' } })
    expect(other.changes).toEqual([
      { field: 'v', what: 'read', sentence: 'v is read as month-day-year, in the next files too.' },
    ])
    expect((await next(other.schema, 'code,v\n1,01/02/2024\n')).data[0]!['v']).toBe('2024-01-02')
    expect(
      (await next(schema, 'code,v\n1,01/02/2024\n', {}, { conversions: { v: 'none' } })).faults,
    ).toHaveLength(1)
  })

  test('a choice for a type without memory is kept when its schema changes anyway', async () => {
    const schema = await first('code,v\n1,5\n', {}, {})
    const wishes = { conversions: { v: 'thousands' } } as const
    const alone = await next(schema, 'code,v\n1,"1,338"\n', {}, wishes)
    expect([alone.changes, alone.schema, alone.data[0]!['v']]).toEqual([[], schema, 1338])
    const beside = await next(schema, 'code,v,w\n1,"1,338",x\n', {}, wishes)
    expect(beside.changes.map(({ field }) => field)).toEqual(['w'])
    expect((await next(beside.schema, 'code,v,w\n1,"1,339",x\n')).data[0]!['v']).toBe(1339)
  })

  test('amounts of another currency are named', async () => {
    const schema = await first('code,v\n1,€ 5\n', {}, { conversions: { v: 'currency' } })
    expect((await next(schema, 'code,v\n1,$ 5\n')).faults).toEqual([
      'a.csv, line 2: `v` is "$ 5", no amount in €. Say that it stands for no value, or read the column without a conversion.',
    ])
  })
})

describe('options of the file', () => {
  test('missing marks, by column', async () => {
    const schema = await first('code,iso,rank\n1,NA,NA\n2,DE,5\n', { missingIn: { rank: ['NA'] } })
    const { data, changes, notes } = await next(schema, 'code,iso,rank\n1,NA,7\n2,DE,NA\n')
    expect([changes, data]).toEqual([
      [],
      [
        { code: 1, iso: 'NA', rank: 7 },
        { code: 2, iso: 'DE' },
      ],
    ])
    expect(notes).toEqual(['Read as earlier files of T: "NA" in rank means missing.'])
    const more = await next(schema, 'code,iso,rank\n1,NA,-\n', { missingIn: { rank: ['-'] } })
    expect(more.changes.map(({ sentence }) => sentence)).toEqual([
      'rank lacks a value where it says "-", in the next files too.',
    ])
  })

  test('lines to skip, delimiter, and rows that are no records', async () => {
    const text = (value: number) =>
      `Report\nof 2024\n\ncode|v\n|mm\n1|${value}\n2|3\n3|4\nTotal|${value + 7}\n`
    const options = { skip: 3, delimiter: '|', skipUnits: true, skipFooter: true }
    const schema = await first(text(5), options)
    const { data, changes } = await next(schema, text(6))
    expect([changes, data]).toEqual([
      [],
      [
        { code: 1, v: 6 },
        { code: 2, v: 3 },
        { code: 3, v: 4 },
      ],
    ])
  })

  test('what was detected, too', async () => {
    expect(await first('Ort;v\n1;2\n')).toMatchObject({ 'x-read': { delimiter: ';' } })
    expect(await first('Ort;v\n1;2\n', { delimiter: undefined })).toMatchObject({
      'x-read': { delimiter: ';' },
    })
    expect(await first('Ort,v\n1,2\n')).not.toHaveProperty('x-read')
  })

  test('an encoding is asked about once, and a file of UTF-8 is one', async () => {
    const bytes = new Uint8Array(Buffer.from('636f64652cf6e5edf2f00a312cccaef1eae2e00a', 'hex'))
    const schema = await first(bytes, { encoding: 'windows-1251' })
    const { asks, notes, changes } = await next(schema, bytes)
    expect([asks, changes]).toEqual([[], []])
    expect(notes).toEqual(['Read as earlier files of T: encoding "windows-1251".'])
    const utf8 = await next(schema, 'code,центр\n1,Москва\n')
    expect([utf8.data, utf8.changes]).toEqual([[{ code: 1, центр: 'Москва' }], []])
  })

  test('a file that is better read as a new one, or is another one, is', async () => {
    const schema = await first('Title\n\ncode;v\n1;2\n', { skip: 2 })
    expect((await next(schema, 'code,v\n1,2\n')).data).toEqual([{ code: 1, v: 2 }])
    expect((await next(schema, 'Title\n\ncode;v\n1;2\n', { asBefore: false, skip: 2 })).notes).toEqual([])
  })

  test('in JSON, whose columns appear while it is read', async () => {
    const schema = await first('code,rank\n1,NA\n2,5\n', { missingIn: { rank: ['NA'] } })
    const { data } = await next(schema, '[{"code":1,"rank":"NA"},{"code":2,"rank":7}]', {}, {}, 'a.json')
    expect(data).toEqual([{ code: 1 }, { code: 2, rank: 7 }])
  })

  test('what other programs wrote there is ignored', async () => {
    const read = { delimiter: 5, skip: '2', encoding: 'nonsense', missing: 'NA', convert: ['utc'] }
    const schema = {
      'x-read': read,
      properties: { code: { type: 'integer', 'x-read': read }, v: { 'x-read': 7 } },
    }
    expect((await next(schema, 'code,v\n1,2\n')).data).toEqual([{ code: 1, v: 2 }])
  })
})
