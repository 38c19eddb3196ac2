/** Databases on a primary with a synchronous standby, during failovers. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isUnavailable } from '../../errors/unavailable.ts'
import { onServer } from '../../testing/databases.ts'
import { type PostgresServer, startPostgres } from '../../testing/postgres.ts'
import { TcpProxy } from '../../testing/tcp-proxy.ts'
import type { Database } from '../database.ts'
import { otherConnections } from '../other-connections.ts'
import { openServer } from '../server.ts'
import { DatabaseUnfitError } from '../sql-errors.ts'

const recoveredMilliseconds = 10_000
const watchMilliseconds = 500

let ending: AsyncDisposableStack
let primary: PostgresServer
let standby: PostgresServer
let told: string[]

beforeEach(async () => {
  ending = new AsyncDisposableStack()
  told = []
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-failover-'))
  chmodSync(folder, 0o755)
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  primary = await startPostgres(join(folder, 'a'))
  ending.defer(() => primary.stop())
  standby = await primary.startStandby(join(folder, 'b'))
  ending.defer(() => standby.stop())
  await onServer(primary.url, `alter system set synchronous_standby_names = 'standby'`)
  // A commit waits until the standby shows it.
  await onServer(primary.url, `alter system set synchronous_commit = 'remote_apply'`)
  await onServer(primary.url, 'select pg_reload_conf()')
}, 20_000)
afterEach(() => ending.disposeAsync(), 20_000)

const open = async (url: string): Promise<Database> => {
  const database = await openServer({
    url,
    poolMax: 3,
    log: (line) => void told.push(line),
    watchMilliseconds,
  })
  ending.defer(() => database.close())
  return database
}
const portOf = ({ url }: PostgresServer) => new URL(url).port
const both = (query = '') =>
  `postgres://ulmus@127.0.0.1:${portOf(standby)},127.0.0.1:${portOf(primary)}/postgres${query}`
const add = (database: Database, name: string) =>
  database.transact((tx) => tx.query('insert into told values ($1)', [name]))
const names = async (database: Database) => {
  const { rows } = await database.query<{ name: string }>('select name from told order by name')
  return rows.map(({ name }) => name)
}

/** Repeats until it succeeds; until then it may only fail as unavailable. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + recoveredMilliseconds; ; await sleep(50)) {
    try {
      return await work()
    } catch (error) {
      expect(isUnavailable(error), String(error)).toBe(true)
      if (performance.now() > until) throw error
    }
  }
}

/** Ends connections of Ulmus. */
const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ulmus'`

/** Makes the standby the primary, which waits for no other. */
async function promote(): Promise<void> {
  await onServer(standby.url, `alter system set synchronous_standby_names = ''`)
  await onServer(standby.url, 'select pg_promote()')
}

test('connections go to the primary, whatever the order of hosts, and to its successor', async () => {
  const database = await open(both('?target_session_attrs=read-write'))
  await database.query('create table told (name text)')
  await add(database, 'before')
  expect(await names(database)).toEqual(['before'])
  await primary.stop()
  await expect(names(database)).rejects.toSatisfy(isUnavailable)
  await expect(database.lookUp('select 1', [], 'one')).rejects.toSatisfy(isUnavailable)
  await promote()
  await untilDone(() => add(database, 'after'))
  expect(await names(database)).toEqual(['after', 'before'])
  expect(await untilDone(async () => (await database.lookUp('select 1 as one', [], 'one')).rows)).toEqual([
    { one: 1 },
  ])
})

test('a former primary that still runs is left once its successor is known', async () => {
  const database = await open(both())
  await database.query('create table told (name text)')
  await add(database, 'old')
  await promote()
  // It acknowledges no writes without its standby, but would answer reads for ever.
  const writing = add(database, 'lost')
  await add(await open(both()), 'new')
  await expect(writing).rejects.toSatisfy(isUnavailable)
  await untilDone(() => add(database, 'newer'))
  expect(await names(database)).toEqual(['new', 'newer', 'old'])
  expect(told.join()).toContain('failed over')
})

test('lost connections are not made to a former primary again', async () => {
  const database = await openServer({
    url: both(),
    poolMax: 3,
    log: () => undefined,
    watchMilliseconds: 3_600_000,
  })
  ending.defer(() => database.close())
  await database.query('create table told (name text)')
  await promote()
  await onServer(primary.url, end)
  await untilDone(() => add(database, 'new'))
  expect(await names(database)).toEqual(['new'])
})

test('a transaction on a server that became read-only gets another connection the next time', async () => {
  const proxy = await TcpProxy.before({ host: '127.0.0.1', port: Number(portOf(primary)) })
  ending.defer(() => proxy.close())
  const database = await open(`postgres://ulmus@127.0.0.1:${proxy.port}/postgres`)
  await database.query('create table told (name text)')
  await proxy.become({ kind: 'refuse' })
  proxy.target = { host: '127.0.0.1', port: Number(portOf(standby)) }
  await proxy.become({ kind: 'pass' })
  await expect.poll(() => database.connections().open).toBe(0)
  await expect(add(database, 'lost')).rejects.toMatchObject({ code: '25006' })
  proxy.target = { host: '127.0.0.1', port: Number(portOf(primary)) }
  await add(database, 'kept')
  expect(await names(database)).toEqual(['kept'])
})

test('a server does not start on standbys alone, nor without its database', async () => {
  await primary.stop()
  await expect(open(both())).rejects.toSatisfy(isUnavailable)
  await expect(
    open(
      both()
        .replace('/postgres?', '/nowhere')
        .replace(/postgres$/, 'nowhere'),
    ),
  ).rejects.toThrow(DatabaseUnfitError)
})

test('connections of others are counted on the primary', async () => {
  const database = await open(both())
  await database.query('select 1')
  expect(await otherConnections(both())).toBeGreaterThan(0)
})
