import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { databases } from '../testing/databases.ts'
import { loadDump } from './load.ts'
import { type DumpedRows, readDump } from './read.ts'
import { dumpedTables, holdsNoRows } from './tables.ts'
import { writeDump } from './write.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-dump-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => join(folder, `dump-${files++}`)

const [ada, collection, push] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const odd = 'a "line"\nand\\another\u2028\u0085 – ÿ🜨'

/** Inserts rows with values that are hard to transfer: binary, JSON with key order and U+0000, arrays, words, sequences, quotes. */
async function fill(database: Database): Promise<void> {
  const now = '2026-01-31T12:00:00.123Z'
  await database.transact(async (tx) => {
    await tx.query(
      `insert into accounts (id, slug, type, display_name, email, created_at) values ($1, 'ada', 'user', $2, null, $3)`,
      [ada, odd, now],
    )
    await tx.query(
      `insert into collections (id, owner_id, slug, name, folded_name, public, ancestors, created_at, updated_at)
       values ($1, $2, 'c', $3, 'c', true, $4, $5, $5)`,
      [collection, ada, odd, [push, ada], now],
    )
    await tx.query(
      `insert into collection_words (collection_id, name, owner, description) values ($1, to_tsvector('a name'), '', '')`,
      [collection],
    )
    await tx.query(
      `insert into pushes (id, collection_id, account_id, kind, status, files, result, created_at, expires_at)
       values ($1, $2, $3, 'delta', 'committed', $4, $5, $6, $6)`,
      [push, collection, ada, ['', 'NULL', 'a,b', '"'], '{"z": "\\u0000",  "a": 1}', now],
    )
    for (let i = 0; i < 300; i++) {
      await tx.query(
        `insert into packs (name, bytes, object_bytes, created_at) values ($1, 9007199254740991, 0, $2)`,
        [`packs/aa/${i}`, now],
      )
      await tx.query('insert into inline_packs (name, content) values ($1, $2)', [
        `packs/aa/${i}`,
        Buffer.alloc(20_000, i),
      ])
    }
  })
}

const dumped = async (database: Database): Promise<string> => {
  const path = newFile()
  await writeDump(database, path)
  return path
}
const textOf = (path: string) => zstdDecompressSync(readFileSync(path)).toString()
const all = async (path: string) => {
  const parts: DumpedRows[] = []
  for await (const part of readDump(createReadStream(path))) parts.push(part)
  return parts
}

test('a table comes after those that it refers to, and those of a minute are not there', () => {
  const names = dumpedTables().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const [first, later] of [
    ['accounts', 'collections'],
    ['collections', 'versions'],
    ['packs', 'objects'],
    ['pushes', 'push_spills'],
    ['collections', 'device_logins'],
  ])
    expect(names.indexOf(first!)).toBeLessThan(names.indexOf(later!))
  // Backups must not keep these short-lived rows, which derive from addresses, for years.
  expect(names).not.toContain('request_counts')
  // A backup must not keep the text of a version that was erased.
  expect(names).not.toContain('rendered_readmes')
})

describe.each(databases)('a dump of the $name database', (from) => {
  test.each(databases)('loads into the $name database as it was', async (to) => {
    await using ending = new AsyncDisposableStack()
    const source = await from.open()
    ending.defer(source.dispose)
    const target = await to.open()
    ending.defer(target.dispose)
    await fill(source.database)
    const path = await dumped(source.database)
    expect(await holdsNoRows(target.database)).toBe(true)
    const counts = await target.database.transact((tx) => loadDump(tx, readDump(createReadStream(path))))
    expect(counts).toMatchObject({ accounts: 1, packs: 300, inline_packs: 300, pushes: 1, versions: 0 })
    expect(await holdsNoRows(target.database)).toBe(false)
    expect(textOf(await dumped(target.database))).toBe(textOf(path))
    const { rows } = await target.database.query('select display_name from accounts')
    expect(rows).toEqual([{ display_name: odd }])
    const inserted = await target.database.query(
      `insert into packs (name, bytes, object_bytes, created_at) values ('next', 0, 0, now())
       returning id > (select max(id) from packs) as later`,
    )
    expect(inserted.rows).toEqual([{ later: true }])
  })

  test('holds what one moment had, whatever is written meanwhile', async () => {
    const { database, dispose } = await from.open()
    try {
      await fill(database)
      let others = 0
      const dumping = dumped(database)
      const writing = (async () => {
        for (; others < 20; others++)
          await database.query(
            `insert into accounts (id, slug, type, display_name, created_at) values ($1, $2, 'org', 'o', now())`,
            [crypto.randomUUID(), `o${others}`],
          )
      })()
      const parts = await all(await dumping)
      await writing
      const slugs = parts.filter(({ table }) => table === 'accounts').flatMap(({ rows }) => rows)
      const audited = parts.find(({ table }) => table === 'pushes')!
      expect(slugs.length).toBeLessThanOrEqual(1 + others)
      expect(audited.rows).toHaveLength(1)
    } finally {
      await dispose()
    }
  })
})

describe('a dump that is not whole', () => {
  const lines = [
    '{"format":1,"migration":1}',
    '{"table":"accounts","columns":["id"]}',
    '["x"]',
    '{"rows":1}',
    '{"end":true}',
  ]
  const written = (text: string | Buffer) => {
    const path = newFile()
    writeFileSync(path, text)
    return path
  }
  const pack = (some: readonly string[]) => zstdCompressSync(some.map((line) => `${line}\n`).join(''))

  test('reads when nothing is wrong', async () => {
    expect(await all(written(pack(lines)))).toEqual([{ table: 'accounts', columns: ['id'], rows: [['x']] }])
  })

  test.each([
    ['is empty', pack([]), /ends too early/],
    ['ends early', pack(lines.slice(0, 4)), /ends too early/],
    ['ends within a table', pack(lines.slice(0, 3)), /ends too early/],
    ['is cut off', pack(lines).subarray(0, 40), /ends too early|damaged/],
    ['lacks a row', pack(lines.toSpliced(2, 1)), /damaged/],
    ['is no JSON', pack(lines.with(2, '["x')), /damaged/],
    ['is not compressed', Buffer.from(lines.join('\n')), /damaged/],
    ['is of another format', pack(lines.with(0, '{"format":2,"migration":1}')), /has the format 2/],
  ])('is refused when it %s', async (_what, bytes, sentence) => {
    await expect(all(written(bytes))).rejects.toThrow(sentence)
  })

  /** Compressed while it is read: valid lines, then one that expands to a GiB. */
  async function* bomb(before: string) {
    const compress = createZstdCompress()
    const nothing = Buffer.alloc(4_194_304, 'a')
    const write = (some: string | Buffer) =>
      new Promise((resolve, reject) =>
        compress.write(some, (error) => (error ? reject(error) : resolve(true))),
      )
    const written = (async () => {
      await write(`${before}["`)
      for (let i = 0; i < 256 && !compress.destroyed; i++) await write(nothing)
      compress.end('"]\n')
    })().catch(() => undefined)
    yield* compress as AsyncIterable<Buffer>
    await written
  }

  test.each([
    [lines.slice(0, 3), /^Line 4, in the table accounts, of the dump .* longer than 1048576 bytes.*--backup/],
    [lines.slice(0, 1), /^Line 2 of the dump .* longer than 1048576 bytes/],
  ])(
    'is refused when a line is a bomb, by its number and its table, in bounded memory',
    async (before, sentence) => {
      let most = 0
      const memory = () => process.memoryUsage().arrayBuffers
      const start = memory()
      const watching = setInterval(() => {
        most = Math.max(most, memory() - start)
      }, 5)
      try {
        const reading = async () => {
          for await (const _ of readDump(bomb(before.map((line) => `${line}\n`).join('')), 1_048_576));
        }
        await expect(reading()).rejects.toThrow(sentence)
      } finally {
        clearInterval(watching)
      }
      expect(most).toBeLessThan(64 * 1_048_576)
    },
  )

  test('a line may be as long as the bound, and no longer', async () => {
    const longest = Math.max(...lines.map(({ length }) => length))
    const read = async (bytesMax: number) => {
      for await (const _ of readDump(createReadStream(written(pack(lines))), bytesMax));
    }
    await read(longest)
    await expect(read(longest - 1)).rejects.toThrow(/longer than/)
  })

  test('is refused where a table or column is not there, and nothing is loaded', async () => {
    const { database, dispose } = await databases[1]!.open()
    try {
      for (const change of [
        '{"table":"accounts","columns":["who"]}',
        '{"table":"others","columns":["id"]}',
      ]) {
        const path = written(pack(lines.with(1, change)))
        const load = database.transact((tx) => loadDump(tx, readDump(createReadStream(path))))
        await expect(load).rejects.toThrow(/which the release that made it has not/)
      }
      expect(await holdsNoRows(database)).toBe(true)
    } finally {
      await dispose()
    }
  })
})
