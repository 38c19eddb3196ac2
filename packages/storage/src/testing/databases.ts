/**
 * Databases for test suites, all of them real: PostgreSQL in process and PostgreSQL on a server.
 *
 *     describe.each(databases)('versions on $name', ({ open }) => {
 *       const { database, dispose } = await open()
 *
 * Tests that depend on the database run on both: statements, landing, leases, jobs, dumps, sweeps, crashes. Tests of services use
 * `serviceDatabases`, all others `anyDatabase`.
 * Each `open` returns a separate database with all tables and no rows, copied from a template made once per run.
 */
import { randomUUID } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that is removed after the run. */
    testFolder: string
    /** Folder of an embedded database, migrated and closed. */
    embeddedTemplate: string
    /** Connection string of a server on which tests may create databases. */
    serverUrl: string
    /** Clauses of `create database` that copy a migrated database on that server, which has no connections. */
    serverTemplate: string
  }
}

/** Settings for `openDatabase`, and for starting a whole server. */
export type DatabaseSettings = { folder: string; url?: undefined } | { url: string; folder?: undefined }

/** One of the two kinds of database. */
export interface TestDatabase {
  readonly name: 'embedded' | 'server'
  /** Opens a fresh database. `dispose` closes and drops it. */
  open(): Promise<{ database: Database; dispose(): Promise<void> }>
  /** Settings of a fresh, unopened database. `dispose` drops it, on a server also with open connections. */
  settings(): Promise<{ settings: DatabaseSettings; dispose(): Promise<void> }>
}

/** Both kinds, for tests that depend on the database. */
export const databases: readonly TestDatabase[] = [
  testDatabase('embedded', copyEmbedded),
  testDatabase('server', copyOnServer),
]

const all = process.env.TEST_DATABASES === 'all'

/** For tests that do not depend on the database: a server, which opens fastest. Both if `TEST_DATABASES` is `all`. */
export const anyDatabase: readonly TestDatabase[] = all ? databases : databases.slice(1)

/** For tests of services, which cover statements that no other test runs: both also if `TEST_DATABASES` is `services`, as .ci/run sets it. */
export const serviceDatabases: readonly TestDatabase[] =
  process.env.TEST_DATABASES === 'services' ? databases : anyDatabase

function testDatabase(name: TestDatabase['name'], settings: TestDatabase['settings']): TestDatabase {
  return {
    name,
    settings,
    async open() {
      const made = await settings()
      const database = await openDatabase(made.settings)
      const dispose = async () => {
        await database.close()
        await made.dispose()
      }
      return { database, dispose }
    },
  }
}

async function copyEmbedded() {
  const folder = join(inject('testFolder'), `embedded-${randomUUID()}`)
  cpSync(inject('embeddedTemplate'), folder, { recursive: true })
  return { settings: { folder }, dispose: async () => rmSync(folder, { recursive: true, force: true }) }
}

async function copyOnServer() {
  const name = `ulmus_${randomUUID().replaceAll('-', '')}`
  const url = new URL(inject('serverUrl'))
  await onServer(url.href, `create database ${name} ${inject('serverTemplate')}`)
  const home = url.href
  url.pathname = `/${name}`
  return {
    settings: { url: url.href },
    dispose: () => onServer(home, `drop database if exists ${name} with (force)`),
  }
}

/** Runs one statement on a separate connection. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
