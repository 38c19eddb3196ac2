import { parseJson } from '@ulmus/content'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFast, runs } from '../../content/src/testing/runs.ts'
import {
  csvOf,
  type Field,
  type FileSource,
  HashSet,
  idColumnOf,
  inferTable,
  kinds,
  openTable,
  type Plan,
  planOf,
  recordsOf,
  schemaOf,
  sourceOf,
  type Table,
} from './index.ts'
import { HashBudget } from './inference/hash-set.ts'
import { DelimitedParser, type Line } from './reading/delimited-parser.ts'

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}
const open = (name: string, text: string) => openTable(sourceOf(new File([text], name)))

/** A file that returns a few bytes at a time, so that every position is once a boundary between pieces. */
function inPieces(name: string, text: string, bytes: number): FileSource {
  const source = sourceOf(new File([text], name))
  return {
    ...source,
    read: (start, end) => source.read(start, start === 0 && end > 1000 ? end : Math.min(end, start + bytes)),
  }
}

const rowsOf = async (table: Table) =>
  (await all(table.batches())).flat().map(({ values }) => table.columns.map((_, place) => values[place]))

/** Texts with a high share of the characters that delimit CSV. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '\n', '\r', '\t', ' ', 'a', '0', '{', '[', '\0', '|', '\\', '#'),
  }),
)
const cell = fc.option(text, { nil: undefined })
const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`

function parsedInPieces(csv: string, size: number): Line[] {
  const parser = new DelimitedParser({}, 1e6)
  const lines: Line[] = []
  for (let at = 0; at < csv.length; at += size) lines.push(...parser.push(csv.slice(at, at + size)))
  lines.push(...parser.end())
  expect(parser.fault).toBeUndefined()
  return lines
}

test('any table is read as it was written, wherever its pieces end and however its lines do, with its line numbers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      (rows, end, size) => {
        const csv = [
          'h,h',
          ...rows.map((row) => row.map((value) => (value === undefined ? '' : quoted(value))).join(',')),
        ].join(end)
        const [, ...lines] = parsedInPieces(csv, size)
        expect(lines.map(({ values }) => values)).toEqual(rows)
        let line = 2
        if (end === '\r') return
        for (const [at, row] of rows.entries()) {
          expect(lines[at]!.line).toBe(line)
          line += 1 + row.join('').split('\n').length - 1
        }
      },
    ),
    { numRuns: runs(1000) },
  )
})

test('whatever another parser reads, ours reads alike', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', 'b'), maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (csv, size) => {
        let theirs: string[][]
        try {
          theirs = parse(csv, { recordDelimiter: '\n', relaxColumnCount: true, skipEmptyLines: true })
        } catch {
          return
        }
        const ours = parsedInPieces(csv, size).map(({ values }) => values.map((value) => value ?? ''))
        expect(ours).toEqual(theirs)
      },
    ),
    { numRuns: runs(5000) },
  )
})

test('any list of objects is read as it was written, wherever its pieces end, alone, in an object and by lines', async () => {
  const safe = fc.jsonValue({ maxDepth: 4 }).filter((value) => !/[eE]|-0|\d{16}/.test(JSON.stringify(value)))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(text, safe), { minLength: 1 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('list', 'member', 'lines'),
      fc.constantFrom(undefined, 2),
      async (objects, bytes, how, space) => {
        const list = JSON.stringify(objects, undefined, space)
        const [name, json] =
          how === 'lines'
            ? ['a.ndjson', objects.map((object) => JSON.stringify(object)).join('\n')]
            : ['a.json', how === 'list' ? list : `{"a":{"[":["]"]},"b":"[","items":${list},"c":{"d":[1]}}`]
        const format = how === 'lines' ? 'ndjson' : 'json'
        const table = await openTable(inPieces(name!, json!, bytes), { format })
        const rows = await rowsOf(table)
        const read = rows.map((values) =>
          Object.fromEntries(
            table.columns
              .map((column, at) => [column, values[at]])
              .filter(([, value]) => value !== undefined),
          ),
        )
        expect(read).toEqual(parseJson(list))
      },
    ),
    { numRuns: runs(300) },
  )
})

const valueOfKind: Record<Field['kind'], fc.Arbitrary<unknown>> = {
  string: text,
  integer: fc.maxSafeInteger().map((value) => value + 0),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  boolean: fc.boolean(),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  array: fc.array(fc.oneof(text, fc.boolean(), fc.nat())),
  object: fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.nat())),
  any: fc.oneof(
    text,
    fc.boolean(),
    fc.nat(),
    fc.array(text),
    fc.constantFrom('1', 'null', '""', '[]', '1e400', ' 1', '-'),
  ),
}

const fieldsOfAny = fc.uniqueArray(
  fc.record({
    name: fc
      .oneof(text, fc.constantFrom('id', '_id', '__proto__', 'constructor'))
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    kind: fc.constantFrom(...kinds),
  }),
  { selector: ({ name }) => name, maxLength: 5 },
)
const recordsOfAny = fieldsOfAny.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    records: fc.uniqueArray(
      fc.record({
        id: text.filter((id) => id !== ''),
        data: fc
          .tuple(...fields.map(({ kind }) => fc.option(valueOfKind[kind], { nil: undefined })))
          .map((values) =>
            Object.fromEntries(
              fields
                .map(({ name }, at) => [name, values[at]] as const)
                .filter(([, value]) => value !== undefined),
            ),
          ),
      }),
      { selector: ({ id }) => id },
    ),
  }),
)

const planFor = (fields: readonly Field[]): Plan => ({
  type: 'T',
  id: [idColumnOf(fields)],
  columns: fields.map(({ name, kind }) => ({ name, kind, isRequired: false, isPrivate: false })),
})

test('any records that are written as CSV are read back the same', async () => {
  await fc.assert(
    fc.asyncProperty(recordsOfAny, async ({ fields, records }) => {
      const csv = (await all(csvOf(records, fields))).join('')
      const read = await all(recordsOf(await open('a.csv', csv), planFor(fields)))
      expect(read.map(({ id, data }) => ({ id, data: Object.entries(data) }))).toEqual(
        records.map(({ id, data }) => ({ id, data: Object.entries(data) })),
      )
    }),
    { numRuns: runs(1000) },
  )
})

test('any table, by the plan that it suggests, as records and as CSV, gives the same records again', async () => {
  const value = fc.option(
    fc.oneof(
      text,
      fc.constantFrom('1', '-2.5', '007', 'true', '[1]', '2024-01-31', '1e400', '9007199254740993', '""'),
    ),
    { nil: undefined },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, value, value), { minLength: 1 }), async (rows) => {
      const lines = rows.map((row, at) =>
        [String(at), ...row].map((one) => (one === undefined ? '' : quoted(one))).join(','),
      )
      const table = await open('a.csv', `key,a,b,c\n${lines.join('\n')}\n`)
      const plan = planOf(await inferTable(table), { type: 'T', id: ['key'] })
      const records = await all(recordsOf(table, plan))
      expect(records).toHaveLength(rows.length)
      const written = (await all(csvOf(records, plan.columns))).join('')
      const again = await open('b.csv', written)
      expect(await all(recordsOf(again, { ...plan, id: [idColumnOf(plan.columns)] }))).toEqual(records)
      expect(Object.keys(schemaOf(plan)['properties'] as object)).toEqual(
        plan.columns.map(({ name }) => name),
      )
    }),
    { numRuns: runs(500) },
  )
})

test('a set of hashes is a set', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const [ours, theirs] = [new HashSet(), new Set<string>()]
      for (const one of texts) {
        expect(ours.add(one)).toBe(!theirs.has(one))
        theirs.add(one)
      }
      expect(ours.size).toBe(theirs.size)
      for (const one of texts) expect(ours.has(one)).toBe(true)
      expect(ours.has('\u0001 none')).toBe(theirs.has('\u0001 none'))
    }),
  )
})

test('a set of hashes keeps 200,000, and as many as its budget allows', ({ skip }) => {
  skip(isFast)
  const many = new HashSet()
  for (let at = 0; at < 200_000; at++) expect(many.add(`n${at}`)).toBe(true)
  expect(many.size).toBe(200_000)
  const budget = new HashBudget(2048)
  const few = new HashSet(budget)
  for (let at = 0; at < 5_000; at++) few.add(`n${at}`)
  expect([few.isFull, few.size]).toEqual([true, 1024])
  few.clear()
  expect(new HashSet(budget).isFull).toBe(false)
})
