/** Refusals of real servers: an unusable database is reported with the cure. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable, noteDatabaseError } from '../errors/unavailable.ts'
import { onServer } from '../testing/databases.ts'
import { startPostgres } from '../testing/postgres.ts'
import { openDatabase } from './open.ts'
import { connectionRefusal } from './server-refusals.ts'
import { DatabaseUnfitError } from './sql-errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-refusals-'))
let server: Awaited<ReturnType<typeof startPostgres>>

beforeAll(async () => {
  chmodSync(folder, 0o755)
  const rules = join(folder, 'pg_hba.conf')
  const rule = (kind: string, user: string, way: string) => `${kind} all ${user} 127.0.0.1/32 ${way}\n`
  writeFileSync(
    rules,
    `${rule('host', 'guarded', 'scram-sha-256')}${rule('host', 'outside', 'reject')}${rule('host', 'all', 'trust')}`,
  )
  chmodSync(rules, 0o644)
  server = await startPostgres(join(folder, 'server'), [`hba_file=${rules}`])
  for (const statement of [
    "create role guarded login password 'right'",
    'create role outside login',
    'create role plain login',
    'create role maker login',
    'create role crowded login connection limit 0',
    'create role reader login',
    'create database closed allow_connections false',
    'create database guarded_one',
    'revoke connect on database guarded_one from public',
    'alter role reader set default_transaction_read_only = on',
    "create database latin encoding 'LATIN1' locale 'C' locale_provider libc template template0",
    "create database bytes encoding 'SQL_ASCII' locale 'C' locale_provider libc template template0",
    'create database empty',
    'create database makers',
    'grant create on database makers to maker',
    'create database others',
    'create database blog',
    'create database viewed',
    'create database spatial',
  ])
    await onServer(server.url, statement)
  await onServer(urlOf('ulmus', 'others'), 'create table accounts (id integer)')
  for (const table of ['wp_posts', 'users', 'links', 'wp_options'])
    await onServer(urlOf('ulmus', 'blog'), `create table ${table} (id integer)`)
  await onServer(urlOf('ulmus', 'viewed'), 'create view accounts as select 1 as id')
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

function urlOf(user: string, database: string): string {
  const url = new URL(server.url)
  const [name = '', password = ''] = user.split(':')
  return Object.assign(url, { username: name, password, pathname: `/${database}` }).href
}

test.each<[string, string, string, RegExp]>([
  [
    'a database that is not there',
    'ulmus',
    'nowhere',
    /not there: database "nowhere" does not exist\. Create it/,
  ],
  [
    'a role that is not there',
    'nobody_here',
    'empty',
    /role "nobody_here" does not exist\. Correct the user/,
  ],
  [
    'a wrong password',
    'guarded:wrong',
    'empty',
    /password authentication failed.*Correct user and password in/,
  ],
  ['an address that may not come in', 'outside', 'empty', /pg_hba\.conf/],
  [
    'no privilege on the database',
    'plain',
    'empty',
    /permission denied for database empty\. Make it the owner/,
  ],
  [
    'no privilege on its schema',
    'maker',
    'makers',
    /permission denied for schema public\. Make it the owner/,
  ],
  ['no connection to spare', 'crowded', 'empty', /too many connections for role "crowded"\. Raise/],
  ['a database that is read only', 'reader', 'empty', /is read-only: .*a standby/],
  [
    'an encoding of one byte',
    'ulmus',
    'latin',
    /has the encoding LATIN1; UTF8 is needed\. Create one by: create/,
  ],
  ['no encoding at all', 'ulmus', 'bytes', /has the encoding SQL_ASCII; UTF8 is needed/],
  [
    'tables of something else',
    'ulmus',
    'others',
    /something else: accounts\. Give Ulmus a database of its own/,
  ],
  [
    'tables of something else, with other names',
    'ulmus',
    'blog',
    /something else: links, users, wp_options and more\. Give Ulmus a database of its own/,
  ],
  ['a view with the name of a table', 'ulmus', 'viewed', /"accounts" already exists\. Give Ulmus/],
  [
    'a file of an authority that is not there',
    'ulmus',
    'empty?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    /names for TLS cannot be read: .*\/nowhere\/ca\.pem.*Correct sslrootcert/,
  ],
  ['encryption that it lacks', 'ulmus', 'empty?sslmode=require', /does not speak TLS.*Remove sslmode/],
])('%s', async (_what, user, database, sentence) => {
  const [name = '', query] = database.split('?')
  const url = urlOf(user, name) + (query === undefined ? '' : `?${query}`)
  const opened = openDatabase({ url }).then((made) => made.close())
  await expect(opened).rejects.toThrow(DatabaseUnfitError)
  await expect(opened).rejects.toThrow(sentence)
  const { message } = (await opened.catch((error: unknown) => error)) as Error
  expect(message.split('\n')).toHaveLength(1)
  expect(message).not.toContain('wrong')
})

test('a refused database stays as it is', async () => {
  await expect(openDatabase({ url: urlOf('ulmus', 'blog') })).rejects.toThrow(DatabaseUnfitError)
  const client = new pg.Client({ connectionString: urlOf('ulmus', 'blog') })
  await client.connect()
  const { rows } = await client.query(
    `select count(*)::int as tables from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  await client.end()
  expect(rows).toEqual([{ tables: 4 }])
})

test('tables of extensions and of other schemas are no reason to refuse a database', async () => {
  for (const statement of [
    'create extension pg_trgm',
    'create table spatial_ref_sys (id integer)',
    'alter extension pg_trgm add table spatial_ref_sys',
    'create schema tiger create table users (id integer)',
  ])
    await onServer(urlOf('ulmus', 'spatial'), statement)
  const opened = await openDatabase({ url: urlOf('ulmus', 'spatial') })
  expect((await opened.query('select count(*)::int as n from accounts')).rows).toEqual([{ n: 0 }])
  await opened.close()
})

test.each<[string, string, string, RegExp]>([
  ['a database that is not there', 'ulmus', 'nowhere', /is not there/],
  ['a wrong password', 'guarded:wrong', 'empty', /Correct user and password/],
  ['a role that is not there', 'nobody_here', 'empty', /create the role/],
  ['an address that may not come in', 'outside', 'empty', /pg_hba\.conf/],
  ['no connection to spare', 'crowded', 'empty', /no connection to spare/],
  ['a database that takes none', 'ulmus', 'closed', /takes no connection: .* not currently accepting/],
  ['no privilege to connect', 'plain', 'guarded_one', /lacks a privilege/],
])(
  'a connection that is refused while a server runs counts as an outage: %s',
  async (_what, user, name, sentence) => {
    const client = new pg.Client({ connectionString: urlOf(user, name) })
    const error = await client.connect().catch((refused: unknown) => refused)
    expect([noteDatabaseError(error), isUnavailable(error)]).toEqual([true, true])
    expect(connectionRefusal(error)).toMatch(sentence)
  },
)

test('statements with the codes of such refusals are none', () => {
  const denied = Object.assign(new Error('permission denied for table x'), {
    code: '42501',
    severity: 'ERROR',
  })
  expect([noteDatabaseError(denied), connectionRefusal(denied)]).toEqual([false, undefined])
})
