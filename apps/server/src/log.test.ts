/** Failed statements in the log: the statement and its source, without parameter values. */
import { setTimeout as wait } from 'node:timers/promises'
import { loggedError } from '@ulmus/registry'
import { databases } from '@ulmus/storage/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, setStage } from './testing/stage.ts'
import type { TestClient } from './testing/test-client.ts'

/** Part of every value, and of nothing else. */
const token = 'k9Wx'

let lines = ''
let stage: Stage
let operator: pg.Client
let ada: TestClient

beforeAll(async () => {
  const database = databases.find(({ name }) => name === 'server')!
  let url = ''
  stage = await setStage(
    {
      ...database,
      async settings() {
        const made = await database.settings()
        url = made.settings.url!
        return made
      },
    },
    {
      logLevel: 'trace',
      logTo: {
        write(line) {
          lines += line
        },
      },
    },
  )
  ada = stage.ada
  operator = new pg.Client({ connectionString: url })
  operator.on('error', () => undefined)
  await operator.connect()
})
afterAll(async () => {
  await operator.end()
  await stage.end()
})

/** Log lines added during `work`, up to one with `last`, by default one at level `error`. Omits the request log, which contains requested paths. */
async function errorsOf(work: () => Promise<unknown>, last = '"level":50'): Promise<string> {
  const from = lines.length
  await work()
  for (let waits = 0; waits < 1_000 && !lines.slice(from).includes(last); waits++) await wait(20)
  return lines.slice(from)
}

const refusing = (table: string, column: string) =>
  operator.query(
    `alter table ${table} add constraint refused check (coalesce(${column}::text, '') not like '%${token}%') not valid`,
  )
const takingAgain = (table: string) => operator.query(`alter table ${table} drop constraint refused`)

test.each([
  [
    'collections',
    'name',
    () => ada.post('/accounts/ada/collections', { slug: 'named', name: `${token} name` }),
  ],
  [
    'collections',
    'description',
    async () => {
      const { path } = await stage.newCollection()
      return ada.patch(path, { description: `${token} description` })
    },
  ],
  [
    'pushes',
    'message',
    async () => {
      const { path } = await stage.newCollection()
      return ada.post(`${path}/pushes`, { base_version: null, schemas: {}, message: `${token} message` })
    },
  ],
  [
    'metadata_jobs',
    'patch',
    async () => {
      const { path } = await stage.newCollection()
      await stage.push(path, { opening: { schemas: { A: {} } } })
      return ada.patch(`${path}/metadata`, { readme: `${token} readme` })
    },
  ],
])('a row that is refused, of %s for its %s', async (table, column, ask) => {
  await refusing(table, column)
  let status = 0
  const logged = await errorsOf(async () => {
    status = (await ask()).status
  })
  await takingAgain(table)
  expect(status).toBe(500)
  expect(logged).not.toContain(token)
  // Details for the operator are included.
  expect(logged).toMatch(/"query":"(?:insert into|update|with) /)
  expect(logged).toContain('"code":"23514"')
  expect(logged).toContain('"constraint":"refused"')
  expect(logged).toContain(`"table":"${table}"`)
  expect(logged).toMatch(/\\n\s+at /)
})

test.each([
  ['cancelled, as by a time limit', 'pg_cancel_backend', '"level":50'],
  ['of which the connection is ended', 'pg_terminate_backend', 'A database connection was lost: terminating'],
])('a statement %s', async (_, end, line) => {
  await operator.query('begin; lock table collections in access exclusive mode')
  const logged = await errorsOf(async () => {
    const asked = ada.post('/accounts/ada/collections', { slug: `late-${end.length}`, name: `${token} late` })
    let ended = 0
    while (ended === 0) {
      await wait(20)
      const { rowCount } = await operator.query(
        `select ${end}(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      ended = rowCount ?? 0
    }
    await operator.query('rollback')
    expect((await asked).status).toBeGreaterThanOrEqual(500)
  }, line)
  expect(logged).not.toContain(token)
  expect(logged).toContain(line)
})

test('data that the database cannot take, of which it tells in its message', async () => {
  const failing = operator.query('select $1::int', [`${token}17`])
  const error = await failing.catch((thrown: unknown) => thrown)
  expect(String(error)).toContain(token)
  const wrapped = new Error(`Failed: ${String(error)}`, { cause: error })
  expect(JSON.stringify(loggedError(error))).not.toContain(token)
  expect(JSON.stringify(loggedError(error))).toContain('22P02')
  const told = Object.assign(wrapped, { query: 'select $1::int', params: [`${token}17`] })
  expect(JSON.stringify(loggedError(new Error('x', { cause: told })))).not.toContain(token)
  expect(loggedError(`a text`)).toBe('a text')
})
