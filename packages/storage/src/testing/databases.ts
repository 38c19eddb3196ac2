/**
 * The databases that suites run on, every one a real one: PostgreSQL in process and PostgreSQL on a server.
 *
 *     describe.each(databases)('versions on $name', ({ open }) => {
 *       const { database, dispose } = await open()
 *
 * What depends on the database is tested on both: statements, transactions, locks, crashes. The rest takes `anyDatabase`.
 * Each `open` gives a database of its own with all tables and no rows, copied from a template made once a run.
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
    /** A folder that goes with the run. */
    testFolder: string
    /** Folder of an embedded database, migrated and closed. */
    embeddedTemplate: string
    /** Connection string of a server that tests may make databases on. */
    serverUrl: string
    /** Name of a migrated database on it without connections. */
    serverTemplate: string
  }
}

/** Settings for `openDatabase`, and for starting a whole server. */
export type DatabaseSettings = { folder: string; url?: undefined } | { url: string; folder?: undefined }

export interface TestDatabase {
  readonly name: 'embedded' | 'server'
  /** A fresh database, open. `dispose` closes and drops it. */
  open(): Promise<{ database: Database; dispose(): Promise<void> }>
  /** Location of a fresh database, not opened. `dispose` drops it, and with it any connections to a server's. */
  settings(): Promise<{ settings: DatabaseSettings; dispose(): Promise<void> }>
}

export const databases: readonly TestDatabase[] = [
  testDatabase('embedded', copyEmbedded),
  testDatabase('server', copyOnServer),
]

/** For laws that do not depend on the database: a server, which opens fastest. Both where `TEST_DATABASES` is `all`. */
export const anyDatabase: readonly TestDatabase[] =
  process.env.TEST_DATABASES === 'all' ? databases : databases.slice(1)

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
  await onServer(url.href, `create database ${name} template ${inject('serverTemplate')}`)
  const home = url.href
  url.pathname = `/${name}`
  return {
    settings: { url: url.href },
    dispose: () => onServer(home, `drop database if exists ${name} with (force)`),
  }
}

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
