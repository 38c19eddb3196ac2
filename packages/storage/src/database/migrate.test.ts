import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databases } from '../testing/databases.ts'
import { DatabaseUnfitError } from './database.ts'
import { migrationTimes } from './migrate.ts'
import { openDatabase } from './open.ts'

test('every migration in the folder has its time, and they ascend', () => {
  const files = readdirSync(new URL('../../migrations', import.meta.url)).filter((file) =>
    file.endsWith('.sql'),
  )
  const times = migrationTimes()
  expect(times).toHaveLength(files.length)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

/** The migrations of this release in `folder`, and one more. */
function addMigration(folder: string, sql: string): void {
  cpSync(new URL('../../migrations', import.meta.url), folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { when: number; tag: string }[] }
  const last = journal.entries.at(-1)!
  journal.entries.push({ ...last, when: last.when + 1_000, tag: '9999_newer' })
  writeFileSync(path, JSON.stringify(journal))
  writeFileSync(join(folder, '9999_newer.sql'), sql)
}

describe.each(databases)('migrations ($name)', ({ settings }) => {
  test.each([
    ['newer', 1_000, /^The database is of a newer release than this program.*restore the backup/],
    ['never released', -1_000, /^The database was made by a version .* never released/],
  ] as const)('a database that is %s is refused and left as it is', async (_what, later, sentence) => {
    const made = await settings()
    try {
      const first = await openDatabase(made.settings)
      await first.query(`update drizzle.__drizzle_migrations set created_at = created_at + ${later}`)
      await first.close()
      const refused = await openDatabase(made.settings).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refused).toBeInstanceOf(DatabaseUnfitError)
      expect((refused as Error).message).toMatch(sentence)
    } finally {
      await made.dispose()
    }
  })

  test('a newer release upgrades the rows that are there, and then this one is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    try {
      const first = await openDatabase(made.settings)
      await first.query(
        `insert into accounts (id, slug, type, display_name, created_at) values (gen_random_uuid(), 'ada', 'user', 'Ada', now())`,
      )
      await first.close()
      addMigration(
        folder,
        'alter table accounts add column shown_as text; update accounts set shown_as = slug;',
      )
      const newer = await openDatabase({ ...made.settings, migrations: { folder } })
      expect((await newer.query('select shown_as from accounts')).rows).toEqual([{ shown_as: 'ada' }])
      await newer.close()
      await expect(openDatabase(made.settings)).rejects.toThrow(/^The database is of a newer release/)
      const again = await openDatabase({ ...made.settings, migrations: { folder } })
      expect((await again.query('select shown_as from accounts')).rows).toEqual([{ shown_as: 'ada' }])
      await again.close()
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('one that fails leaves the database as it was', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    try {
      addMigration(
        folder,
        'alter table accounts add column shown_as text;\n--> statement-breakpoint\nselect 1/0;',
      )
      await expect(openDatabase({ ...made.settings, migrations: { folder } })).rejects.toThrow(
        /division by zero/,
      )
      const database = await openDatabase(made.settings)
      await expect(database.query('select shown_as from accounts')).rejects.toThrow(/does not exist/)
      await database.close()
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('only those up to the last that is asked for are run', async () => {
    const made = await settings()
    try {
      // Templates have all tables, so drop them to get an empty database.
      const emptied = await openDatabase(made.settings)
      await emptied.query('drop schema public cascade; drop schema drizzle cascade; create schema public')
      await emptied.close()
      const before = await openDatabase({ ...made.settings, migrations: { last: migrationTimes()[0]! - 1 } })
      const tables = await before.query("select to_regclass('public.accounts') as found")
      expect(tables.rows).toEqual([{ found: null }])
      await before.close()
      const after = await openDatabase(made.settings)
      expect((await after.query('select count(*)::integer as n from accounts')).rows).toEqual([{ n: 0 }])
      await after.close()
    } finally {
      await made.dispose()
    }
  })
})
