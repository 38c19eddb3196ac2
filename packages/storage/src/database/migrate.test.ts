import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeDump } from '../dump/write.ts'
import { findKeyByHash } from '../sql/access/keys.ts'
import { noteServer, noteServerEnd } from '../sql/upkeep/servers.ts'
import { databases } from '../testing/databases.ts'
import { addMigration } from '../testing/next-migration.ts'
import { DatabaseUnfitError } from './database.ts'
import { findNewerRelease, migrationTimes } from './migrate.ts'
import { openDatabase } from './open.ts'
import { silentSecondsMax } from './other-servers.ts'

const migrations = new URL('../../migrations/', import.meta.url)
const files = readdirSync(migrations)
  .filter((file) => file.endsWith('.sql'))
  .sort()

test('every migration in the folder has its time, and they ascend', () => {
  const times = migrationTimes()
  expect(times).toHaveLength(files.length)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

test('every migration after the first begins with a comment for the log', () => {
  for (const file of files.slice(1))
    expect(readFileSync(new URL(file, migrations), 'utf8'), file).toMatch(/^-- [A-Z].+\.\n/)
})

/** Empties a database: templates have all tables. */
async function empty(settings: Parameters<typeof openDatabase>[0]): Promise<void> {
  const opened = await openDatabase(settings)
  await opened.query('drop schema public cascade; drop schema drizzle cascade; create schema public')
  await opened.close()
}

describe.each(databases)('migrations ($name)', ({ name, settings }) => {
  test.each([
    ['newer', 1_000, /^The database is of a newer release .*than this program.*restore the backup/],
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
      await empty(made.settings)
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

  test('keys of one collection stay limited to it', async () => {
    const made = await settings()
    try {
      await empty(made.settings)
      // The last one with the collection in the row of the key.
      const before = await openDatabase({ ...made.settings, migrations: { last: migrationTimes()[1] } })
      const [account, collection, limited, all] = Array.from({ length: 4 }, () => randomUUID())
      await before.query(
        "insert into accounts (id, slug, type, display_name, created_at) values ($1, 'ada', 'user', 'Ada', now())",
        [account],
      )
      await before.query(
        `insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
         values ($1, $2, 'maps', 'Maps', 'maps', false, now(), now())`,
        [collection, account],
      )
      await before.query(
        `insert into api_keys (id, account_id, hash, start, label, scope, collection_id, created_at)
         values ($1, $3, 'a', 'ul_', 'limited', 'read', $4, now()), ($2, $3, 'b', 'ul_', 'all', 'read', null, now())`,
        [limited, all, account, collection],
      )
      await before.close()
      const after = await openDatabase(made.settings)
      const found = await Promise.all(['a', 'b'].map((hash) => findKeyByHash(after, hash)))
      expect(found.map((key) => key?.collectionIds)).toEqual([[collection], null])
      await after.close()
    } finally {
      await made.dispose()
    }
  })

  test('a migration is logged with what it does, and the record has its release', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    try {
      addMigration(
        folder,
        '-- Adds the shown name of accounts.\nalter table accounts add column shown_as text;',
      )
      const lines: string[] = []
      const newer = await openDatabase({
        ...{ ...made.settings, migrations: { folder }, release: '0.2.0 (abcdef12, 2027-01-01)' },
        log: (line) => lines.push(line),
      })
      expect(lines).toEqual([
        'Migrating the database: 9999_newer (Adds the shown name of accounts.).',
        expect.stringMatching(/^Migrated the database: 9999_newer took \d+\.\d s\.$/),
      ])
      expect(await findNewerRelease(newer)).toBe('0.2.0 (abcdef12, 2027-01-01)')
      await newer.close()
      await expect(openDatabase(made.settings)).rejects.toThrow(
        /^The database is of a newer release \(0\.2\.0 \(abcdef12, 2027-01-01\)\) than this program/,
      )
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('the release before may run beside a compatible migration, and beside no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    try {
      addMigration(folder, '-- Adds an index.\n-- compatible\ncreate index later on accounts (created_at);')
      const newer = await openDatabase({ ...made.settings, migrations: { folder } })
      expect(await findNewerRelease(newer)).toBe(undefined)
      await newer.close()
      const older = await openDatabase(made.settings)
      // A dump of the older program would lack what the newer one has added.
      await expect(writeDump(older, join(folder, 'dump'))).rejects.toThrow(DatabaseUnfitError)
      await older.close()
      addMigration(folder, 'select 1;', 2_000)
      await (await openDatabase({ ...made.settings, migrations: { folder } })).close()
      await expect(openDatabase(made.settings)).rejects.toThrow(/^The database is of a newer release/)
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a command refuses a database of an older release, even for a compatible migration, and leaves it as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    const open = (onlyNew: boolean) =>
      openDatabase({ ...made.settings, migrations: { folder, onlyNew }, release: '0.2.0' })
    try {
      await (await openDatabase({ ...made.settings, release: '0.1.0' })).close()
      addMigration(folder, '-- compatible\ncreate table later (id integer);')
      await expect(open(true)).rejects.toThrow(DatabaseUnfitError)
      await expect(open(true)).rejects.toThrow(
        /^The database was last migrated by .* this program is 0\.2\.0/,
      )
      const older = await openDatabase(made.settings)
      expect((await older.query("select to_regclass('later') as found")).rows).toEqual([{ found: null }])
      await older.close()
      await (await open(false)).close()
      await (await open(true)).close()
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a migration waits for the end of other servers, unless it is compatible or forced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    const newer = (force = false) =>
      openDatabase({ ...made.settings, migrations: { folder, force }, release: '0.2.0' })
    try {
      const first = await openDatabase(made.settings)
      const server = { id: randomUUID(), host: 'here', release: '0.1.0' }
      await first.transact((tx) => noteServer(tx, server, true))
      await first.close()
      addMigration(folder, 'select 1;')
      if (name === 'embedded') {
        // Its lock has told that no other process is alive.
        await (await newer()).close()
        return
      }
      const sentence =
        /^The release 0\.2\.0 would migrate .* the server on here \(release 0\.1\.0, seen \d s ago\) uses it: stop it, wait (3\d|40) s .* `ulmus-server start --force`/
      await expect(newer()).rejects.toThrow(sentence)
      await expect(newer()).rejects.toThrow(DatabaseUnfitError)
      await (await newer(true)).close()

      addMigration(folder, '-- compatible\nselect 2;', 2_000)
      await (await newer()).close()
      addMigration(folder, 'select 3;', 3_000)
      await expect(newer()).rejects.toThrow(sentence)
      const ending = await openDatabase({ ...made.settings, migrations: { folder, last: 0 } })
      await ending.transact((tx) => noteServerEnd(tx, server.id))
      await ending.close()
      await (await newer()).close()
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a killed server is waited for until its heartbeat is too old', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-newer-'))
    const made = await settings()
    try {
      const first = await openDatabase(made.settings)
      await first.transact((tx) => noteServer(tx, { id: randomUUID(), host: 'here', release: '0.1.0' }, true))
      await first.query(`update servers set seen_at = now() - make_interval(secs => $1)`, [
        silentSecondsMax + 1,
      ])
      await first.close()
      addMigration(folder, 'select 1;')
      await (await openDatabase({ ...made.settings, migrations: { folder } })).close()
    } finally {
      await made.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
