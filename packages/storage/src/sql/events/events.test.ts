import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import { databases } from '../../testing/databases.ts'
import { dropOldEvents, eventBounds, listEvents, numberEvents } from './events.ts'

describe.each(databases)('events on $name', ({ name, open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
    await database.query(
      `insert into accounts (id, slug, type, display_name, created_at) select md5('a' || n)::uuid, 'a' || n, 'org', 'o', now() from generate_series(0, 2) n`,
    )
  })
  afterAll(() => dispose())

  const idOf = (text: string) => `md5('${text}')::uuid`
  const make = (slug: string, isPublic: boolean) =>
    database.query(
      `insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
       values (${idOf(slug)}, ${idOf('a0')}, $1, $1, $1, $2, now(), now())`,
      [slug, isPublic],
    )
  /** As `land_version` does: with the collection's row locked. `full_records` is the number of earlier versions. */
  const land = (slug: string, patch: number, { changed = true } = {}) =>
    database.transact(async (tx) => {
      await tx.query(`select 1 from collections where id = ${idOf(slug)} for no key update`)
      await tx.query(
        `insert into versions (id, collection_id, major, minor, patch, base_semver, full_digest, public_digest, sidecar, full_records,
           full_files, full_bytes, public_records, public_files, public_bytes, public_changed, stored_bytes, made_by, created_at)
         values (gen_random_uuid(), ${idOf(slug)}, 1, 0, $1, null, '', '', '',
           (select count(*) from versions where collection_id = ${idOf(slug)}), 0, 0, 0, 0, 0, $2, 0, ${idOf('a0')}, now())`,
        [patch, changed],
      )
    })
  const number = () => database.transact((tx) => numberEvents(tx, 1_000))
  const outsider = { accountIds: [] }
  const member = async () => {
    const { rows } = await database.query<{ id: string }>(`select ${idOf('a0')} as id`)
    return { accountIds: [rows[0]!.id] }
  }
  const seen = async (filter: { accountIds: string[] }, after = 0) => {
    const rows = await listEvents(database, filter, { after, before: 2 ** 50, limit: 10_000 })
    return rows.map(({ kind, name: of, details }) => [
      kind,
      of,
      details.semver ?? details.formerly ?? details.public,
    ])
  }

  test('every change of a collection and its versions is an event, in order', async () => {
    expect(await eventBounds(database, outsider)).toMatchObject({ oldest: 1, next: 1 })
    await make('p', true)
    await land('p', 0)
    await land('p', 1, { changed: false })
    await database.query(`update versions set deprecation = 'old', deprecated_at = now() where patch = 0`)
    await database.query(`update versions set withdrawn_at = now(), deprecation = null where patch = 0`)
    await database.query(`update collections set slug = 'q' where slug = 'p'`)
    await database.query(`update collections set name = 'Q', updated_at = now() where slug = 'q'`)
    await database.query(`update collections set owner_id = ${idOf('a1')} where slug = 'q'`)
    await database.query(`update collections set owner_id = ${idOf('a0')}, public = false where slug = 'q'`)
    await database.query(`update collections set public = true where slug = 'q'`)
    expect(await seen(await member())).toEqual([])
    expect(await number()).toBe(10)
    const all = [
      ['collection.made', 'a0/p', undefined],
      ['version.made', 'a0/p', 'v1.0.0'],
      ['version.made', 'a0/p', 'v1.0.1'],
      ['version.deprecated', 'a0/p', 'v1.0.0'],
      ['version.withdrawn', 'a0/p', 'v1.0.0'],
      ['collection.renamed', 'a0/q', 'a0/p'],
      ['collection.transferred', 'a1/q', 'a0/q'],
      ['collection.transferred', 'a0/q', 'a1/q'],
      ['collection.visibility', 'a0/q', false],
      ['collection.visibility', 'a0/q', true],
    ]
    expect(await seen(await member())).toEqual(all)
    const hidden = [2, 7, 8]
    expect(await seen(outsider)).toEqual(all.filter((_, index) => !hidden.includes(index)))
    await database.query(`update collections set public = false where slug = 'q'`)
    expect(await seen(outsider)).toEqual([])
    await database.query(`update collections set public = true where slug = 'q'`)
    await database.query(`delete from collections where slug = 'q'`)
    await number()
    expect(await seen(outsider)).toEqual([['collection.deleted', 'a0/q', undefined]])
  })

  test('a private collection tells outsiders nothing, not even its end', async () => {
    const before = (await eventBounds(database, outsider)).next - 1
    await make('s', false)
    await land('s', 0)
    await database.query(`delete from collections where slug = 's'`)
    expect(await number()).toBe(3)
    expect(await seen(outsider, before)).toEqual([])
    expect((await seen(await member(), before)).map(([kind]) => kind)).toEqual([
      'collection.made',
      'version.made',
      'collection.deleted',
    ])
  })

  test('a change that is rolled back is no event, and numbers go on without gaps after a failure', async () => {
    const { next } = await eventBounds(database, outsider)
    await make('r', true)
    await database
      .transact(async (tx) => {
        await tx.query(`update collections set public = false where slug = 'r'`)
        throw new Error('rolled back')
      })
      .catch(() => undefined)
    await database
      .transact(async (tx) => {
        await numberEvents(tx, 1_000)
        throw new Error('died')
      })
      .catch(() => undefined)
    expect((await eventBounds(database, outsider)).next).toBe(next)
    expect(await number()).toBe(1)
    expect((await eventBounds(database, outsider)).next).toBe(next + 1)
    expect(await number()).toBe(0)
  })

  test('old events go, and the bounds say which are left', async () => {
    const { next } = await eventBounds(database, outsider)
    await database.query('update events set at = $1 where seq < $2', [new Date(0), next - 1])
    const dropped = await database.transact((tx) => dropOldEvents(tx, new Date(1), 10_000))
    expect(dropped).toBe(next - 2)
    expect(await eventBounds(database, outsider)).toMatchObject({ oldest: next - 1, next })
    await database.transact((tx) => dropOldEvents(tx, new Date(2 ** 42), 10_000))
    expect(await eventBounds(database, outsider)).toMatchObject({ oldest: next, next })
  })

  test('16 writers and 2 that number: consecutive, in order within a collection, nothing lost', async () => {
    const collections = Array.from({ length: 8 }, (_, n) => `c${n}`)
    for (const slug of collections) await make(slug, true)
    await number()
    const first = (await eventBounds(database, outsider)).next
    const made = name === 'embedded' ? 10 : 40
    const next = new Map(collections.map((slug) => [slug, 0]))
    let writing = 16
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let n = 0; n < made; n++) {
        const slug = collections[(writer + n) % collections.length]!
        const patch = next.get(slug)!
        next.set(slug, patch + 1)
        await land(slug, patch)
      }
      writing--
    })
    let failures = 0
    const numbering = [0, 1].map(async (which) => {
      while (writing > 0)
        await database
          .transactOnce(async (tx) => {
            await numberEvents(tx, 7)
            if (which === 1 && (failures === 0 || Math.random() < 0.3)) throw new Error('died')
          })
          .catch(() => failures++)
    })
    await Promise.all([...writers, ...numbering])
    while ((await number()) > 0);
    const rows = await listEvents(database, outsider, { after: first - 1, before: 2 ** 50, limit: 10_000 })
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 * made }, (_, n) => first + n))
    expect(failures).toBeGreaterThan(0)
    // The number of versions that each found under the lock.
    const { rows: disordered } = await database.query(
      `select count(*)::int as n from (
         select full_records as found, lag(full_records) over (partition by e.collection_id order by seq) as before
         from events e join versions v on v.id = e.version_id where e.seq >= $1) t where before >= found`,
      [first],
    )
    expect(disordered[0]!['n']).toBe(0)
  })
})
