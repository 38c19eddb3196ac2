import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { isFast } from '../../content/src/testing/runs.ts'
import { inferTable, openTable, planOf, recordsOf, schemaOf, sourceOf } from './index.ts'
import { type FileOptions, openFile, tablesOf } from './node.ts'
import { parsers } from './reading/parquet-values.ts'
import { Numeral } from './reading/table.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-tabular-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** A process that has ended is a zombie until its new parent reads its exit status: it no longer runs. */
const isRunning = (pid: number): boolean =>
  /^[^Z]/.test(
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .trim(),
  )
const fixture = (name: string) => join(import.meta.dirname, 'testing', name)

async function read(path: string, options: FileOptions = {}) {
  const table = await openFile(path, options)
  const inference = await inferTable(table)
  const plan = planOf(inference, { type: 'T', id: ['id'] })
  const records = []
  for await (const record of recordsOf(table, plan)) records.push(record)
  await table.close()
  return { table, inference, schema: schemaOf(plan), records }
}

describe('files', () => {
  test('are read by their paths, and closed with their table', async () => {
    const path = join(folder, 'a.csv')
    writeFileSync(path, 'id,b\nx,1\n')
    const { records, table } = await read(path)
    expect(records).toEqual([{ id: 'x', type: 'T', data: { b: 1 } }])
    await expect(table.batches()[Symbol.asyncIterator]().next()).rejects.toThrow()
  })

  test('names a file that cannot be opened', async () => {
    const path = join(folder, 'none.csv')
    await expect(openFile(path)).rejects.toMatchObject({ code: 'ENOENT', path })
    await expect(openFile(folder)).rejects.toThrow(`${folder} is no regular file.`)
  })
})

describe('Parquet', () => {
  test('moments of years that have more than four digits are texts with a sign, from INT96 as well', () => {
    // hyparquet returns INT96 as nanoseconds in a bigint.
    const { timestampFromNanoseconds: moment } = parsers
    expect(moment(253_402_300_800n * 1_000_000_000n + 5n)).toBe('+010000-01-01T00:00:00.000000005')
    expect(moment(-62_198_755_200n * 1_000_000_000n)).toBe('-000001-01-01T00:00:00')
    // Beyond the range of a Date: the count itself.
    expect(moment(8_640_000_000_001n * 1_000_000_000n)).toEqual(new Numeral('8640000000001000000000'))
  })

  test('every type becomes what JSON has for it', async () => {
    const { records, schema } = await read(fixture('every-type.parquet'))
    expect(records.map(({ id, data }) => [id, data])).toEqual([
      [
        'oslo',
        {
          ...{ population: 709_037, big: '9007199254740993', unsigned: '18446744073709551615', tenth: 0.3 },
          ...{ wide: '12345678901234567890.123456789', capital: true, ratio: 1.5, founded: '1048-01-01' },
          ...{ local_time: '2024-05-17T12:00:00.123456', at: '2024-05-17T12:00:00Z', clock: '12:30:00.5' },
          ...{ bytes: 'AP8=', names: ['a', null, 'b'], place: { lat: 59.91, tags: [{ k: 1 }, { k: 2 }] } },
          ...{ counts: { x: 1, y: 2 }, tenths: [0.1, 0.7], uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
          ...{ nested: [[1, 2], []], extra: { a: '9007199254740993' } },
        },
      ],
      [
        'bergen',
        {
          ...{ big: '1', unsigned: '5', tenth: -1234.5, wide: '-1', founded: '1070-01-01' },
          ...{ local_time: '1969-12-31T23:59:59.5', names: [], counts: {} },
        },
      ],
      [
        'moss',
        {
          ...{
            population: 3,
            capital: false,
            local_time: '9223372036854775807000',
            at: '0001-01-01T00:00:00Z',
          },
          ...{ clock: '00:00:00', bytes: '', place: { tags: [] }, tenths: [], nested: [] },
        },
      ],
    ])
    expect(schema['properties']).toMatchObject({
      population: { type: 'integer' },
      big: { type: 'string' },
      tenth: { type: 'number' },
      founded: { type: 'string', format: 'date' },
      local_time: { type: 'string' },
      at: { type: 'string', format: 'date-time' },
      names: { type: 'array', items: { type: ['string', 'null'] } },
      place: { type: 'object', properties: { lat: { type: 'number' }, tags: { type: 'array' } } },
    })
  })

  test('groups of rows follow each other, and rows are counted through all of them', async () => {
    const table = await openFile(fixture('groups.parquet'))
    const lines: number[] = []
    for await (const batch of table.batches())
      for (const { line, values } of batch) {
        expect(values).toEqual([line, line % 7])
        lines.push(line)
      }
    expect(lines).toEqual(Array.from({ length: 2500 }, (_, at) => at + 1))
    await table.close()
  })

  test('a truncated file is reported as incomplete', async () => {
    const bytes = readFileSync(fixture('groups.parquet'))
    const cut = sourceOf(new File([bytes.subarray(0, 2000)], 'a.parquet'))
    await expect(openTable(cut)).rejects.toThrow(
      /^a\.parquet: The file cannot be read as Parquet: .* Is it complete\?$/,
    )
    const holed = Uint8Array.from(bytes).fill(0xff, 4, 400)
    const table = await openTable(sourceOf(new File([holed], 'a.parquet')))
    await expect(inferTable(table)).rejects.toThrow('a.parquet: The file cannot be read as Parquet')
  })
})

describe.skipIf(isFast)('SQLite', () => {
  const path = join(folder, 'cities.db')
  const database = new DatabaseSync(path)
  database.exec(`
    CREATE TABLE city (id TEXT, population INTEGER, area REAL, flag BLOB, mixed, "__proto__" TEXT, "a ""b""" INTEGER GENERATED ALWAYS AS (1));
    INSERT INTO city VALUES ('oslo', 9007199254740993, 454.0, x'00ff', 1, 'p'), ('moss', 3, NULL, NULL, 'x', NULL), ('bergen', 1, 1e999, x'', NULL, '');
    CREATE TABLE "select * from ""x""" (id INTEGER PRIMARY KEY);
    CREATE VIEW large AS SELECT id, population FROM city WHERE population > 2;
  `)
  database.close()

  test('its tables and views can be read, and one must be chosen', async () => {
    expect(await tablesOf(path)).toEqual({ tables: ['city', 'select * from "x"'], views: ['large'] })
    await expect(openFile(path)).rejects.toThrow(
      'cities.db: Choose a table with --table. The tables are: city, select * from "x". The views, which run queries of the file, are: large.',
    )
    await expect(openFile(path, { table: 'towns' })).rejects.toThrow('There is no table "towns".')
    expect((await read(path, { table: 'large' })).records).toHaveLength(2)
    expect((await read(path, { table: 'select * from "x"' })).records).toEqual([])
  })

  test('NULL is no value, a BLOB is Base64, an integer beyond 2^53 a text', async () => {
    const { records, schema, table } = await read(path, { table: 'city' })
    expect(table.name).toBe('cities.db, city')
    expect(records.map(({ id, data }) => [id, Object.entries(data)])).toEqual([
      [
        'oslo',
        [
          ...[
            ['population', '9007199254740993'],
            ['area', '454'],
            ['flag', 'AP8='],
            ['mixed', 1],
          ],
          ...[
            ['__proto__', 'p'],
            ['a "b"', 1],
          ],
        ],
      ],
      [
        'moss',
        [
          ['population', '3'],
          ['mixed', 'x'],
          ['a "b"', 1],
        ],
      ],
      [
        'bergen',
        [
          ['population', '1'],
          ['area', 'Infinity'],
          ['flag', ''],
          ['__proto__', ''],
          ['a "b"', 1],
        ],
      ],
    ])
    expect(schema['properties']).toMatchObject({
      population: { type: 'string' },
      mixed: {},
      flag: { type: 'string' },
    })
  })

  test('a row that is longer than any record is refused, and long ones are handed on early', async () => {
    const long = join(folder, 'long.db')
    const held = new DatabaseSync(long)
    held.exec(`CREATE TABLE one (n INTEGER, data BLOB);
      INSERT INTO one SELECT value, zeroblob(600000) FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3);
      INSERT INTO one VALUES (4, zeroblob(13000000));`)
    held.close()
    const table = await openFile(long)
    const sizes: number[] = []
    const reading = (async () => {
      for await (const rows of table.batches()) sizes.push(rows.length)
    })()
    await expect(reading).rejects.toThrow('long.db, row 4: The row is longer than 16777216 characters.')
    expect(sizes).toEqual([2])
    await table.close()
  })

  test('tables of full-text indexes are not listed, and a view is not read unasked', async () => {
    const indexed = join(folder, 'indexed.db')
    const made = new DatabaseSync(indexed)
    made.exec(`CREATE TABLE t (id TEXT PRIMARY KEY, v REAL); INSERT INTO t VALUES ('a', 1.5);
      CREATE VIEW paths AS SELECT file AS id FROM pragma_database_list;
      CREATE VIEW endless AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT count(*) AS id FROM c;
      CREATE VIEW large AS SELECT hex(zeroblob(150000000)) AS id;
      CREATE VIRTUAL TABLE words USING fts5(word)`)
    made.close()
    expect(await tablesOf(indexed)).toEqual({ tables: ['t', 'words'], views: ['endless', 'large', 'paths'] })
    // No record contains the file's path on this machine, and memory is bounded.
    await expect(read(indexed, { table: 'paths' })).rejects.toThrow('unsafe use of virtual table')
    const before = performance.now()
    await expect(read(indexed, { table: 'large' })).rejects.toThrow(
      'indexed.db, row 1: The row is longer than 16777216 characters.',
    )
    // The reading process does not send such a row, which would take 20 seconds.
    expect(performance.now() - before).toBeLessThan(10_000)
    // A query that never ends does not block this process, and a signal ends it.
    const stop = new AbortController()
    const table = await openFile(indexed, { table: 'endless', signal: stop.signal })
    const reading = inferTable(table)
    setTimeout(() => stop.abort(), 50)
    await expect(reading).rejects.toThrow('abort')
    await table.close()
  })

  test.skipIf(process.platform === 'win32')(
    'a query without an end stops soon after the program that asked for it was killed',
    async () => {
      const path = join(folder, 'endless.db')
      const made = new DatabaseSync(path)
      made.exec(
        'CREATE VIEW endless AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT count(*) AS id FROM c',
      )
      made.close()
      const program = `const { openFile } = await import(${JSON.stringify(new URL('./node.ts', import.meta.url))})
        const table = await openFile(${JSON.stringify(path)}, { table: 'endless' })
        setTimeout(() => console.log('reading'), 300)
        for await (const rows of table.batches()) console.log(rows)`
      const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(parent.stdout, 'data')
      const reader = Number(spawnSync('pgrep', ['-P', String(parent.pid)]).stdout.toString())
      expect(reader).toBeGreaterThan(0)
      try {
        parent.kill('SIGKILL')
        await vi.waitFor(() => expect(isRunning(reader)).toBe(false), { timeout: 20_000, interval: 100 })
      } finally {
        if (isRunning(reader)) process.kill(reader, 'SIGKILL')
      }
    },
  )

  test('a damaged file is reported as such', async () => {
    const damaged = join(folder, 'damaged.db')
    writeFileSync(damaged, `SQLite format 3\0${'x'.repeat(4096)}`)
    await expect(openFile(damaged)).rejects.toThrow('damaged.db: The file cannot be read as SQLite: ')
    await expect(tablesOf(damaged)).rejects.toThrow('damaged.db')
  })
})
