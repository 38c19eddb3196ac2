import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database, Tx } from '../../database/database.ts'
import { isUniqueViolation } from '../../database/sql-errors.ts'
import { databases } from '../../testing/databases.ts'
import { accounts, deleteAccount } from '../accounts/accounts.ts'
import {
  type CollectionRow,
  collections,
  deleteCollection,
  insertCollection,
  updateCollection,
} from '../collections/collections.ts'
import { dropFormerSlugs, keepFormerSlug } from '../collections/former-slugs.ts'
import { notHidden } from '../collections/hidden-collections.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import { findFormerCollection } from '../joins/found-collection.ts'
import { findHead, markVersion, standing, versions } from '../versions/versions.ts'
import { type ForkOf, type Landing, landVersion } from './land-version.ts'
import { auditFor, outcomeOf } from './outcome.fixture.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const zeros = '0'.repeat(64)
const owner = { slug: 'o', displayName: 'O' }
const isSlugTaken = expect.toSatisfy((error) => isUniqueViolation(error, 'collections_owner_slug'))

describe.each(databases)('landing a fork on $name', ({ name, open }) => {
  let database: Database
  let dispose: () => Promise<void>
  let ownerId: string
  let sourceId: string
  let sourceVersionId: string
  let made = 0

  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())
  beforeEach(async () => {
    ownerId = randomUUID()
    sourceId = randomUUID()
    const account = { ...owner, id: ownerId, slug: ownerId, type: 'org' as const, createdAt: at }
    await database.query(...insertInto(accounts, account))
    await database.transact((tx) => insertCollection(tx, rowOf(sourceId), owner))
    sourceVersionId = randomUUID()
    await database.query(...insertInto(versions, versionOf(sourceVersionId, sourceId)))
  })

  const rowOf = (id: string) => ({
    ...{ id, ownerId, slug: `c${++made}`, name: 'É', description: null, public: true },
    ...{ headId: null, headDescription: null, topics: [], forkedFromId: null, forkedFromSemver: null },
    ...{
      ancestors: [] as string[],
      newestWithdrawn: null,
      publishersOnly: false,
      ...notHidden,
      storedBytes: 0,
      createdAt: at,
      updatedAt: at,
    },
  })
  const versionOf = (id: string, collectionId: string) => ({
    ...{ id, collectionId, major: 1, minor: 0, patch: 0, baseSemver: null, createdAt: at, ...standing },
    ...{ fullDigest: zeros, publicDigest: zeros, sidecar: zeros, publicChanged: true },
    ...{ message: 'm', appId: null, actorId: null, madeBy: randomUUID(), madeWithKey: null, workload: null },
    ...{
      fullRecords: 2 ** 40,
      fullFiles: 1,
      fullBytes: 2,
      publicRecords: 3,
      publicFiles: 4,
      publicBytes: 5,
      storedBytes: 0,
      license: null,
      listedTypes: { full: ['A', '"{}'], public: [] },
    },
  })
  function forkOf(
    change: Partial<ForkOf['collection']> = {},
    of: Partial<ForkOf> = {},
  ): Landing & { collection: ForkOf['collection'] } {
    const [id, headId] = [randomUUID(), randomUUID()]
    const version = versionOf(headId, id)
    const origin = { forkedFromId: sourceId, forkedFromSemver: 'v1.0.0', ancestors: [sourceId, randomUUID()] }
    const collection = { ...rowOf(id), headId, headDescription: 'd', topics: ['t'], ...origin, ...change }
    const by = {
      ...{ accountId: collection.ownerId, ownerId: collection.ownerId, now: at },
      ...{ credential: null, roles: ['owner'] as const },
    }
    const fork = {
      sourceId,
      sourceVersionId,
      byMember: false,
      ofPrivate: false,
      collection,
      owner,
      audit: { ...auditFor(version), action: 'collection.made' },
      collectionsMax: 10_000,
      ...of,
    }
    return {
      version,
      from: null,
      headDescription: 'd',
      topics: ['t'],
      by,
      audit: auditFor(version),
      fork,
      collection,
    }
  }
  const land = (fork: Landing) => outcomeOf(database.transactOnce((tx) => landVersion(tx, fork)))
  const found = async (id: string) =>
    (
      await database.query<CollectionRow>(`select ${columnsOf(collections)} from collections where id = $1`, [
        id,
      ])
    ).rows[0]
  const setPublic = (tx: Tx, isPublic: boolean) =>
    updateCollection(tx, sourceId, { ...rowOf(sourceId), public: isPublic })

  test('whole, as it was given', async () => {
    const fork = forkOf()
    expect(await land(fork)).toBe('landed')
    expect(await found(fork.collection.id)).toEqual({ ...fork.collection, foldedName: 'é' })
    expect(await findHead(database, fork.collection.id)).toEqual(fork.version)
  })

  test('with what searches find of the source, unless that is of another version by now', async () => {
    const found =
      '{"readme": "\'moss\':1D", "fields": "\'bog\':1D", "facets": ["size:small"], "topics": "\'peat\':1B"}'
    await database.query('select set_head_words($1, $2)', [sourceId, found])
    const wordsIn = async ({ collection: { id } }: { collection: { id: string } }) => {
      const words = await database.query(
        `select topics::text, readme::text, fields::text, facets from collection_words where collection_id = $1`,
        [id],
      )
      return words.rows
    }
    await database.query('update collections set head_id = $2 where id = $1', [sourceId, sourceVersionId])
    const fork = forkOf()
    expect(await land(fork)).toBe('landed')
    const copied = { readme: "'moss':1", fields: "'bog':1", facets: ['size:small'] }
    expect(await wordsIn(fork)).toEqual([{ topics: "'t':1B", ...copied }])
    await database.query('update collections set head_id = $2 where id = $1', [sourceId, randomUUID()])
    const late = forkOf()
    expect(await land(late)).toBe('landed')
    expect(await wordsIn(late)).toEqual([{ topics: "'t':1B", readme: '', fields: '', facets: [] }])
  })

  test('as public as its source and no more than is wanted; of a private one for some only', async () => {
    const closed = forkOf({ public: false })
    expect(await land(closed)).toBe('landed')
    expect(await found(closed.collection.id)).toMatchObject({ public: false })
    await database.transact((tx) => setPublic(tx, false))
    const refused = forkOf()
    expect(await land(refused)).toBe('source_gone')
    expect(await found(refused.collection.id)).toBeUndefined()
    const hidden = forkOf({}, { byMember: true, ofPrivate: true })
    expect(await land(hidden)).toBe('landed')
    expect(await found(hidden.collection.id)).toMatchObject({ public: false })
    const audited = await database.query('select details from audit_events where id = $1', [
      hidden.fork!.audit.id,
    ])
    expect(audited.rows).toEqual([{ details: { public: false } }])
  })

  test('not without its source, its owner or a slug of its own, and nothing of it is there then', async () => {
    const counts = async () => {
      const { rows } = await database.query(
        `select (select count(*)::integer from collections) as collections, (select count(*)::integer from versions) as versions`,
      )
      return rows
    }
    const before = await counts()
    expect(await land(forkOf({}, { sourceId: randomUUID() }))).toBe('source_gone')
    await database.transact((tx) => markVersion(tx, sourceVersionId, { withdrawnAt: at }))
    expect(await land(forkOf())).toBe('source_withdrawn')
    await database.transact((tx) => markVersion(tx, sourceVersionId, { withdrawnAt: null }))
    expect(await land(forkOf({ ownerId: randomUUID() }))).toBe('owner_gone')
    expect(await land(forkOf({}, { collectionsMax: 1 }))).toBe('too_many_collections')
    const { slug } = (await found(sourceId))!
    await expect(land(forkOf({ slug }))).rejects.toEqual(isSlugTaken)
    expect(await counts()).toEqual(before)
  })

  test('of many at once with one slug one lands', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => land(forkOf({ slug: 'wanted' }))))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toEqual(isSlugTaken)
  })

  // The embedded database runs one transaction at a time.
  describe.runIf(name === 'server')('beside a transaction that it waits for', () => {
    /** Outcome of a landing that starts after `work`, before the transaction of `work` ends. */
    async function landBeside(work: (tx: Tx) => Promise<unknown>, fork: Landing) {
      const { promise: worked, resolve: begin } = Promise.withResolvers<void>()
      const landed = Promise.allSettled([worked.then(() => land(fork))])
      await database.transact(async (tx) => {
        await work(tx)
        begin()
        await isWaitedFor(tx)
      })
      return (await landed)[0]
    }
    const isWaitedFor = (tx: Tx) =>
      vi.waitFor(async () => {
        const { rows } = await tx.query(
          'select from pg_locks l where not granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))',
        )
        expect(rows).toHaveLength(1)
      }, 20_000)

    test('that deletes the source or makes it private, or public again', async () => {
      expect(await landBeside((tx) => setPublic(tx, false), forkOf())).toMatchObject({ value: 'source_gone' })
      const late = forkOf({}, { byMember: true, ofPrivate: true })
      expect(await landBeside((tx) => setPublic(tx, true), late)).toMatchObject({ value: 'landed' })
      expect(await found(late.collection.id)).toMatchObject({ public: true })
      const closed = forkOf({}, { byMember: true, ofPrivate: true })
      expect(await landBeside((tx) => setPublic(tx, false), closed)).toMatchObject({ value: 'landed' })
      expect(await found(closed.collection.id)).toMatchObject({ public: false })
      expect(
        await landBeside(
          (tx) => deleteCollection(tx, sourceId),
          forkOf({}, { byMember: true, ofPrivate: true }),
        ),
      ).toMatchObject({
        value: 'source_gone',
      })
    })

    test('that deletes its owner', async () => {
      const otherId = randomUUID()
      const other = { id: otherId, slug: otherId, type: 'org' as const, displayName: 'O', createdAt: at }
      await database.query(...insertInto(accounts, other))
      const fork = forkOf({ ownerId: otherId })
      expect(await landBeside((tx) => deleteAccount(tx, otherId), fork)).toMatchObject({
        value: 'owner_gone',
      })
    })

    test('that gives up the slug: the fork has it, and when that is gone it leads nowhere', async () => {
      const other = rowOf(randomUUID())
      await database.transact((tx) => insertCollection(tx, other, owner))
      const { id: collectionId, slug } = other
      const fork = forkOf({ slug })
      const giveUp = async (tx: Tx) => {
        await keepFormerSlug(tx, other, at)
        await updateCollection(tx, collectionId, { ...other, slug: 'another' })
      }
      expect(await landBeside(giveUp, fork)).toMatchObject({ value: 'landed' })
      await database.transact(async (tx) => {
        await dropFormerSlugs(tx, fork.collection, at)
        await deleteCollection(tx, fork.collection.id)
      })
      expect(await findFormerCollection(database, { owner: ownerId, slug }, null)).toBeUndefined()
    })

    test('a deletion of the source waits for the fork', async () => {
      const order: string[] = []
      const { promise: landed, resolve: begin } = Promise.withResolvers<void>()
      const deleting = landed.then(async () => {
        await database.transact((tx) => deleteCollection(tx, sourceId))
        order.push('delete')
      })
      await database.transact(async (tx) => {
        await landVersion(tx, forkOf())
        begin()
        await isWaitedFor(tx)
        order.push('fork')
      })
      await deleting
      expect(order).toEqual(['fork', 'delete'])
    })
  })
})
