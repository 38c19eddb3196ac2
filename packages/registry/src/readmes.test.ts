import { endErasure } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LandedReadme, Readmes } from './readmes.ts'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from './testing/context.ts'
import { expireRows } from './upkeep/expiry.ts'

const dayMilliseconds = 86_400_000

describe.each(serviceDatabases)('the cache of rendered readmes on $name', (database) => {
  let context: TestContext
  let now = new Date('2026-06-15T12:00:00Z')
  const later = (days: number) => {
    now = new Date(now.getTime() + days * dayMilliseconds)
  }
  beforeAll(async () => {
    context = await openContext(database, { now: () => now })
  })
  afterAll(() => context.dispose())

  const rows = async () => {
    const { rows } = await context.database.query('select count(*)::integer as rows from rendered_readmes')
    return Number(rows[0]!['rows'])
  }

  test('is shared by servers, also what is too costly, and is in no write-ahead log', async () => {
    await context.readmes.keep('a', '<p>a</p>')
    await context.readmes.keep('b', null)
    const other = new Readmes(context)
    expect([await other.find('a'), await other.find('b'), await other.find('c')]).toEqual([
      '<p>a</p>',
      null,
      undefined,
    ])
    const { rows: kinds } = await context.database.query(
      "select relpersistence from pg_class where relname = 'rendered_readmes'",
    )
    expect(kinds).toEqual([{ relpersistence: 'u' }])
  })

  test('keeps what is used, and drops the rest after a week', async () => {
    const usedAt = async () => {
      const { rows } = await context.database.query(
        "select used_at = $1 as now from rendered_readmes where hash = 'a'",
        [now.toISOString()],
      )
      return rows[0]!['now']
    }
    for (let day = 0; day < 6; day += 2) {
      later(2)
      expect(await context.readmes.find('a')).toBe('<p>a</p>')
      // The use is recorded in the background.
      await expect.poll(usedAt).toBe(true)
    }
    later(2)
    await expireRows(context)
    expect([await context.readmes.find('a'), await context.readmes.find('b')]).toEqual([
      '<p>a</p>',
      undefined,
    ])
  })

  test('has 2,000 rows at most: those that were used last', async () => {
    await context.database.query(
      `insert into rendered_readmes (hash, html, used_at) select 'h' || n, '', $1::timestamptz - n * interval '1 second' from generate_series(1, 2500) n`,
      [now.toISOString()],
    )
    await context.readmes.keep('newest', '')
    expect(await rows()).toBe(2_000)
    expect([
      await context.readmes.find('newest'),
      await context.readmes.find('h1'),
      await context.readmes.find('h2500'),
    ]).toEqual(['', '', undefined])
  })

  test('is emptied when a version is erased: rows do not name their versions', async () => {
    await context.readmes.keep('erased', '<p>a leak</p>')
    await context.database.transact((tx) => endErasure(tx, []))
    expect(await rows()).toBe(0)
  })

  test('reports each readme that lands, with its owner', async () => {
    const told: LandedReadme[] = []
    context.readmes.onLanded = (readme) => void told.push(readme)
    const ada = await addAccount(context, 'ada')
    const collection = await addCollection(context, ada, { slug: 'birds' })
    const first = await addVersion(context, collection, { metadata: { readme: '# Birds' } })
    const semver = { major: 1, minor: 1, patch: 0 }
    await addVersion(context, collection, { base: first, semver, metadata: { readme: 7 }, content: 'other' })
    expect(told).toEqual([{ markdown: '# Birds', owner: 'ada' }])
  })
})
