import { randomBytes } from 'node:crypto'
import { type Hash, hashText, type JsonObject } from '@ulmus/content'
import {
  claimPeriodicTask,
  fileName,
  filesPrefix,
  lastEndOf,
  ObjectsSweptError,
  openObjectReader,
  openObjectWriter,
  packsPrefix,
  recordPacks,
  spillName,
} from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordsOf } from '../records/records.ts'
import { contextOn } from '../testing/context.ts'
import { type PackWatch, watchingPacks } from '../testing/pack-watch.ts'
import { type StatementWatch, watchingStatements } from '../testing/statement-watch.ts'
import { textOf } from '../testing/text-of.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { rebuild } from './fsck/rebuild.ts'
import { scheduleSweeps } from './sweep/daily.ts'
import { SweepTooLargeError } from './sweep/most.ts'
import { type SweepOptions, sweep } from './sweep.ts'

const schemas: JsonObject = { Item: { type: 'object' }, Other: { type: 'object' } }

/** Treats nothing as young, removes blobs set aside at once, and allows sweeping the whole store. */
const atOnce: SweepOptions = { graceSeconds: 0, asideSeconds: 0, force: true }

/** Makes earlier writes older than later ones: stores record times in milliseconds. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Records that no other test has. `large`: one of them is an object of its own. */
function items(name: string, count: number, type = 'Item', large = false) {
  return Array.from({ length: count }, (_, i) => ({
    id: `${name}-${String(i).padStart(5, '0')}`,
    type,
    data: {
      text: String(hashText(`${name} ${i}`)),
      ...(large && i === 7 ? { long: 'x'.repeat(20_000) } : {}),
    },
  }))
}

describe.each(databases)('sweeping ($name)', (database) => {
  let world: World
  const watch: PackWatch = { afterPack: undefined }
  const statements: StatementWatch = { made: [], before: undefined }

  beforeAll(async () => {
    world = await openWorld(database, (context) => ({
      blobs: watchingPacks(context.blobs, watch),
      database: watchingStatements(context.database, statements),
    }))
  })
  afterAll(() => world.dispose())

  /** Sweeps; everything is old at once. */
  const now = (options: SweepOptions = {}) => sweep(world.context, { ...atOnce, ...options })
  const rows = async (text: string, values: unknown[] = []) =>
    (await world.context.database.query(text, values)).rows
  const packNames = async () => {
    const names: string[] = []
    for await (const { name } of world.context.blobs.list(packsPrefix)) names.push(name)
    return names.toSorted()
  }
  /** Full digest of a collection's only version. */
  const digestOf = async ({ slug }: Path) => {
    const [row] = await rows(
      'select v.full_digest as digest from versions v join collections c on c.id = v.collection_id where c.slug = $1',
      [slug],
    )
    return row!['digest'] as Hash
  }
  /** Root of a type's tree in that version. */
  const rootOf = async (path: Path, type: string) =>
    (await world.context.objects.document(await digestOf(path))).types[type]!.root
  const condemned = () => rows('select hash from objects where condemned is not null')

  /** Expects reads without caches to return the pushed records. */
  async function expectHolds(path: Path, puts: { id: string; data: unknown }[], v?: string): Promise<void> {
    const cold = openColdly(world)
    const lines = (await cold(path, v)).split('\n').filter(Boolean)
    const read = lines.map((line) => JSON.parse(line) as { id: string; data: unknown })
    expect(read.map(({ id, data }) => ({ id, data }))).toEqual(puts.map(({ id, data }) => ({ id, data })))
  }

  test('removes what no version needs and nothing else', async () => {
    const [kept, gone] = [await world.collection(), await world.collection()]
    const stays = items('stays', 300, 'Item', true)
    const goes = items('goes', 300, 'Item', true)
    await world.push(kept, { base: null, schemas, puts: stays })
    await now()
    const count = async () => Number((await rows('select count(*) as n from objects'))[0]!['n'])
    const [without, before] = [await count(), await packNames()]
    await world.push(gone, { base: null, schemas, puts: goes })
    const dead = (await count()) - without
    expect(dead).toBeGreaterThanOrEqual(5)
    expect((await now()).objectsRemoved).toBe(0)
    await world.remove(gone)
    const report = await now()
    expect(report).toMatchObject({ objectsRemoved: dead, packsEmptied: 1, packsRewritten: 0 })
    expect(await count()).toBe(without)
    expect(report.removed.blobs).toBe(1)
    expect(report.removed.bytes).toBeGreaterThan(1_000)
    expect(await packNames()).toEqual(before)
    await expectHolds(kept, stays)
    expect(await condemned()).toEqual([])
  })

  test('leaves alone what is younger than a day', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items('young', 50) })
    await world.context.blobs.put(`${packsPrefix}aa/aa-unrecorded`, new Uint8Array(10))
    await world.remove(path)
    const report = await sweep(world.context)
    expect(report).toMatchObject({
      objectsRemoved: 0,
      packsEmptied: 0,
      packsRewritten: 0,
      setAside: { blobs: 0, bytes: 0 },
      removed: { blobs: 0, bytes: 0 },
    })
    await now()
  })

  test('keeps the bases of what lives, though the versions they were of are gone', async () => {
    const path = await world.collection()
    let puts = items('chain', 400)
    let base = await world.push(path, { base: null, schemas, puts })
    for (let i = 0; i < 9; i++) {
      const changed = { ...puts[i * 40]!, data: { text: `changed ${i}` } }
      puts = puts.with(i * 40, changed) as typeof puts
      base = await world.push(path, { base, puts: [changed] })
    }
    const fork = await world.fork(path)
    await world.remove(path)
    const report = await now()
    expect(report.objectsRemoved).toBeGreaterThan(9)
    const chains = await rows(
      `select bases from objects where cardinality(bases) > 0 and exists (
         select from unnest(bases) base where not exists (select from objects o where o.hash = base))`,
    )
    expect(chains).toEqual([])
    await expectHolds(fork, puts)
    expect((await now()).objectsRemoved).toBe(0)
    await expectHolds(fork, puts)
    // A delta to the existing data, in the same chain.
    const more = { ...puts[0]!, data: { text: 'more' } }
    await world.push(fork, { base: 'v1.0.0', puts: [more] })
    await expectHolds(fork, puts.with(0, more as never))
  })

  test('rewrites a mostly dead pack', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const small = items('small', 20, 'Other')
    await world.push(first, { base: null, schemas, puts: [...items('big', 2_000), ...small] })
    await world.push(second, { base: null, schemas: { Other: { type: 'object' } }, puts: small })
    await world.remove(first)
    const names = await packNames()
    const report = await now()
    expect(report.packsRewritten).toBeGreaterThan(0)
    expect(report.removed.bytes - report.bytesWritten).toBeGreaterThan(50_000)
    expect((await packNames()).length).toBeLessThanOrEqual(names.length)
    await expectHolds(second, small)
    const worn = await rows(
      `select p.name from packs p join objects o on o.pack_id = p.id group by p.id
       having sum(o.length) <> p.object_bytes and sum(o.length) * 2 < p.object_bytes`,
    )
    expect(worn).toEqual([])
  })

  test('leaves a worn pack as it is whose bytes are damaged', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const small = items('harmed', 20, 'Other')
    await world.push(first, { base: null, schemas, puts: [...items('big harmed', 2_000), ...small] })
    await world.push(second, { base: null, schemas: { Other: { type: 'object' } }, puts: small })
    await world.remove(first)
    const [body] = await rows(
      `select p.name, o."offset"::integer as at from objects o join packs p on p.id = o.pack_id
       where o.kind = 'body' and o.hash = $1`,
      [await rootOf(second, 'Other')],
    )
    const name = String(body!['name'])
    const whole = await world.context.blobs.read(name)
    const damaged = new Uint8Array(whole)
    damaged[Number(body!['at']) + 20]! ^= 4
    await world.context.blobs.put(name, damaged)
    const logged = world.log.errors.length
    await now()
    expect(world.log.errors.slice(logged)).toMatchObject([{ facts: { pack: name } }])
    expect(await packNames()).toContain(name)
    await world.context.blobs.put(name, whole)
    await now()
    expect(await packNames()).not.toContain(name)
    await expectHolds(second, small)
  })

  test('says nothing of a worn pack that another sweep has rewritten meanwhile', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const small = items('small of two', 20, 'Other')
    await world.push(first, { base: null, schemas, puts: [...items('big of two', 2_000), ...small] })
    await world.push(second, { base: null, schemas: { Other: { type: 'object' } }, puts: small })
    await world.remove(first)
    const [body] = await rows(
      `select p.name from objects o join packs p on p.id = o.pack_id where o.kind = 'body' and o.hash = $1`,
      [await rootOf(second, 'Other')],
    )
    const { blobs } = world.context
    let atFirstRead: (() => Promise<unknown>) | undefined
    const watched: typeof blobs = {
      ...blobs,
      async read(...asked) {
        const work = atFirstRead
        atFirstRead = undefined
        await work?.()
        return blobs.read(...asked)
      },
    }
    // Later commits must write these objects again.
    const onStep = async (step: string) => {
      if (step === 'pardoned') atFirstRead = now
    }
    const logged = world.log.errors.length
    await sweep({ ...world.context, blobs: watched }, { ...atOnce, onStep })
    expect(world.log.errors.slice(logged)).toEqual([])
    expect(await packNames()).not.toContain(body!['name'])
    await expectHolds(second, small)
  })

  /** Pushes dead objects again during a sweep that has marked them. */
  async function revivedAt(step: 'marked' | 'condemned' | 'pardoned'): Promise<void> {
    const [first, second] = [await world.collection(), await world.collection()]
    const puts = items(`revived when ${step}`, 200, 'Item', true)
    let base = await world.push(first, { base: null, schemas, puts })
    const changed = { ...puts[3]!, data: { text: 'changed' } }
    base = await world.push(first, { base, puts: [changed] })
    const fork = await world.fork(first)
    await world.remove(first)
    await world.remove(fork)
    const again = puts.with(3, changed as never)
    const onStep = async (at: string) => {
      if (at !== step) return
      if (step !== 'marked') expect((await condemned()).length).toBeGreaterThan(4)
      const packs = await packNames()
      await world.push(second, { base: null, schemas, puts: again })
      // All of it existed: nothing was written.
      expect(await packNames()).toEqual(packs)
    }
    const report = await now({ onStep })
    expect(report.objectsRemoved).toBeGreaterThan(0)
    await expectHolds(second, again)
    expect(await condemned()).toEqual([])
    expect((await now()).objectsRemoved).toBe(0)
    await expectHolds(second, again)
  }
  test('spares what a commit relies on after it was marked dead', () => revivedAt('marked'))
  test('spares what a commit relies on after it was condemned', () => revivedAt('condemned'))
  test('spares what a commit pardons at the last moment', () => revivedAt('pardoned'))

  /** An update that lands during a sweep makes documents that were dead at the sweep's marking. */
  test.each(['marked', 'condemned', 'pardoned'])(
    'spares what a metadata update makes again after it was %s',
    async (step) => {
      const path = await world.collection()
      const puts = items(`described when ${step}`, 40)
      const patch = { license: `of ${step}` }
      const before = await documentsAfter(patch)
      const landing = new Set(['land_version_with_pack', 'land_version', 'stored_objects'])
      const onStep = async (at: string) => {
        if (at !== step) return
        if (step !== 'marked') expect((await condemned()).length).toBeGreaterThan(3)
        await world.push(path, { base: null, schemas, puts })
        statements.made = []
        await world.patch(path, patch)
      }
      await now({ onStep })
      expect(statements.made.filter((name) => landing.has(name))).toEqual(['land_version_with_pack'])
      expect(await condemned()).toEqual([])
      await expectHolds(path, puts)
      expect((await now()).objectsRemoved).toBe(0)
      expect(await packOf(path)).toEqual(before)
      await expectHolds(path, puts)

      /** Creates the documents as dead objects. */
      async function documentsAfter(patch: JsonObject) {
        const other = await world.collection()
        await world.push(other, { base: null, schemas, puts })
        await world.patch(other, patch)
        const pack = await packOf(other)
        expect(pack).toHaveLength(1)
        await world.remove(other)
        return pack
      }
      /** The pack with the latest version's document. */
      function packOf({ slug }: Path) {
        return rows(
          `select o.pack_id as pack from collections c join versions v on v.id = c.head_id
           join objects o on o.hash = v.full_digest where c.slug = $1`,
          [slug],
        )
      }
    },
  )

  test('spares what a metadata update finds recorded meanwhile, and condemned', async () => {
    const [path, other] = [await world.collection(), await world.collection()]
    const puts = items('updated', 40)
    for (const one of [path, other]) await world.push(one, { base: null, schemas, puts })
    const patch = { license: `of ${other.slug}` }
    const { promise: condemnedAll, resolve: goOn } = Promise.withResolvers<void>()
    let sweeping: Promise<unknown> | undefined
    const work = async () => {
      await world.patch(other, patch)
      await world.remove(other)
      const onStep = async (at: string) => {
        if (at !== 'pardoned') return
        expect((await condemned()).length).toBeGreaterThan(0)
        goOn()
        await updated
      }
      sweeping = now({ onStep })
      await Promise.race([condemnedAll, sweeping])
    }
    statements.before = { name: 'land_version_with_pack', work }
    const updated = world.patch(path, patch)
    await updated
    expect(sweeping).toBeDefined()
    await sweeping
    await expectHolds(path, puts)
    expect(await condemned()).toEqual([])
  })

  test('an update whose documents a sweep removes just before it lands has them in its own pack', async () => {
    const [path, other] = [await world.collection(), await world.collection()]
    const puts = items('removed before it lands', 40)
    for (const one of [path, other]) await world.push(one, { base: null, schemas, puts })
    const patch = { license: `of ${other.slug}` }
    await world.patch(other, patch)
    await world.remove(other)
    let removed = 0
    const work = async () => {
      removed = (await now()).objectsRemoved
    }
    statements.before = { name: 'land_version_with_pack', work }
    await world.patch(path, patch)
    expect(removed).toBeGreaterThan(0)
    await expectHolds(path, puts)
    expect((await now()).objectsRemoved).toBe(0)
    await expectHolds(path, puts)
  })

  test('walks what lived on as a base alone, when a version needs it again', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const puts = items('base alone', 8_000)
    const base = await world.push(first, { base: null, schemas, puts })
    const root = await rootOf(first, 'Item')
    const deletes = puts.slice(3_000, 5_000).map(({ id, type }) => ({ id, type }))
    await world.push(first, { base, deletes })
    const fork = await world.fork(first)
    const [above] = await rows(`select bases from objects where kind = 'plain' and hash = $1`, [
      await rootOf(fork, 'Item'),
    ])
    expect(above!['bases']).toContain(root)
    await world.remove(first)
    // The root of the old tree lives as a base, and most of its leaves are dead until this version lands.
    const onStep = async (at: string) => {
      if (at === 'marked') await world.push(second, { base: null, schemas, puts })
    }
    await now({ onStep })
    await expectHolds(second, puts)
    expect((await now()).objectsRemoved).toBe(0)
    await expectHolds(second, puts)
  })

  test('keeps what became a base after it was found dead', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const puts = items('base of late', 400)
    await world.push(first, { base: null, schemas, puts })
    const root = await rootOf(first, 'Item')
    await world.remove(first)
    const changed = { ...puts[9]!, data: { text: 'changed' } }
    let fork: Path | undefined
    const onStep = async (at: string) => {
      if (at !== 'marked') return
      await world.push(second, { base: null, schemas, puts })
      await world.push(second, { base: 'v1.0.0', puts: [changed] })
      fork = await world.fork(second)
      await world.remove(second)
      const [above] = await rows(`select bases from objects where kind = 'plain' and hash = $1`, [
        await rootOf(fork, 'Item'),
      ])
      expect(above!['bases']).toContain(root)
    }
    await now({ onStep })
    await expectHolds(fork!, puts.with(9, changed as never))
    await now()
    await expectHolds(fork!, puts.with(9, changed as never))
  })

  test.each([
    ['a leaf', 40, rootOf],
    ['an interior node', 8_000, rootOf],
    ['a document', 41, digestOf],
  ])('a schema with the bytes of %s does not stand for it', async (_, count, nameOf) => {
    const [first, other] = [await world.collection(), await world.collection()]
    const puts = items(`schema ${count}`, count)
    await world.push(first, { base: null, schemas, puts })
    const text = Buffer.from(await world.context.objects.plain((await nameOf(first, 'Item'))!)).toString()
    // Its version is marked before the fork's.
    await world.push(other, { base: null, schemas: { Item: JSON.parse(text) } })
    const fork = await world.fork(first)
    await world.remove(first)
    await now()
    await expectHolds(fork, puts)
  })

  test('a commit that found an object which is gone by its transaction is built again', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const puts = items('gone meanwhile', 200, 'Item', true)
    await world.push(first, { base: null, schemas, puts })
    await world.remove(first)
    let removed = 0
    watch.afterPack = async () => {
      // The grace period keeps the pack of this commit, which is not recorded yet.
      const report = await now()
      removed = report.objectsRemoved
    }
    const session = { base: null, schemas, puts, metadata: { new: 'document' } }
    await world.push(second, session)
    expect(watch.afterPack).toBeUndefined()
    expect(removed).toBeGreaterThan(2)
    await expectHolds(second, puts)
    await now()
    await expectHolds(second, puts)
  })

  test('a commit builds on an object as stored now, though it was a delta to one swept since', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const puts = items('stored otherwise', 400)
    await world.push(first, { base: null, schemas, puts })
    const changed = puts.with(3, { ...puts[3]!, data: { text: 'changed' } })
    await world.push(first, { base: 'v1.0.0', puts: [changed[3]!] })
    const more = { ...puts[9]!, data: { text: 'more' } }
    // The registry reads and caches that the content of v1.1.0 is a delta.
    await world.push(first, { base: 'v1.1.0', puts: [more] })
    await world.remove(first)
    await now()
    await world.push(second, { base: null, schemas, puts: changed })
    await world.push(second, { base: 'v1.0.0', puts: [more] })
    await expectHolds(second, changed.with(9, more))
    const report = await now()
    expect(report.versions).toBeGreaterThan(0)
  })

  test('a transaction refuses what was swept, and a base that is stored otherwise now', async () => {
    const { database: db, blobs } = world.context
    const text = `swept ${Math.random()}`
    const write = async () => {
      const writer = openObjectWriter({ database: db, blobs })
      await writer.add('plain', hashText(text), text)
      return writer.finish()
    }
    const packed = await write()
    await db.transact((tx) => recordPacks(tx, packed))
    const relying = await write()
    expect(relying.packs).toEqual([])
    await db.transact((tx) => recordPacks(tx, relying))
    const name = { kind: 'plain' as const, hash: hashText(text) }
    const otherwise = { packs: [], reliedOn: [{ ...name, bases: [hashText('another')] }] }
    await expect(db.transact((tx) => recordPacks(tx, otherwise))).rejects.toThrow(ObjectsSweptError)
    await now()
    await expect(db.transact((tx) => recordPacks(tx, relying))).rejects.toThrow(ObjectsSweptError)
  })

  test('removes leftovers of commits, pushes and uploads, and keeps files', async () => {
    const path = await world.collection()
    const kept = await world.upload(path, 'a file that is kept')
    await world.push(path, {
      base: null,
      schemas,
      puts: [{ id: 'a', type: 'Item', data: { f: { $file: kept } } }],
    })
    const session = await world.open(path, { base: 'v1.0.0', puts: items('unfinished', 10) })
    const { blobs } = world.context
    const lost = [
      `${packsPrefix}ab/ab-of-no-commit`,
      spillName('00000000-0000-4000-8000-000000000000', 'lost'),
      `files/00/${'0'.repeat(64)}`,
    ]
    for (const name of lost) await blobs.put(name, new Uint8Array(100))
    const orphan = spillName(session, 'arrived-only-now')
    await blobs.put(orphan, new Uint8Array(100))
    await pause()
    expect((await now()).removed.blobs).toBeGreaterThanOrEqual(3)
    for (const name of lost) expect(await blobs.size(name)).toBeUndefined()
    expect(await blobs.size(orphan)).toBe(100)
    await world.cancel(path, session)
    await now()
    expect(await blobs.size(orphan)).toBeUndefined()
    await world.remove(path)
    await now()
    expect(await blobs.size(`files/${kept.slice(7, 9)}/${kept.slice(7)}`)).toBe(19)
  })

  test('uploads that no version had are forgotten when they are old, and then set aside', async () => {
    const [path, busy] = [await world.collection(), await world.collection()]
    const [used, both, idle, fresh, needed] = [
      await world.upload(path, 'a version has it'),
      await world.upload(path, 'a version of another collection has it'),
      await world.upload(path, 'no version wanted it'),
      await world.upload(path, 'uploaded again a moment ago'),
      await world.upload(busy, 'a session is about to'),
    ]
    await world.upload(busy, 'a version of another collection has it')
    await world.push(path, { base: null, schemas, files: [used] })
    await world.push(busy, { base: null, schemas, files: [both] })
    const session = await world.open(busy, { base: 'v1.0.0', files: [needed] })
    await rows(`update collection_files set uploaded_at = now() - interval '31 days'`)
    await rows(`update files set created_at = now() - interval '31 days'`)
    expect((await world.upload(path, 'uploaded again a moment ago')) === fresh).toBe(true)
    await pause()

    expect((await now({ uploadDays: 32 })).uploadsForgotten).toEqual({ blobs: 0, bytes: 0 })
    const { uploadsForgotten, removed } = await now()
    expect(uploadsForgotten).toEqual({ blobs: 1, bytes: 20 })
    const size = (file: string) => world.context.blobs.size(fileName(file.slice(7) as Hash))
    expect([removed.blobs, await size(idle)]).toEqual([0, 20])
    expect((await now()).removed).toEqual({ blobs: 1, bytes: 20 })
    for (const file of [used, both, fresh, needed]) expect(await size(file)).toBeGreaterThan(0)
    expect(await size(idle)).toBeUndefined()

    const refused = world.push(path, { base: 'v1.0.0', files: [used, idle] })
    await expect(refused).rejects.toMatchObject({ code: 'files_missing', details: { filesNeeded: [idle] } })
    await world.upload(path, 'no version wanted it')
    await world.push(path, { base: 'v1.0.0', files: [used, idle] })
    await world.commit(busy, session)
    // Files of versions stay when these are gone.
    await world.remove(path)
    await world.remove(busy)
    await rows(`update files set created_at = now() - interval '31 days'`)
    await now()
    await now()
    expect(await size(idle)).toBe(20)
  })

  test('a commit that relies on an old upload and a sweep that forgets it do not both succeed', async () => {
    const path = await world.collection()
    const file = await world.upload(path, 'wanted at last')
    await rows(`update collection_files set uploaded_at = now() - interval '31 days'`)
    await rows(`update files set created_at = now() - interval '31 days'`)
    const session = await world.open(path, { base: null, schemas, files: [file] })
    // As if it had been opened a moment after the sweep's query.
    watch.afterPack = async () => {
      await rows('delete from collection_files where hash = $1', [file.slice(7)])
      await rows('delete from files where hash = $1', [file.slice(7)])
    }
    await expect(world.commit(path, session)).rejects.toMatchObject({
      code: 'files_missing',
      details: { filesNeeded: [file] },
    })
    expect((await world.state(path, session)).status).toBe('open')
    await world.upload(path, 'wanted at last')
    expect(await world.commit(path, session)).toBe('v1.0.0')
  })

  test('holds the gate for a few of many lost uploads at a time', async () => {
    const { blobs, database: db } = world.context
    const lost = Array.from({ length: 120 }, (_, i) => hashText(`lost upload ${i}`))
    for (const hash of lost) await blobs.put(fileName(hash), new Uint8Array(1))
    await pause()
    let inOne = 0
    let most = 0
    const watched = {
      ...world.context,
      database: {
        ...db,
        async transact(work) {
          inOne = 0
          return db.transact(work)
        },
      } satisfies typeof db,
      blobs: {
        ...blobs,
        async remove(name) {
          if (name.startsWith(filesPrefix)) most = Math.max(most, ++inOne)
          await blobs.remove(name)
        },
      } satisfies typeof blobs,
    }
    await sweep(watched, atOnce)
    for (const hash of lost) expect(await blobs.size(fileName(hash))).toBeUndefined()
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(50)
  })

  test('removes nothing while something that lives cannot be read', async () => {
    const [path, gone] = [await world.collection(), await world.collection()]
    await world.push(path, { base: null, schemas, puts: items('unreadable', 50) })
    await world.push(gone, { base: null, schemas, puts: items('dead beside it', 50) })
    await world.remove(gone)
    const [row] = await rows(
      `select p.name from versions v join collections c on c.id = v.collection_id
       join objects o on o.hash = v.full_digest join packs p on p.id = o.pack_id where c.slug = $1`,
      [path.slug],
    )
    const name = String(row!['name'])
    const whole = await world.context.blobs.read(name)
    await world.context.blobs.put(name, new Uint8Array(whole.length))
    const before = await rows('select count(*)::integer as n from objects')
    await expect(now()).rejects.toMatchObject({ name: 'ObjectCorruptError' })
    expect(await rows('select count(*)::integer as n from objects')).toEqual(before)
    await world.context.blobs.put(name, whole)
    expect((await now()).objectsRemoved).toBeGreaterThan(0)
  })

  test('two sweeps at once do each other no harm', async () => {
    const [path, gone] = [await world.collection(), await world.collection()]
    const puts = items('between two', 300)
    await world.push(path, { base: null, schemas, puts })
    await world.push(gone, { base: null, schemas, puts: [...puts, ...items('more', 3_000)] })
    await world.remove(gone)
    await Promise.all([now(), now(), now()])
    await expectHolds(path, puts)
    expect(await condemned()).toEqual([])
  })

  test('condemns bases before what needs them, and removes them after it', async () => {
    await now()
    const path = await world.collection()
    const puts = items('in order', 100)
    await world.push(path, { base: null, schemas, puts })
    for (let i = 0; i < 3; i++) {
      const changed = { ...puts[i]!, data: { text: `changed ${i}` } }
      await world.push(path, { base: `v1.${i}.0`, puts: [changed] })
    }
    await world.remove(path)
    const { database: db } = world.context
    const apart: unknown[] = []
    let most = 0
    const watched: typeof db = {
      ...db,
      async transact(work) {
        const result = await db.transact(work)
        const links = await rows(
          `select o.hash, o.condemned is not null as condemned, b.condemned is not null as base
           from objects o cross join unnest(o.bases) as base left join objects b on b.hash = base and b.kind = o.kind`,
        )
        const condemned = links.filter((link) => link['condemned'])
        most = Math.max(most, condemned.length)
        apart.push(...condemned.filter((link) => !link['base']))
        return result
      },
    }
    await sweep({ ...world.context, database: watched }, { ...atOnce, rowsAtOnce: 1 })
    expect(most).toBeGreaterThan(4)
    expect(apart).toEqual([])
  })

  test('blobs set aside stay for a week, and are taken back if recorded again', async () => {
    await now()
    const { blobs, database: db } = world.context
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items('aside', 300) })
    const [pack] = await rows('select name from packs order by id desc limit 1')
    const emptied = String(pack!['name'])
    await world.remove(path)
    const texts = ['an unrecorded upload', 'an upload that comes again']
    const [lost, again] = texts.map((text) => fileName(hashText(text)))
    for (const [i, name] of [lost!, again!].entries()) await blobs.put(name, Buffer.from(texts[i]!))
    await pause()
    const keeping = { asideSeconds: 7 * 86_400 }
    const there = async () =>
      Promise.all([emptied, lost!, again!].map(async (name) => (await blobs.size(name)) !== undefined))
    const first = await now(keeping)
    expect(first).toMatchObject({ packsEmptied: 1, setAside: { blobs: 3 }, removed: { blobs: 0, bytes: 0 } })
    expect(first.aside).toEqual(first.setAside)
    const inStore = await Promise.all([emptied, lost!, again!].map((name) => blobs.size(name)))
    expect(first.aside.bytes).toBe(inStore.reduce<number>((sum, bytes) => sum + bytes!, 0))
    expect(await now(keeping)).toMatchObject({ setAside: { blobs: 0 }, aside: first.aside })

    const age = (days: number) =>
      db.query(`update blobs_set_aside set since = now() - interval '${days} days'`)
    await age(6.9)
    await now(keeping)
    expect(await there()).toEqual([true, true, true])
    const other = await world.collection()
    await world.upload(other, texts[1]!)
    await age(7.1)
    expect(await now(keeping)).toMatchObject({ removed: { blobs: 2 }, aside: { blobs: 0, bytes: 0 } })
    expect(await there()).toEqual([false, false, true])
  })

  test('a rebuilt index finds packs that were set aside, and they are set aside no more', async () => {
    await now()
    const { database: db } = world.context
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items('found again', 50) })
    await world.remove(path)
    await now({ asideSeconds: 7 * 86_400 })
    const aside = await rows('select name from blobs_set_aside')
    expect(aside).toHaveLength(1)
    await db.query("update blobs_set_aside set since = now() - interval '8 days'")
    await rebuild(world.context)
    expect(await rows('select name from blobs_set_aside')).toEqual([])
    expect(await rows(`select name from packs where name = '${aside[0]!['name']}'`)).toEqual(aside)
    await now()
  })

  test('stops before it takes more than half of the store, and goes on when it is forced to', async () => {
    await now()
    const { blobs } = world.context
    const [kept, gone] = [await world.collection(), await world.collection()]
    const bulk = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        id: `${name}-${i}`,
        type: 'Item',
        data: { noise: randomBytes(2_400).toString('base64') },
      }))
    await world.push(kept, { base: null, schemas, puts: items('the rest', 50) })
    await world.push(gone, { base: null, schemas, puts: bulk('most', 2_000) })
    const other = fileName(hashText('of another database'))
    await blobs.put(other, Buffer.alloc(100))
    await pause()
    await world.remove(gone)
    const before = await Promise.all([rows('select hash from objects'), packNames()])
    const refused = await now({ force: false }).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(SweepTooLargeError)
    const { bytes, storeBytes } = refused as SweepTooLargeError
    expect(bytes).toBeGreaterThan(1_048_576)
    expect(bytes).toBeLessThan(storeBytes)
    expect(String(refused)).toContain('--force')
    expect(await Promise.all([rows('select hash from objects'), packNames()])).toEqual(before)
    expect(await condemned()).toEqual([])
    expect(await rows('select name from blobs_set_aside')).toEqual([])

    // Blobs that were set aside before do not count.
    const forced = await now({ asideSeconds: 7 * 86_400 })
    expect(forced.setAside.bytes).toBe(bytes)
    expect(await now({ force: false, asideSeconds: 7 * 86_400 })).toMatchObject({ setAside: { blobs: 0 } })
    expect(await now({ force: false })).toMatchObject({ removed: forced.setAside })
    expect(await blobs.size(other)).toBeUndefined()
  })

  test('the daily sweep tells that it would take too much, and takes nothing', async () => {
    await now()
    const { blobs, database: db } = world.context
    const name = fileName(hashText('two megabytes'))
    await blobs.put(name, Buffer.alloc(2_097_152))
    const later = contextOn({ database: db, blobs }, { now: () => new Date(Date.now() + 2 * 86_400_000) })
    await db.query(
      `insert into periodic_tasks (name, begun_at) values ('sweep', now() - interval '2 days')
       on conflict (name) do update set begun_at = excluded.begun_at`,
    )
    scheduleSweeps(later, async () => undefined)
    await later.jobs.start()
    await expect
      .poll(() => later.log.errors, { timeout: 20_000 })
      .toMatchObject([{ facts: { bytes: 2_097_152 }, line: expect.stringContaining('--force') }])
    await later.dispose()
    expect(await blobs.size(name)).toBe(2_097_152)
    expect(await rows('select name from blobs_set_aside')).toEqual([])
    // The outcome is recorded, too.
    expect(await lastEndOf(db, 'sweep')).toMatchObject({ succeeded: false })
    await now()
    expect(await lastEndOf(db, 'sweep')).toMatchObject({ succeeded: true })
  })

  test('the daily sweep keeps blobs set aside as long as the setting says', async () => {
    await now()
    const { blobs, database: db, limits } = world.context
    const names = ['kept longer', 'kept long enough'].map((text) => fileName(hashText(text)))
    for (const name of names) await blobs.put(name, Buffer.from(name))
    await pause()
    await now({ asideSeconds: 86_400 })
    for (const [n, days] of [7, 15].entries())
      await db.query(
        `update blobs_set_aside set since = now() - interval '${days} days' where name = '${names[n]}'`,
      )
    const later = contextOn({ database: db, blobs }, { now: () => new Date(Date.now() + 2 * 86_400_000) })
    const daily = { ...later, limits: { ...limits, keepDeletedDays: 10 } }
    await db.query(
      `insert into periodic_tasks (name, begun_at) values ('sweep', now() - interval '2 days')
       on conflict (name) do update set begun_at = excluded.begun_at`,
    )
    scheduleSweeps(daily, async () => undefined)
    await daily.jobs.start()
    await expect.poll(() => blobs.size(names[1]!), { timeout: 20_000 }).toBeUndefined()
    await daily.dispose()
    expect(await blobs.size(names[0]!)).toBe(names[0]!.length)
    await now()
  })

  test('a periodic task is due once in its time, and not when it is first defined', async () => {
    const { database: db } = world.context
    const due = (seconds: number) => db.transact((tx) => claimPeriodicTask(tx, 'test', seconds))
    expect(await due(0)).toBe(false)
    expect(await due(3_600)).toBe(false)
    expect(await due(0)).toBe(true)
    const answers = await Promise.all([due(3_600), due(3_600)])
    expect(answers).toEqual([false, false])
  })
})

/** Reads a world with caches of its own. */
function openColdly(world: World) {
  const { database, blobs } = world.context
  const records = recordsOf({
    ...world.context,
    objects: openObjectReader({ database, blobs, cacheBytesMax: 1_000_000 }),
  })
  return async (path: Path, v = 'latest'): Promise<string> => {
    const { lines } = await records.stream(world.me, { ...path, v }, {})
    return textOf(lines)
  }
}
