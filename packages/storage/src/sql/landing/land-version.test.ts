import { randomBytes } from 'node:crypto'
import type { Hash } from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../database/database.ts'
import { ObjectsSweptError } from '../../errors/stores.ts'
import { databases } from '../../testing/databases.ts'
import type { Authority } from '../access/authority.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections, insertCollection } from '../collections/collections.ts'
import { notHidden } from '../collections/hidden-collections.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import { passSweepGate, recordPacks } from '../objects/objects.ts'
import { condemn } from '../objects/sweeps.ts'
import { findMetadataJob, finishMetadataJob, insertMetadataJob } from '../versions/metadata-jobs.ts'
import { findHead, findVersionById, standing, type VersionRow } from '../versions/versions.ts'
import { type Landing, landVersion } from './land-version.ts'
import { auditFor, outcomeOf } from './outcome.fixture.ts'

const randomHash = () => randomBytes(32).toString('hex') as Hash
const at = new Date('2026-01-01T00:00:00.000Z')
const zeros = '0'.repeat(64)

describe.each(databases)('landing a version on $name', ({ name, open }) => {
  let database: Database
  let dispose: () => Promise<void>
  let collectionId: string
  /** Authority of the collection's owner. */
  let by: Authority

  beforeAll(async () => {
    const opened = await open()
    database = opened.database
    dispose = opened.dispose
  })
  afterAll(() => dispose())

  async function newCollection(): Promise<void> {
    collectionId = crypto.randomUUID()
    const owner = { id: crypto.randomUUID(), slug: collectionId, type: 'org' as const, displayName: 'O' }
    await database.query(...insertInto(accounts, { ...owner, createdAt: at }))
    by = { accountId: owner.id, credential: null, ownerId: owner.id, roles: ['owner'], now: at }
    const none = {
      ...{
        description: null,
        headId: null,
        headDescription: null,
        topics: [],
        ancestors: [],
        newestWithdrawn: null,
        publishersOnly: false,
        ...notHidden,
        storedBytes: 0,
      },
    }
    const row = { ...none, id: collectionId, ownerId: owner.id, slug: 'c', name: 'C', public: true }
    const fork = { forkedFromId: null, forkedFromSemver: null }
    await database.transact((tx) =>
      insertCollection(tx, { ...row, ...fork, createdAt: at, updatedAt: at }, owner),
    )
  }
  const versionOf = (patch: number): VersionRow => ({
    ...{ id: crypto.randomUUID(), collectionId, major: 1, minor: 0, patch, baseSemver: null, createdAt: at },
    ...{
      fullDigest: zeros,
      publicDigest: zeros,
      sidecar: zeros,
      publicChanged: true,
      message: 'm',
      appId: null,
      actorId: null,
      madeBy: by.accountId,
      madeWithKey: { id: zeros, label: 'ä "' },
      workload: null,
    },
    ...standing,
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
  const land = (version: VersionRow, from: string | null) =>
    outcomeOf(
      database.transact((tx) =>
        landVersion(tx, {
          version,
          from,
          headDescription: 'd',
          topics: ['t', 'of "it"'],
          by,
          audit: auditFor(version),
        }),
      ),
    )
  const landOnce = (landing: Omit<Landing, 'audit'>) =>
    outcomeOf(
      database.transactOnce((tx) => landVersion(tx, { ...landing, audit: auditFor(landing.version) })),
    )

  test('only on the head it was made from, and nothing of it is there otherwise', async () => {
    await newCollection()
    const [first, second, late] = [versionOf(0), versionOf(1), versionOf(2)]
    expect(await land(first, second.id)).toBe('head_moved')
    expect(await land(first, null)).toBe('landed')
    expect(await land(second, null)).toBe('head_moved')
    expect(await land(second, first.id)).toBe('landed')
    expect(await land(late, first.id)).toBe('head_moved')
    expect(await findHead(database, collectionId)).toEqual(second)
    expect(await findVersionById(database, late.id)).toBeUndefined()
    const [row] = (await database.query(`select ${columnsOf(collections)} from collections`)).rows
    expect(row).toMatchObject({
      headId: second.id,
      headDescription: 'd',
      topics: ['t', 'of "it"'],
      updatedAt: at,
    })
    expect(await land({ ...late, collectionId: crypto.randomUUID() }, second.id)).toBe('collection_gone')
  })

  test('with a higher number than any that was given, though the head be an older one again', async () => {
    await newCollection()
    const [first, second, late] = [versionOf(0), versionOf(2), versionOf(1)]
    expect(await land(first, null)).toBe('landed')
    expect(await land(second, first.id)).toBe('landed')
    // Simulates the withdrawal of the second version.
    await database.query('update collections set head_id = $2 where id = $1', [collectionId, first.id])
    expect(await land(late, first.id)).toBe('head_moved')
    expect(await land({ ...late, patch: 2 }, first.id)).toBe('head_moved')
    expect(await land({ ...late, patch: 3 }, first.id)).toBe('landed')
  })

  test('of many at once one lands', async () => {
    await newCollection()
    const tries = await Promise.all(Array.from({ length: 8 }, (_, patch) => land(versionOf(patch), null)))
    expect(tries.filter((end) => end === 'landed')).toHaveLength(1)
    const { rows } = await database.query('select id from versions where collection_id = $1', [collectionId])
    expect(rows).toEqual([{ id: (await findHead(database, collectionId))?.id }])
  })

  const takeSlot = async (base: VersionRow, leaseSeconds: number) => {
    const job = { id: crypto.randomUUID(), collectionId, baseId: base.id, baseSemver: 'v1.0.0' }
    const slot = { ...job, patch: '{}', means: {}, startedAt: at }
    const isTaken = await database.transactOnce((tx) => insertMetadataJob(tx, slot, leaseSeconds, by))
    return { id: job.id, isTaken }
  }
  const finish = (id: string) =>
    database.transact((tx) =>
      finishMetadataJob(tx, id, { at, status: 'failed', error: { code: 'internal' } }),
    )

  test('an update takes its slot on the head alone; only a running one is finished, once', async () => {
    await newCollection()
    const [first, second] = [versionOf(0), versionOf(1)]
    await land(first, null)
    const { id } = await takeSlot(first, 0)
    await expect(takeSlot(first, 0)).rejects.toThrow()
    expect([await finish(id), await finish(id)]).toEqual([true, false])
    const failed = { status: 'failed', patch: null, resultVersionId: null, unchanged: false, finishedAt: at }
    expect(await findMetadataJob(database, id)).toMatchObject({ ...failed, error: { code: 'internal' } })
    await land(second, first.id)
    expect((await takeSlot(first, 4)).isTaken).toBe(false)
  })

  test('a slot that need not last relaxes its own commit and no other', async () => {
    await newCollection()
    const first = versionOf(0)
    await land(first, null)
    // The setting made by the statement is visible within a longer transaction.
    const during = async (leaseSeconds: number) => {
      let mode: unknown
      const undone = database.transact(async (tx) => {
        const job = { id: crypto.randomUUID(), collectionId, baseId: first.id, baseSemver: 'v1.0.0' }
        await insertMetadataJob(tx, { ...job, patch: '{}', means: {}, startedAt: at }, leaseSeconds, by)
        mode = (await tx.query(`select current_setting('synchronous_commit') as mode`)).rows[0]?.['mode']
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      return mode
    }
    expect([await during(0), await during(4)]).toEqual(['on', 'off'])
    await takeSlot(first, 4)
    const { rows } = await database.query(`select current_setting('synchronous_commit') as mode`)
    expect(rows).toEqual([{ mode: 'on' }])
  })

  const packOf = (count: number) => {
    const entry = { kind: 'plain' as const, offset: 12, length: 10, crc: 2 ** 32 - 1, checksum: null }
    const hash = (number: number) => number.toString(16).padStart(64, '0') as never
    const entries = Array.from({ length: count }, (_, i) => ({
      ...entry,
      hash: hash(i),
      bases: i + 1 < count ? [hash(i + 1)] : [],
    }))
    return { name: `packs/00/${crypto.randomUUID()}`, bytes: 100, entries }
  }

  test('a pack is recorded with all of its objects, and of those that are there the place is kept', async () => {
    for (const pack of [packOf(3), packOf(20_001), packOf(0)])
      await database.transact((tx) => recordPacks(tx, { packs: [pack], reliedOn: [] }))
    const { rows } = await database.query(
      `select p.object_bytes::integer as bytes, count(o.hash)::integer as objects, min(o.crc)::text as crc
       from packs p left join objects o on o.pack_id = p.id group by p.id order by p.id`,
    )
    expect(rows).toEqual([
      { bytes: 30, objects: 3, crc: '4294967295' },
      { bytes: 200_010, objects: 19_998, crc: '4294967295' },
      { bytes: 0, objects: 0, crc: null },
    ])
  })

  test('a metadata update lands whole, once, on the head it was made from, and else nothing of it is there', async () => {
    await newCollection()
    const [first, second, third] = [versionOf(0), versionOf(1), versionOf(2)]
    await land(first, null)
    const landUpdate = (job: string, version: VersionRow, from: VersionRow) => {
      // Each pack needs a distinct object.
      const pack = { ...packOf(1), entries: [{ ...packOf(1).entries[0]!, hash: randomHash() }] }
      return landOnce({ version, from: from.id, headDescription: 'u', topics: [], ends: { job }, pack, by })
    }
    const counts = async () => {
      const { rows } = await database.query(
        `select (select count(*)::integer from versions where collection_id = '${collectionId}') as versions,
                (select count(*)::integer from packs) as packs, (select count(*)::integer from objects) as objects`,
      )
      return rows[0] as { versions: number; packs: number; objects: number }
    }
    const before = await counts()
    const { id } = await takeSlot(first, 0)
    expect(await landUpdate(crypto.randomUUID(), second, first)).toBe('update_ended')
    expect(await landUpdate(id, second, third)).toBe('head_moved')
    expect(await counts()).toEqual(before)
    expect(await findMetadataJob(database, id)).toMatchObject({ status: 'running', patch: '{}' })
    expect(await landUpdate(id, second, first)).toBe('landed')
    const after = { versions: before.versions + 1, packs: before.packs + 1, objects: before.objects + 1 }
    expect(await counts()).toEqual(after)
    const { rows } = await database.query(
      `select count(*)::integer as lying from objects join packs on packs.id = pack_id
       where packs.id = (select max(id) from packs)`,
    )
    expect(rows).toEqual([{ lying: 1 }])
    expect(await findHead(database, collectionId)).toEqual(second)
    const completed = { status: 'completed', patch: null, resultVersionId: second.id, unchanged: false }
    expect(await findMetadataJob(database, id)).toMatchObject({ ...completed, error: null, finishedAt: at })
    // The job has ended, so nothing lands with it, even on the right head.
    expect(await landUpdate(id, third, second)).toBe('update_ended')
    expect(await counts()).toEqual(after)
    // Of several servers that run one job, only one lands it.
    const again = await takeSlot(second, 0)
    const tries = await Promise.all(
      [3, 4, 5, 6].map((patch) => landUpdate(again.id, versionOf(patch), second)),
    )
    expect(tries.filter((end) => end === 'landed')).toHaveLength(1)
    expect((await counts()).packs).toBe(after.packs + 1)
  })

  /** An object that the index does not have. */
  const object = (bases: Hash[] = []) => ({ ...packOf(1).entries[0]!, hash: randomHash(), bases })
  const packWith = (...entries: ReturnType<typeof object>[]) => ({
    ...packOf(0),
    entries,
    content: Buffer.from('pack'),
  })
  const record = (...entries: ReturnType<typeof object>[]) =>
    database.transact((tx) => recordPacks(tx, { packs: [packWith(...entries)], reliedOn: [] }))
  const rowsOf = async (...entries: ReturnType<typeof object>[]) => {
    const { rows } = await database.query(
      'select pack_id as pack, condemned from objects where hash = any($1::text[]) order by pack_id',
      [entries.map(({ hash }) => hash)],
    )
    return rows
  }
  const packCounts = async () => {
    const { rows } = await database.query(
      `select (select count(*)::integer from packs) as packs, (select count(*)::integer from inline_packs) as inline`,
    )
    return rows[0] as { packs: number; inline: number }
  }
  /** Makes a collection with an update in its slot; returns a function that lands the update with a pack. */
  async function updating() {
    await newCollection()
    const [first, second] = [versionOf(0), versionOf(1)]
    await land(first, null)
    const { id: job } = await takeSlot(first, 0)
    return async (...entries: ReturnType<typeof object>[]) => {
      const pack = packWith(...entries)
      return landOnce({
        version: second,
        from: first.id,
        headDescription: 'u',
        topics: [],
        ends: { job },
        pack,
        by,
      })
    }
  }
  const sweepId = '01890000-0000-7000-8000-000000000000'
  const condemnAll = (tx: Parameters<typeof condemn>[0], entries: ReturnType<typeof object>[]) =>
    condemn(tx, sweepId, entries, new Date(Date.now() + 86_400_000))
  test('an object that an update finds in the index keeps its place and is pardoned; a pack of nothing new is not recorded', async () => {
    const [a, b] = [object(), object()]
    await record(a, b)
    const [before] = await rowsOf(a)
    const counts = await packCounts()
    await database.transact((tx) => condemnAll(tx, [a, b]))
    expect(await rowsOf(a)).toEqual([{ ...before, condemned: sweepId }])
    expect(await (await updating())(a, b)).toBe('landed')
    expect(await rowsOf(a, b)).toEqual([before, before])
    expect(await (await updating())(b)).toBe('landed')
    expect(await packCounts()).toEqual(counts)
    const c = object()
    await database.transact((tx) => condemnAll(tx, [b]))
    expect(await (await updating())(c, b)).toBe('landed')
    expect(await rowsOf(b)).toEqual([before])
    expect(await rowsOf(c)).toEqual([
      { pack: expect.toSatisfy((id) => id > Number(before!['pack'])), condemned: null },
    ])
    expect(await packCounts()).toEqual({ packs: counts.packs + 1, inline: counts.inline + 1 })
  })

  test('an update relies on an existing delta with its bases; if one is missing, nothing of the update lands', async () => {
    const base = object()
    const delta = object([base.hash])
    await record(base, delta)
    await database.transact((tx) => condemnAll(tx, [base, delta]))
    expect(await (await updating())(delta)).toBe('landed')
    expect((await rowsOf(base, delta)).map(({ condemned }) => condemned)).toEqual([null, null])
    await database.query('delete from objects where hash = $1', [base.hash])
    const counts = await packCounts()
    for (const entries of [[delta], [delta, object()]]) {
      const landing = await updating()
      await expect(landing(...entries)).rejects.toEqual(
        new ObjectsSweptError([{ hash: delta.hash, kind: 'plain' }]),
      )
      expect(await findHead(database, collectionId)).toMatchObject({ patch: 0 })
      expect(await packCounts()).toEqual(counts)
      // The update still occupies the slot.
      expect(await landing(object())).toBe('landed')
      counts.packs++
      counts.inline++
    }
  })

  test('an event says who made which version, exactly if the version is', async () => {
    await newCollection()
    const [first, second] = [versionOf(0), versionOf(1)]
    await land(first, null)
    await land(second, null)
    const { rows } = await database.query(
      'select action, actor_id as actor, means, target as version from audit_events where account_id = $1',
      [by.accountId],
    )
    expect(rows).toEqual([
      { action: 'version.made', actor: by.accountId, means: { address: '::1' }, version: first.id },
    ])
  })

  test('a caller without the right to write by then lands nothing', async () => {
    await newCollection()
    const first = versionOf(0)
    const as = (change: Partial<Authority>) =>
      landOnce({ version: first, from: null, headDescription: null, topics: [], by: { ...by, ...change } })
    expect(await as({ accountId: crypto.randomUUID() })).toBe('not_allowed')
    expect(await as({ roles: ['member'] })).toBe('not_allowed')
    expect(await as({ credential: { key: crypto.randomUUID() } })).toBe('not_allowed')
    expect(await as({ credential: { session: zeros } })).toBe('not_allowed')
    expect(await as({ ownerId: crypto.randomUUID() })).toBe('collection_gone')
    expect(await findHead(database, collectionId)).toBeNull()
  })

  test('a push session leased by another process does not end, and its version is absent', async () => {
    await newCollection()
    const first = versionOf(0)
    const push = { id: crypto.randomUUID(), holder: crypto.randomUUID(), recordsDone: 1, recordsTotal: 1 }
    const ends = { push: { ...push, answer: {} } }
    expect(await landOnce({ version: first, from: null, headDescription: null, topics: [], by, ends })).toBe(
      'lease_lost',
    )
    expect(await findHead(database, collectionId)).toBeNull()
  })

  /** Lands an update while a transaction that did `work` is open. */
  async function landBeside(
    work: (tx: Parameters<typeof condemn>[0]) => Promise<unknown>,
    ...entries: ReturnType<typeof object>[]
  ) {
    const landing = await updating()
    const { promise: worked, resolve: begin } = Promise.withResolvers<void>()
    const landed = Promise.allSettled([worked.then(() => landing(...entries))])
    await database.transact(async (tx) => {
      await work(tx)
      begin()
      await vi.waitFor(async () => {
        const { rows } = await tx.query(
          'select from pg_locks l where not granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))',
        )
        expect(rows).toHaveLength(1)
      }, 20_000)
    })
    const [end] = await landed
    return end
  }

  test.runIf(name === 'server')(
    'an update pardons what was condemned while it waited for the gate',
    async () => {
      const [a, b] = [object(), object()]
      await record(a, b)
      const before = await rowsOf(a, b)
      expect(await landBeside((tx) => condemnAll(tx, [a, b]), a, b)).toMatchObject({ value: 'landed' })
      expect(await rowsOf(a, b)).toEqual(before)
    },
  )

  test.runIf(name === 'server')('an update stores what was removed while it waited for it', async () => {
    const [a, b, c] = [object(), object(), object()]
    await record(a, b)
    const remove = (tx: Parameters<typeof condemn>[0]) =>
      tx.query('delete from objects where hash = $1', [a.hash])
    expect(await landBeside(remove, a, b, c)).toMatchObject({ value: 'landed' })
    const [of] = await rowsOf(c)
    expect(await rowsOf(a)).toEqual([of])
  })

  // The embedded database runs one transaction at a time.
  test.runIf(name === 'server')(
    'a sweep passes its gate when a commit that records a pack has ended',
    async () => {
      const order: string[] = []
      const recorded = Promise.withResolvers<void>()
      const sweeping = recorded.promise.then(() =>
        database.transact(async (tx) => {
          await passSweepGate(tx, 'sweep')
          order.push('sweep')
        }),
      )
      await database.transact(async (tx) => {
        await recordPacks(tx, { packs: [packOf(1)], reliedOn: [] })
        recorded.resolve()
        await new Promise((resolve) => setTimeout(resolve, 300))
        order.push('commit')
      })
      await sweeping
      expect(order).toEqual(['commit', 'sweep'])
    },
  )
})
