/** Answers as Parquet: the rows of the same answer as JSON, their types, and a file that is empty afterwards. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { parseJson } from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWithoutNames } from './open-tables.ts'
import type { SqlReply, SqlTables, SqlTask } from './sql-task.ts'

describe.skipIf(process.platform !== 'linux')('answers as Parquet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-parquet-'))
  let program: ChildProcess
  let answer: FileHandle
  beforeAll(async () => {
    answer = (await openWithoutNames([], join(folder, 'answer')))[0]!
    const path = fileURLToPath(new URL('./program.ts', import.meta.url))
    program = spawn(process.execPath, [path], {
      env: {},
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', answer.fd],
    })
    program.send({ tables: [], memoryMebibytes: 256, answerFile: 4 } satisfies SqlTables)
    await once(program, 'message')
  }, 60_000)
  afterAll(async () => {
    program.kill()
    await answer.close()
    rmSync(folder, { recursive: true })
  })

  async function ask(sql: string, limits: Partial<SqlTask> = {}) {
    const pieces: string[] = []
    const usual = { format: 'parquet', rowsMax: 10_000, bytesMax: 1_048_576, milliseconds: 30_000 } as const
    const ended = new Promise<SqlReply>((resolve) => {
      const hear = (reply: SqlReply) => {
        if (reply.kind === 'piece') return void pieces.push(reply.text)
        program.off('message', hear)
        resolve(reply)
      }
      program.on('message', hear)
    })
    program.send({ sql, ...usual, ...limits })
    const reply = await ended
    return { reply, pieces, file: Buffer.from(pieces.join(''), 'base64') }
  }
  /** Rows of a file, and types of its columns, as DuckDB reads them. */
  async function read(file: Buffer) {
    const path = join(folder, 'read.parquet')
    writeFileSync(path, file)
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll(`FROM '${path}'`)
    return {
      rows: reader.getRowsJson(),
      columns: Object.fromEntries(
        reader.columnNames().map((name, index) => [name, String(reader.columnTypes()[index])]),
      ),
    }
  }

  test('has the columns with their types, and the rows', async () => {
    const { file, reply } = await ask(
      `SELECT i AS n, 'a"b' AS "a "" b", NULL AS none, [i] AS list, {'x': 1.5::DECIMAL(5, 2)} AS o, DATE '2026-01-31' AS d
       FROM range(3) t(i) -- a comment ends it`,
    )
    expect(reply).toEqual({ kind: 'end', truncated: false })
    expect(await read(file)).toEqual({
      columns: {
        ...{ n: 'BIGINT', 'a " b': 'VARCHAR', none: 'INTEGER', list: 'BIGINT[]' },
        ...{ o: 'STRUCT("x" DECIMAL(5,2))', d: 'DATE' },
      },
      rows: ['0', '1', '2'].map((i) => [i, 'a"b', null, [i], { x: '1.50' }, '2026-01-31']),
    })
  })

  test('sums are integers where they can be, and otherwise texts, never rounded', async () => {
    const { file } = await ask(
      'SELECT sum(i) AS small, max(i)::HUGEINT * 9223372036854775807 AS large FROM range(4) t(i);',
    )
    expect(await read(file)).toEqual({
      columns: { small: 'BIGINT', large: 'VARCHAR' },
      rows: [['6', '27670116110564327421']],
    })
  })

  test('is cut where the answer as JSON is', async () => {
    for (const limits of [{ rowsMax: 3_000 }, { bytesMax: 100_000 }, { rowsMax: 0 }]) {
      const sql = "SELECT i, 'é' AS t FROM range(20000) t(i)"
      const json = await ask(sql, { ...limits, format: 'json' })
      const { file, reply } = await ask(sql, limits)
      expect(reply).toEqual({ kind: 'end', truncated: true })
      const { rows } = parseJson(json.pieces.join('')) as { rows: unknown[][] }
      expect((await read(file)).rows).toEqual(rows.map(([i, text]) => [String(i), text]))
    }
  })

  test('leaves an empty file and no table, and sends short messages', async () => {
    const { pieces, file } = await ask(
      'SELECT md5(i::VARCHAR) AS a, md5((-i)::VARCHAR) AS b FROM range(10000) t(i)',
    )
    expect(pieces.length).toBeGreaterThan(1)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(262_144)
    expect((await read(file)).rows).toHaveLength(10_000)
    expect((await answer.stat()).size).toBe(0)
    const left = await ask(
      "SELECT (SELECT count(*) FROM duckdb_tables() WHERE table_name = 'answer') + (SELECT sum(size) FROM read_blob('/proc/self/fd/4')) AS n",
      { format: 'csv' },
    )
    expect(left.pieces.join('')).toBe('n\n0\n')
  })

  test.each([
    "SELECT 1) TO '/tmp/x'; --",
    'SELECT 1) UNION (SELECT 2',
    "COPY (SELECT 1) TO '/proc/self/fd/4'",
    "SELECT * FROM read_text('/proc/self/fd/0')",
    "SELECT * FROM read_text('/proc/self/environ')",
    'SELECT $1',
  ])('%s is refused', async (sql) => {
    expect((await ask(sql)).reply).toMatchObject({ kind: 'refused', reason: 'invalid' })
    expect((await answer.stat()).size).toBe(0)
  })
})
