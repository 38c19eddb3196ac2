import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { databases } from '../testing/databases.ts'
import { DatabaseUnfit } from './database.ts'
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
      expect(refused).toBeInstanceOf(DatabaseUnfit)
      expect((refused as Error).message).toMatch(sentence)
    } finally {
      await made.dispose()
    }
  })

  test('only those up to the last that is asked for are run', async () => {
    const made = await settings()
    try {
      // Templates have all tables: an empty database is made of one by dropping them.
      const emptied = await openDatabase(made.settings)
      await emptied.query('drop schema public cascade; drop schema drizzle cascade; create schema public')
      await emptied.close()
      const before = await openDatabase({ ...made.settings, lastMigration: migrationTimes()[0]! - 1 })
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
