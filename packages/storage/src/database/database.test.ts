import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { accounts, findAccountBySlug } from '../sql/accounts/accounts.ts'
import { columnsOf, insertInto } from '../sql/columns/rows.ts'
import { findCollectionByPath } from '../sql/joins/found-collection.ts'
import { databases, onServer } from '../testing/databases.ts'
import { startPostgres } from '../testing/postgres.ts'
import {
  type Database,
  DatabaseUnfitError,
  isUnavailable,
  isUniqueViolation,
  type Queries,
} from './database.ts'
import { migrationTimes } from './migrate.ts'
import { openDatabase } from './open.ts'

const account = (slug: string) => ({
  id: crypto.randomUUID(),
  slug,
  type: 'user' as const,
  displayName: slug,
  createdAt: new Date('2026-01-31T12:00:00.123Z'),
})

const rejectionOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(databases)('a database ($name)', ({ name, open, settings }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const insert = (slug: string, at: Queries = database) => at.query(...insertInto(accounts, account(slug)))
  const count = async (slug: string) => {
    const { rows } = await database.query('select from accounts where slug = $1', [slug])
    return rows.length
  }

  it('gives back what was put in, to the millisecond', async () => {
    const row = account('given-back')
    await database.query(...insertInto(accounts, row))
    const text = `select ${columnsOf(accounts)} from accounts where id = $1`
    expect((await database.query(text, [row.id])).rows).toMatchObject([{ ...row, email: null }])
  })

  it('gives back the names of JSON as they are, after others like them', async () => {
    for (const type of ['json', 'jsonb'])
      for (const value of [
        { a: 1, 'b\\': 1 },
        { a: 1, 'b\n': 2 },
      ]) {
        const { rows } = await database.query(`select $1::${type} as value`, [value])
        expect(rows).toEqual([{ value }])
      }
  })

  it('orders slugs by their bytes, whatever its locale', async () => {
    for (const slug of ['bytes-b', 'bytes-B', 'bytes-_', 'bytes-a', 'bytes-ä']) await insert(slug)
    const { rows } = await database.query(`select slug from accounts where slug like 'bytes-%' order by slug`)
    expect(rows.map((row) => row.slug)).toEqual(['bytes-B', 'bytes-_', 'bytes-a', 'bytes-b', 'bytes-ä'])
  })

  it('finds with trigrams', async () => {
    const { rows } = await database.query(`select similarity('registry', 'registri') > 0.5 as near`)
    expect(rows).toEqual([{ near: true }])
  })

  it('speaks UTC', async () => {
    const { rows } = await database.query(`select current_setting('TimeZone') as zone`)
    expect(rows).toEqual([{ zone: 'UTC' }])
  })

  it('commits what resolves and rolls back what rejects', async () => {
    await database.transact((tx) => insert('committed', tx))
    const failed = database.transact(async (tx) => {
      await insert('rolled-back', tx)
      await tx.query('update accounts set slug = $1 where slug = $2', ['renamed', 'committed'])
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect([await count('committed'), await count('renamed'), await count('rolled-back')]).toEqual([1, 0, 0])
  })

  it('does not pretend to commit after a failed statement whose error was swallowed', async () => {
    const swallowing = database.transact(async (tx) => {
      await insert('swallowed', tx)
      await tx.query('select 1/0').catch(() => undefined)
    })
    await expect(swallowing).rejects.toThrow()
    expect(await count('swallowed')).toBe(0)
  })

  it('tells a unique violation, and which', async () => {
    await insert('twice')
    const error = await rejectionOf(insert('twice'))
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'accounts_slug_unique')).toBe(true)
    expect(isUniqueViolation(error, 'accounts_pkey')).toBe(false)
    const within = await rejectionOf(
      database.transact((tx) => tx.query('insert into accounts select * from accounts limit 1')),
    )
    expect(isUniqueViolation(within, 'accounts_pkey')).toBe(true)
    const other = await rejectionOf(database.query('select 1/0'))
    expect(isUniqueViolation(other)).toBe(false)
    expect(isUnavailable(other)).toBe(false)
  })

  it('runs several statements at once, and is no worse for one that opens a transaction and fails', async () => {
    const { rows } = await database.query('begin; select 1 as one; select 2 as one; commit')
    expect(rows).toEqual([{ one: 1 }, { one: 2 }])
    const failed = database.query(`begin; delete from accounts; select 1/0; commit`)
    const next = insert('after-failure')
    await expect(failed).rejects.toThrow('division by zero')
    await next
    expect(await count('after-failure')).toBe(1)
    expect(await count('twice')).toBe(1)
  })

  it('refuses statements on itself inside a transaction, and only there', async () => {
    await database.transact(async (tx) => {
      await expect(database.query('select 1')).rejects.toThrow('tx')
      await expect(database.lookUp('select 1', [], 'one')).rejects.toThrow('tx')
      await expect(database.transact(async () => 1)).rejects.toThrow('tx')
      await tx.query('select 1')
    })
    await database.query('select 1')
  })

  it('plans a statement with a name once, whether a transaction makes it or not', async () => {
    const ask = (at: Queries, id: unknown) =>
      at.query('select slug from accounts where id = $1', [id], 'slug')
    const row = account('named')
    const undone = database.transact(async (tx) => {
      await tx.query(...insertInto(accounts, row))
      for (const id of [row.id, null, row.id])
        expect((await ask(tx, id)).rows).toEqual(id === null ? [] : [{ slug: 'named' }])
      const { rows } = await tx.query(
        `select (generic_plans + custom_plans)::integer as runs from pg_prepared_statements where name = 'slug'`,
      )
      expect(rows).toEqual([{ runs: 3 }])
      await expect(tx.query('select 1 as one', [], 'slug')).rejects.toThrow()
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await ask(database, row.id)).rows).toEqual([])
    await expect(ask(database, 'no id')).rejects.toThrow('uuid')
    await database.query(...insertInto(accounts, row))
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(database, row.id)))
    expect(answers.map(({ rows }) => rows)).toEqual(Array(20).fill([{ slug: 'named' }]))
  })

  it('makes a single statement a transaction by itself', async () => {
    const insert =
      'insert into accounts (id, slug, type, display_name, created_at) values ($1, $2, $3, $4, now())'
    const values = (slug: string) => [crypto.randomUUID(), slug, 'org', slug]
    await database.transactOnce((tx) => tx.query(insert, values('alone')))
    await expect(database.transactOnce((tx) => tx.query(insert, values('alone')))).rejects.toSatisfy(
      (error) => isUniqueViolation(error),
    )
    const second = database.transactOnce(async (tx) => {
      await tx.query(insert, values('one'))
      await tx.query(insert, values('two'))
    })
    await expect(second).rejects.toThrow('made another')
    await expect(database.transactOnce(() => database.query('select 1'))).rejects.toThrow(
      'Inside a transaction',
    )
    const { rows } = await database.query(
      `select slug from accounts where slug in ('alone', 'one', 'two') order by slug`,
    )
    expect(rows).toEqual([{ slug: 'alone' }, { slug: 'one' }])
  })

  it('runs transactions side by side', async () => {
    const slugs = Array.from({ length: 20 }, (_, i) => `side-${i}`)
    await Promise.all(
      slugs.map((slug) =>
        database.transact(async (tx) => {
          await insert(slug, tx)
          await tx.query('select 1')
        }),
      ),
    )
    const { rows } = await database.query(
      `select count(*)::integer as n from accounts where slug like 'side-%'`,
    )
    expect(rows).toEqual([{ n: 20 }])
  })

  it('migrates once: opening again changes nothing', async () => {
    const made = await settings()
    const first = await openDatabase(made.settings)
    await insert('kept', first)
    const ran = (await first.query('select * from drizzle.__drizzle_migrations')).rows
    await first.close()
    const second = await openDatabase(made.settings)
    expect((await second.query('select * from drizzle.__drizzle_migrations')).rows).toEqual(ran)
    expect((await second.query('select slug from accounts')).rows).toEqual([{ slug: 'kept' }])
    await second.close()
    await made.dispose()
  })

  it('closes twice, answers a ping before and not after', async () => {
    const made = await settings()
    const closing = await openDatabase(made.settings)
    await closing.ping()
    await closing.close()
    await closing.close()
    const error = await rejectionOf(closing.ping())
    expect(isUnavailable(error)).toBe(true)
    await made.dispose()
    expect(name).toBe(closing.kind)
  })
})

describe('a server', () => {
  const server = databases[1]!

  it('is migrated by one of several that start at once', async () => {
    const name = `ulmus_${crypto.randomUUID().replaceAll('-', '')}`
    await onServer(inject('serverUrl'), `create database ${name}`)
    const url = new URL(inject('serverUrl'))
    url.pathname = `/${name}`
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase({ url: url.href })))
    const { rows } = await opened[0]!.query('select count(*)::integer as n from drizzle.__drizzle_migrations')
    expect(rows).toEqual([{ n: migrationTimes().length }])
    await Promise.all(opened.map((database) => database.close()))
    await onServer(inject('serverUrl'), `drop database ${name} with (force)`)
  })

  it('is refused with a sentence when it lacks the trigrams', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-unfit-'))
    // PostgreSQL does not run as root but as another account.
    chmodSync(folder, 0o755)
    const bare = await startPostgres(join(folder, 'postgres'))
    try {
      rmSync(join(folder, 'postgres/native/share/postgresql/extension/pg_trgm.control'))
      const error = await rejectionOf(openDatabase({ url: bare.url }))
      expect(error).toBeInstanceOf(DatabaseUnfitError)
      expect(error).toMatchObject({ message: expect.stringContaining('pg_trgm') })
    } finally {
      await bare.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('runs a transaction again after a serialization failure or a deadlock, four times at most', async () => {
    const { database, dispose } = await server.open()
    const failing = (code: string, times: number) => {
      let runs = 0
      const done = database.transact(async (tx) => {
        if (++runs <= times) await tx.query(`do $$ begin raise exception using errcode = '${code}'; end $$`)
        return runs
      })
      return done.catch(() => `failed after ${runs}`)
    }
    expect(await failing('40001', 3)).toBe(4)
    expect(await failing('40P01', 1)).toBe(2)
    expect(await failing('40001', 9)).toBe('failed after 4')
    expect(await failing('22012', 1)).toBe('failed after 1')
    await dispose()
  })

  it('is unavailable when no server listens, and when a connection is cut', async () => {
    const refused = await rejectionOf(openDatabase({ url: 'postgres://ulmus@127.0.0.1:1/none' }))
    expect(isUnavailable(refused)).toBe(true)
    const made = await server.settings()
    const lines: string[] = []
    const database = await openDatabase({ ...made.settings, log: (line) => lines.push(line) })
    const cut = database.transact((tx) =>
      tx.query('select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)'),
    )
    expect(isUnavailable(await rejectionOf(cut))).toBe(true)
    await database.ping()
    await database.close()
    await made.dispose()
  })

  it('answers each of many look-ups asked at once, and refuses those alone that it cannot answer', async () => {
    const { database, dispose } = await server.open()
    const slugs = Array.from({ length: 200 }, (_, index) => `asked-${index}`)
    await database.query(...insertInto(accounts, slugs.map(account)))
    const answers = slugs.map(async (slug, index) => {
      if (index % 7 !== 3) return (await findAccountBySlug(database, slug))?.slug
      // The slug is not a valid id, so the statement fails.
      await expect(findCollectionByPath(database, { owner: slug, slug: 'c' }, slug)).rejects.toThrow()
      return slug
    })
    expect(await Promise.all(answers)).toEqual(slugs)
    await dispose()
  })

  it('looks up on one connection, and on a new one when that is cut', async () => {
    const made = await server.settings()
    const lines: string[] = []
    const database = await openDatabase({ ...made.settings, log: (line) => lines.push(line) })
    const lookUps = (times: number) =>
      Promise.all(Array.from({ length: times }, () => rejectionOf(findAccountBySlug(database, 'missing'))))
    expect(await lookUps(20)).toEqual(Array(20).fill(undefined))
    const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    const { rows } = await database.query(`select count(*)::integer as n ${others} and query ~ 'accounts'`)
    expect(rows).toEqual([{ n: 1 }])
    const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const locking = database.transact(async (tx) => {
      await tx.query('lock table accounts')
      locked.resolve()
      await done.promise
    })
    await locked.promise
    const waiting = lookUps(20)
    const end = `select pg_terminate_backend(pid) ${others} and wait_event_type = 'Lock'`
    while ((await database.query(end)).rows.length === 0) await new Promise((next) => setTimeout(next, 10))
    const cut = await waiting
    done.resolve()
    await locking
    expect(cut.map(isUnavailable)).toEqual(Array(20).fill(true))
    expect(await lookUps(20)).toEqual(Array(20).fill(undefined))
    expect(lines).toEqual([expect.stringMatching(/^A database connection was lost/)])
    await database.close()
    expect((await lookUps(2)).map(isUnavailable)).toEqual([true, true])
    await made.dispose()
  })
})

describe('the generated migration', () => {
  it('is what the tables say now', () => {
    const script = new URL('../../generate-migrations.ts', import.meta.url).pathname
    const said = execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
    expect(said).toContain('up to date')
  })
})
