import { describe, expect, test } from 'vitest'
import { isFast } from '../../content/src/testing/runs.ts'
import {
  type FileSource,
  inferTable,
  mayBeRequired,
  openTable,
  type PlanWishes,
  planOf,
  recordsOf,
  schemaOf,
  sourceOf,
} from './index.ts'
import type { ReadOptions } from './reading/options.ts'

const source = (name: string, text: BlobPart) => sourceOf(new File([text], name))

async function read(from: FileSource, options: ReadOptions = {}, kinds: PlanWishes['kinds'] = {}) {
  const table = await openTable(from, options)
  const inference = await inferTable(table)
  const plan = planOf(inference, { type: 'T', kinds })
  const records = []
  for await (const record of recordsOf(table, plan)) records.push(record)
  return { columns: table.columns, inference, plan, schema: schemaOf(plan), records }
}
const data = async (name: string, text: BlobPart) =>
  (await read(source(name, text))).records.map((one) => one.data)

/** A virtual file of any length: `head`, then the same byte repeated. */
const endless = (name: string, head: string, byte: string, size: number): FileSource => ({
  name,
  size,
  async read(start, end) {
    const bytes = new Uint8Array(end - start).fill(byte.charCodeAt(0))
    const begin = new TextEncoder().encode(head)
    if (start < begin.length) bytes.set(begin.subarray(start, end))
    return bytes
  },
})
const hundredMegabytes = 100 * 1024 ** 2

describe('texts', () => {
  test('a byte order mark is none of the first name', async () => {
    expect(await data('a.csv', '\ufeffa,b\nx,y\n')).toEqual([{ a: 'x', b: 'y' }])
    expect(await data('a.json', '\ufeff[{"a":"x"}]')).toEqual([{ a: 'x' }])
  })

  test('UTF-16 is read where a mark says so', async () => {
    const text = '\ufeffa\tb\nÄ\t𝄞\n'
    const all = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    expect(await data('a.tsv', all)).toEqual([{ a: 'Ä', b: '𝄞' }])
    const json = '\ufeff[{"a":"Ä"}]'
    expect(
      await data(
        'a.json',
        Uint16Array.from(json, (unit) => unit.charCodeAt(0)),
      ),
    ).toEqual([{ a: 'Ä' }])
  })

  test('text that is not UTF-8 is read as Windows-1252 and named with its line, wherever it is', async ({
    skip,
  }) => {
    skip(isFast)
    const early = source('a.csv', new Uint8Array([97, 10, 98, 10, 0xe4, 10]))
    expect((await read(early)).records.map((one) => one.data)).toEqual([{ a: 'b' }, { a: 'ä' }])
    const [note] = (await openTable(early)).notes
    expect(note).toMatchObject({ option: 'encoding', isUncertain: false })
    expect(note?.sentence).toMatch(/^Line 3, "ä", is not UTF-8. The text is read as Windows-1252/)
    const late = new TextEncoder().encode(`a\n${'x\n'.repeat(400_000)}`)
    late[700_002] = 0xff
    expect((await openTable(source('a.csv', late))).notes[0]?.sentence).toMatch(/^Line 350002,/)
    // Windows-1252 does not define this byte.
    const foreign = await openTable(source('a.csv', new Uint8Array([97, 10, 0x83, 0x81, 10])))
    expect(foreign.notes[0]).toMatchObject({ option: 'encoding', isUncertain: true })
  })

  test('UTF-8 with a broken byte is refused with its line, and read as what the reader says', async () => {
    const bytes = new TextEncoder().encode('id,a\n1,é\n2,ü\n3,ö\n4,?\n')
    bytes[bytes.length - 2] = 0xe4
    await expect(data('a.csv', bytes)).rejects.toThrow(
      'a.csv, line 5: There are bytes that are not UTF-8, though the rest of the file is.',
    )
    const { records } = await read(source('a.csv', bytes), { encoding: 'windows-1252' })
    expect(records.at(-1)?.data).toEqual({ a: 'ä' })
    await expect(read(source('a.csv', bytes), { encoding: 'utf-8' })).rejects.toThrow('not UTF-8. Save')
    await expect(read(source('a.csv', bytes), { encoding: 'klingon' })).rejects.toThrow(
      'There is no encoding "klingon".',
    )
  })

  test('NUL is a character', async () => {
    expect(await data('a.csv', 'a,b\nx\0,"\0"\n')).toEqual([{ a: 'x\0', b: '\0' }])
  })
})

describe('CSV', () => {
  test.each([
    ['line feeds', 'a,b\nx,y\n1,2\n'],
    ['both', 'a,b\r\nx,y\r\n1,2\r\n'],
    ['carriage returns', 'a,b\rx,y\r1,2\r'],
    ['no end', 'a,b\r\nx,y\r\n1,2'],
    ['two carriage returns and a line feed', 'a,b\r\r\nx,y\r\r\n1,2\r\r\n'],
    ['empty lines', '\n\na,b\n\nx,y\n\r\n1,2\n\n'],
  ])('lines end with %s', async (_, text) => {
    expect(await data('a.csv', text)).toEqual([
      { a: 'x', b: 'y' },
      { a: '1', b: '2' },
    ])
  })

  test('spaces stay in values, whatever quotes hold', async () => {
    const text = 'id,b\n1,"y, ""z"\n2,", "\n3, u\n'
    const found = await read(source('a.csv', text))
    expect(found.records.map((one) => one.data)).toEqual([{ b: 'y, "z' }, { b: ', ' }, { b: ' u' }])
    expect((await openTable(source('a.csv', text))).notes).toEqual([])
  })

  test('one line above the header may be the name of the only column: asked', async () => {
    const text = 'name\nSmith; John\nDoe; Jane\nRoe; Ann\nPoe; Al\n'
    const [note] = (await openTable(source('a.csv', text))).notes.filter(({ isUncertain }) => isUncertain)
    expect(note?.sentence).toBe('Line 1 may be a title above the header: "name".')
    const { columns, inference } = await read(source('a.csv', text), note!.choices[1]!.options)
    expect([columns, inference.rows]).toEqual([['name'], 4])
  })

  test('the header of an index without a name is no title', async () => {
    const { columns, inference } = await read(source('a.csv', ',value\n0,x\n1,y\n'))
    expect([columns, inference.rows]).toEqual([['column_1', 'value'], 2])
  })

  test('the last of many comment lines may be the header', async () => {
    const text = `${'# About it\n'.repeat(24)}#code\tname\nAD\tAndorra\nAE\tEmirates\n`
    const { columns, records } = await read(source('a.tab', text))
    expect(columns).toEqual(['#code', 'name'])
    expect(records).toHaveLength(2)
    const plain = `${'# About it\n'.repeat(24)}code,name\nAD,Andorra\n`
    expect((await read(source('a.csv', plain))).columns).toEqual(['code', 'name'])
  })

  test('lines within quotes stay as they are', async () => {
    expect(await data('a.csv', 'a,b\r\n"x\r\ny\rz\n",1\r\n')).toEqual([{ a: 'x\r\ny\rz\n', b: 1 }])
  })

  test('short lines lack values; long ones are refused, unless nothing stands there', async () => {
    expect(await data('a.csv', 'a,b,c\nx\nx,y,z,,\n')).toEqual([{ a: 'x' }, { a: 'x', b: 'y', c: 'z' }])
    await expect(data('a.csv', 'a,b\n"1\n2",2\n1,2,,3\n')).rejects.toThrow(
      'a.csv, line 4: The line has 4 values, but there are 2 columns.',
    )
  })

  test('two columns of one name are refused; those without a name get one', async () => {
    await expect(data('a.csv', 'a,b, a\n1,2,3\n')).rejects.toThrow(
      'a.csv, line 1: Columns 1 and 3 are both called "a". Rename them in the file, or number them: "a", "a_2".',
    )
    const { columns, plan } = await read(source('a.csv', ',column_1,"",b\n0,x,,2\n1,y,,3\n'))
    expect(columns).toEqual(['column_1_', 'column_1', 'column_3', 'b'])
    expect(plan.leftOut).toEqual([{ name: 'column_3', why: 'empty' }])
    await expect(data('a.csv', '\n\n')).rejects.toThrow('Its first line must name the columns.')
  })

  test('columns may be called like what objects inherit', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const { records, schema } = await read(source('a.csv', `id,${names.join()}\nx,1,2,3,4\ny\n`))
    expect(Object.entries(records[0]!.data)).toEqual(names.map((name, at) => [name, at + 1]))
    expect(records[1]!.data).toEqual({})
    expect(Object.getPrototypeOf(records[0]!.data)).toBe(Object.prototype)
    expect(Object.keys(schema['properties'] as object)).toEqual(names)
    const lines = '{"id":"x","__proto__":{"a":1},"constructor":1}\n{"id":"y"}\n'
    const ofJson = await read(source('a.ndjson', lines))
    expect(Object.entries(ofJson.records[0]!.data)).toEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 1],
    ])
    expect(ofJson.records[1]!.data).toEqual({})
  })

  test('quotes mean something where a value begins', async () => {
    expect(await data('a.csv', 'a,b\n5" pipe,"a ""b"" c"\n')).toEqual([{ a: '5" pipe', b: 'a "b" c' }])
    await expect(data('a.csv', 'a\n"x" y\n')).rejects.toThrow('a.csv, line 2: Text follows the quote')
    await expect(data('a.csv', 'a,b\n1,2\n1,"x\n\n\n')).rejects.toThrow(
      'a.csv, line 3: A value begins with a quote, and no quote ends it.',
    )
  })

  test('a line of 100 MB is refused in bounded time, in quotes or not, of one value or of many', async ({
    skip,
  }) => {
    skip(isFast)
    const bound = 'longer than 16777216 characters'
    await expect(read(endless('a.csv', '', 'a', hundredMegabytes))).rejects.toThrow(bound)
    await expect(read(endless('a.csv', 'a\n', 'a', hundredMegabytes))).rejects.toThrow(
      `a.csv, line 2: The line is ${bound}`,
    )
    await expect(read(endless('a.csv', 'a\n', ',', hundredMegabytes))).rejects.toThrow(bound)
    await expect(read(endless('a.csv', 'a\n\n"', 'a', hundredMegabytes))).rejects.toThrow(
      'a.csv, line 3: A value in quotes begins here',
    )
    await expect(read(endless('a.csv', 'a\n\n"', '\n', hundredMegabytes))).rejects.toThrow(
      'a.csv, line 3: A value in quotes',
    )
    await expect(read(endless('a.ndjson', '', ' ', hundredMegabytes))).rejects.toThrow('a.ndjson, line 1:')
    await expect(read(endless('a.json', '[{"a": "', 'a', hundredMegabytes))).rejects.toThrow(
      'Item 1 of the list is longer',
    )
  }, 120_000)

  test('too many columns are refused', async ({ skip }) => {
    skip(isFast)
    const names = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)
    await expect(data('a.csv', `${names(5000).join()}\n`)).rejects.toThrow(
      'There are 5000 columns; at most 4096',
    )
    const lines = names(5000).map((name) => JSON.stringify({ [name]: 1 }))
    await expect(data('a.ndjson', lines.join('\n'))).rejects.toThrow(
      'a.ndjson, line 4097: The objects have more than 4096 different members.',
    )
    expect(
      (await read(source('a.csv', `${names(4096).join()}\n${names(4096).join()}\n`))).records,
    ).toHaveLength(1)
  })
})

describe('JSON', () => {
  test.each([
    ['7', 'The file must hold a list of objects.'],
    ['{"a": 1', 'a.json: The file ends in the middle of the list, after item 1. Is it complete?'],
    ['{"a" 1}', 'a.json: This is no JSON, after item 0: "1}" cannot stand there.'],
    ['[}', 'a.json: This is no JSON, after item 0: "}" cannot stand there.'],
    ['', 'a.json: The file must hold a list of objects.'],
    ['[1]', 'a.json, item 1: This is no object in braces, but "1".'],
    ['[{"a":1}, [2]]', 'a.json, item 2: This is no object in braces, but "[2]".'],
    ['[{"a":1}, {"a":}]', 'a.json, item 2: This is no JSON: '],
    ['[{"a":1}, {"a":1}', 'a.json: The file ends in the middle of the list, after item 2. Is it complete?'],
    ['[{"a":1}] 2', 'a.json: Something follows the end of the list.'],
    ['{"a":[{"b":1}],"c":[{}]}', 'a.json: The object holds several lists of objects: "a", "c". Choose one.'],
  ])('%s: %s', async (text, sentence) => {
    await expect(read(source('a.json', text), { format: 'json' })).rejects.toThrow(sentence)
  })

  test('lists that hold no objects are no tables', async () => {
    for (const text of [
      '{"bbox":[1,[2,{"x":"]"}]],"features":[{"a":1}],"names":["x"],"none":[ ]}',
      '{"none":[],"features": [ {"a":1}]}',
    ])
      expect(await data('a.geojson', text)).toEqual([{ a: 1 }])
    expect(await data('a.json', '{"features":[]}')).toEqual([])
  })

  test('rows that are long are handed on early', async () => {
    const lines = Array.from({ length: 40 }, () => JSON.stringify({ a: 'x'.repeat(100_000) })).join('\n')
    for (const [name, text] of [
      ['a.ndjson', lines],
      ['a.json', `[${lines.replaceAll('\n', ',')}]`],
    ] as const) {
      const sizes: number[] = []
      for await (const rows of (await openTable(source(name, text))).batches()) sizes.push(rows.length)
      expect(sizes).toEqual([11, 11, 11, 7])
    }
  })

  test('digits that a double has not are kept, in JSON as in CSV', async () => {
    const numbers = [
      '123456789.123456789',
      '0.1000000000000000055511151231257828',
      '1e-400',
      '9007199254740993',
    ]
    for (const number of numbers) {
      expect(await data('a.ndjson', `{"n":${number}}\n{"n":1}`)).toEqual([{ n: number }, { n: '1' }])
      expect(await data('a.csv', `n,m\n${number},\n1,`)).toEqual([{ n: number }, { n: '1' }])
    }
    for (const number of ['0.30000000000000004', '0.1000000000000000055511151231257827', '1e16'])
      expect(await data('a.ndjson', `{"n":${number}}`)).toEqual([{ n: Number(number) }])
    const deep = '['.repeat(20_000) + 12345678901234567890n + ']'.repeat(20_000)
    await expect(data('a.ndjson', `{"n":${deep}}`)).rejects.toThrow('at most 63 levels')
  })

  test('reports a line that is no object with its number', async () => {
    await expect(data('a.ndjson', '{}\n\n[]\n')).rejects.toThrow(
      'a.ndjson, line 3: This is no object in braces',
    )
    await expect(data('a.ndjson', '{}\n{"a"\n')).rejects.toThrow('a.ndjson, line 2: This is no JSON')
  })

  test('input that nests too deep is refused with its place, and not by the end of the stack', async ({
    skip,
  }) => {
    skip(isFast)
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(await data('a.ndjson', `{"id":"x","a":${deep(63)}}`)).toHaveLength(1)
    for (const levels of [64, 5_000, 200_000])
      await expect(data('a.ndjson', `{"id":"x","a":${deep(levels)}}`)).rejects.toThrow(
        /^a\.ndjson, line 1: .*at most 63 levels/,
      )
    await expect(data('a.csv', `id,a\nx,"${deep(200_000)}"\n`)).rejects.toThrow('at most 63 levels')
  })

  test('an object whose names are data is an object of anything', async () => {
    const members = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))
    const { schema } = await read(source('a.ndjson', JSON.stringify({ id: 'x', counts: members })))
    expect(schema['properties']).toEqual({ counts: { type: 'object', propertyOrder: 0 } })
  })
})

test('a number that is asked for is never another than the file has', async () => {
  const as = (kind: 'number' | 'integer', text: string) =>
    read(source('a.csv', `n\n${text}\n`), {}, { n: kind })
  for (const text of ['9007199254740993', '1e-400', '1e400', 'x'])
    await expect(as('number', text)).rejects.toThrow('a.csv, line 2')
  for (const text of ['4.99999999999999999999', '1.5', '9007199254740993'])
    await expect(as('integer', text)).rejects.toThrow('a.csv, line 2')
  expect((await as('number', '1.23456789012345678901')).records[0]!.data).toEqual({
    n: Number('1.23456789012345678901'),
  })
  expect((await as('number', '9007199254740992')).records[0]!.data).toEqual({ n: 2 ** 53 })
})

test('a column that holds empty texts is not offered as required where they are no values', async () => {
  const file = source('a.csv', 'id,n\na,1\nb,""\n')
  const { inference, records } = await read(file, {}, { n: 'integer' })
  expect(records.map(({ data }) => data)).toEqual([{ n: 1 }, {}])
  expect(inference.columns.map(mayBeRequired)).toEqual([true, false])
  const words = source('a.csv', 'id,n\na,x\nb,""\nc,2\n')
  expect((await read(words)).inference.columns.map(mayBeRequired)).toEqual([true, true])
})

test('a file that is cut while it is read ends there', async () => {
  const text = new TextEncoder().encode('a\nx\n')
  const cut: FileSource = { name: 'a.csv', size: 1000, read: async (start, end) => text.slice(start, end) }
  expect((await read(cut)).records).toHaveLength(1)
})

test.each([
  ['a.ndjson', '{"v":1}\n{"v":1,"v":2}\n', 'line 2'],
  ['a.json', '[{"v":1},{"w":{"v":1.0,"\\u0076":2}}]', 'item 2'],
  ['a.json', '{"v":1,"v":2}', 'a.json'],
])('a repeated member of %s is refused: %s', async (name, text, place) => {
  const rows = async () => {
    const table = await openTable(source(name, text))
    for await (const _ of table.batches()) {
    }
  }
  await expect(rows()).rejects.toMatchObject({
    message: expect.stringMatching(`${place}.*"v" occurs a second time`),
  })
})
