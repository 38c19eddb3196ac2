/** Answers of a process for SQL: their head counts like their rows, and no message is long. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseJson } from '@ulmus/content'
import type { SqlAnswer } from '@ulmus/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SqlReply, SqlTables, SqlTask } from './sql-task.ts'

let program: ChildProcess
beforeAll(async () => {
  program = fork(fileURLToPath(new URL('./program.ts', import.meta.url)), { env: {}, execArgv: [] })
  program.send({ tables: [], memoryMebibytes: 256 } satisfies SqlTables)
  await once(program, 'message')
}, 60_000)
afterAll(() => void program.kill())

async function answer(sql: string, bytesMax: number) {
  const pieces: string[] = []
  const task: SqlTask = { sql, format: 'json', rowsMax: 100, bytesMax, milliseconds: 30_000 }
  const ended = new Promise<SqlReply>((resolve) => {
    const hear = (reply: SqlReply) => {
      if (reply.kind === 'piece') return void pieces.push(reply.text)
      program.off('message', hear)
      resolve(reply)
    }
    program.on('message', hear)
  })
  program.send(task)
  return { pieces, reply: await ended }
}

test('names and types of columns count, and are sent once', async () => {
  const sql = `SELECT 1 AS "${'n'.repeat(10_000)}", {'${'t'.repeat(20_000)}': 1} AS x`
  const { pieces, reply } = await answer(sql, 60_000)
  expect(reply).toEqual({ kind: 'end', truncated: false })
  expect((parseJson(pieces.join('')) as SqlAnswer).columns).toHaveLength(2)
  const refused = await answer(sql, 20_000)
  expect(refused.reply).toMatchObject({
    kind: 'refused',
    reason: 'invalid',
    message:
      'The names and types of the columns take more than the 20000 bytes of an answer. Select fewer columns.',
  })
  expect(refused.pieces).toEqual([])
})

test('a long row comes in short messages', async () => {
  const { pieces } = await answer("SELECT 'a' || repeat('🦉', 400000)", 16 * 1024 ** 2)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(262_144)
  expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(pieces.join(''))
  expect((parseJson(pieces.join('')) as SqlAnswer).rows).toEqual([[`a${'🦉'.repeat(400_000)}`]])
})
