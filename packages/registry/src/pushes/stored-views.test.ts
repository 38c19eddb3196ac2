/** The members' view is stored as what it adds to the public one, never the other way. */
import { createHash } from 'node:crypto'
import { type Hash, type Json, type JsonObject, parseJson, type Tree, trailingZeroBits } from '@ulmus/content'
import {
  ObjectCorruptError,
  type ObjectName,
  openObjectReader,
  openObjectWriter,
  readFooter,
  recordPacks,
} from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Principal } from '../principal.ts'
import { recordsOf } from '../records/records.ts'
import { textOf } from '../testing/text-of.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { rebuild } from '../upkeep/fsck/rebuild.ts'
import { fsck } from '../upkeep/fsck.ts'
import { sweep } from '../upkeep/sweep.ts'

type Private = 'nothing' | 'records' | 'field'

const schemasFor = (what: Private): JsonObject => ({
  Item: {
    properties: { cost: { type: 'number', ...(what === 'field' && { private: true }) }, text: {}, more: {} },
  },
})

interface Item {
  id: string
  type: 'Item'
  data: { [name: string]: Json }
  private?: boolean
}

/** Text that does not compress, so that stored bytes are those of the records. Deterministic. */
const textFor = (seed: string, bytes = 192): string =>
  Array.from({ length: bytes / 24 }, (_, n) =>
    createHash('sha256').update(`${seed} ${n}`).digest('base64').slice(0, 32),
  ).join('')

const item = (what: Private, seed: string, i: number, revision = 0): Item => ({
  id: `${seed}-${String(i).padStart(5, '0')}`,
  type: 'Item',
  data: {
    cost: (i * 7_919) % 100_000,
    text: textFor(`${seed} ${i}`),
    more: textFor(`${seed} ${i} ${revision}`),
  },
  ...(what === 'records' && i % 10 === 3 && { private: true }),
})

const items = (what: Private, seed: string, count: number): Item[] =>
  Array.from({ length: count }, (_, i) => item(what, seed, i))

describe.each(serviceDatabases)('the stored views ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  const rows = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await world.context.database.query(text, values)).rows as T[]
  const storedBytes = async () =>
    Number((await rows<{ n: string }>('select coalesce(sum(length), 0) as n from objects'))[0]!.n)
  const coldReader = () =>
    openObjectReader({ database: world.context.database, blobs: world.context.blobs, cacheBytesMax: 0 })
  /** NDJSON of a version, read without caches. */
  async function read(path: Path, who: Principal, v = 'latest'): Promise<string> {
    const records = recordsOf({ ...world.context, objects: coldReader() })
    return textOf((await records.stream(who, { ...path, v }, {})).lines)
  }
  const readBoth = async (path: Path, versions: readonly string[]) => {
    const all: string[] = []
    for (const v of versions) all.push(await read(path, world.me, v), await read(path, anonymous, v))
    return all
  }
  const damages = async () => {
    const found: { what: string }[] = []
    await fsck(world.context, { files: true, onDamage: (damage) => found.push(damage) })
    return found
  }
  const digests = async ({ slug }: Path) =>
    rows<{ full: Hash; public: Hash }>(
      `select v.full_digest as full, v.public_digest as public from versions v join collections c on c.id = v.collection_id
       where c.slug = $1 order by v.major, v.minor, v.patch`,
      [slug],
    )
  /** Names of all nodes and bodies of a document's record trees. */
  async function objectsOf(digest: Hash): Promise<ObjectName[]> {
    const found: ObjectName[] = []
    const reader = coldReader()
    const walk = async (hash: Hash): Promise<void> => {
      found.push({ kind: 'plain', hash })
      const node = await reader.node(hash)
      if (node.kind === 'leaf') found.push({ kind: 'body', hash })
      else for (const child of node.children) await walk(child)
    }
    for (const { root } of Object.values<Tree>((await reader.document(digest)).types))
      if (root !== null) await walk(root)
    return found
  }
  const bodiesOf = async (digest: Hash) =>
    (await objectsOf(digest)).flatMap(({ kind, hash }) => (kind === 'body' ? [hash] : []))
  const basesOf = async ({ kind, hash }: ObjectName) =>
    (
      await rows<{ bases: Hash[] }>('select bases from objects where kind = $1 and hash = $2', [kind, hash])
    )[0]!.bases
  /** Pushes of changes to 1 % of the records, scattered. */
  async function pushChanges(
    what: Private,
    seed: string,
    path: Path,
    given: { base: string; times: number; count: number },
  ) {
    const versions = [given.base]
    for (let n = 1; n <= given.times; n++) {
      const puts = []
      for (let i = n; i < given.count; i += 100) puts.push(item(what, seed, i, n))
      versions.push(await world.push(path, { base: versions.at(-1)!, puts }))
    }
    return versions
  }

  test('10 % private records take at most 1.15 times as much as none, a private field 1.25 times', async () => {
    const count = 6_000
    const bytes: Record<string, number[]> = {}
    for (const what of ['nothing', 'records', 'field'] as const) {
      const path = await world.collection()
      const before = await storedBytes()
      const puts = items(what, `bytes-${what}`, count)
      const base = await world.push(path, { base: null, schemas: schemasFor(what), puts })
      bytes[what] = [(await storedBytes()) - before]
      const versions = await pushChanges(what, `bytes-${what}`, path, { base, times: 5, count })
      bytes[what].push((await storedBytes()) - before)
      const isShared = (await digests(path)).map((one) => one.full === one.public)
      expect(isShared).toEqual(versions.map(() => what === 'nothing'))
    }
    const times = (what: Private) => bytes[what]!.map((n, i) => n / bytes['nothing']![i]!)
    for (const ratio of times('records')) expect(ratio).toBeLessThan(1.15)
    for (const ratio of times('field')) expect(ratio).toBeLessThan(1.25)
  })

  test('the same when all records are pushed again, all changed', async () => {
    const count = 3_000
    const bytes: number[] = []
    for (const what of ['nothing', 'records'] as const) {
      const path = await world.collection()
      const seed = `again-${what}`
      const base = await world.push(path, {
        base: null,
        schemas: schemasFor(what),
        puts: items(what, seed, count),
      })
      const before = await storedBytes()
      const puts = items(what, seed, count).map((one) => ({
        ...one,
        data: { text: textFor(`${one.id} new`, 384) },
      }))
      await world.push(path, { base, puts })
      bytes.push((await storedBytes()) - before)
    }
    expect(bytes[1]! / bytes[0]!).toBeLessThan(1.15)
  })

  test('full leaves are deltas to public ones, and public reads need no object of the full view', async () => {
    for (const what of ['records', 'field'] as const) {
      const path = await world.collection()
      const count = 4_000
      const seed = `alone-${what}`
      const puts = items(what, seed, count)
      const base = await world.push(path, { base: null, schemas: schemasFor(what), puts })
      const [first] = await digests(path)
      const shown = new Set(await bodiesOf(first!.public))
      for (const hash of await bodiesOf(first!.full)) {
        const bases = await basesOf({ kind: 'body', hash })
        expect(shown.has(hash) || bases.some((one) => shown.has(one))).toBe(true)
      }
      const versions = await pushChanges(what, seed, path, { base, times: 3, count })
      // All records, then a private mark of some.
      versions.push(
        await world.push(path, {
          base: versions.at(-1)!,
          puts: items(what, seed, count).map((one) => ({
            ...one,
            data: { ...one.data, more: textFor(`${one.id} again`) },
          })),
        }),
      )
      const marked = item(what, seed, 25, 9)
      versions.push(await world.push(path, { base: versions.at(-1)!, puts: [{ ...marked, private: true }] }))
      const asPublic: string[] = []
      for (const v of versions) asPublic.push(await read(path, anonymous, v))
      const needed = new Set<string>()
      const full = new Map<string, ObjectName>()
      for (const one of await digests(path)) {
        for (const name of await objectsOf(one.public))
          for (const hash of [name.hash, ...(await basesOf(name))]) needed.add(`${name.kind} ${hash}`)
        for (const name of await objectsOf(one.full)) full.set(`${name.kind} ${name.hash}`, name)
      }
      const apart = [...full].filter(([key]) => !needed.has(key)).map(([, name]) => name)
      expect(apart.length).toBeGreaterThan(versions.length * 4)
      for (const { kind, hash } of apart)
        await rows('delete from objects where kind = $1 and hash = $2', [kind, hash])
      for (const [i, v] of versions.entries()) expect(await read(path, anonymous, v)).toBe(asPublic[i])
      await expect(read(path, world.me)).rejects.toThrow()
      await world.remove(path)
    }
  })

  test('a sweep keeps a public leaf that no version shows as a base of full ones', async () => {
    await world.dispose()
    world = await openWorld(database)
    const path = await world.collection()
    const puts = items('records', 'published', 3_000)
    await world.push(path, { base: null, schemas: schemasFor('records'), puts })
    const [first] = await digests(path)
    const published = puts.filter((one) => one.private).map((one) => ({ ...one, private: false }))
    await world.push(path, { base: 'v1.0.0', puts: published, confirm_public: ['Item/*'] })
    const [leaf] = await bodiesOf(first!.full)
    const [base] = await basesOf({ kind: 'body', hash: leaf! })
    expect(await bodiesOf(first!.public)).toContain(base)
    const whole = await read(path, world.me)
    expect(await read(path, anonymous)).toBe(whole)
    // A fork of the second version keeps the leaf alive; nothing else needs its base.
    const fork = await world.fork(path)
    await world.remove(path)
    await sweep(world.context, { graceSeconds: 0, asideSeconds: 0, force: true })
    expect(await read(fork, world.me)).toBe(whole)
    expect(await rows('select from objects where hash = $1', [base])).toHaveLength(2)
    expect(await damages()).toEqual([])
    await rebuild(world.context)
    expect(await read(fork, anonymous)).toBe(whole)
    expect(await damages()).toEqual([])
  })

  test('erased private data is in no pack, and public leaves that are erased leave the full ones whole', async () => {
    await world.dispose()
    world = await openWorld(database)
    const secret = 'the-secret-that-leaked'
    const path = await world.collection()
    const puts = items('records', 'erased', 3_000)
    const leaking = puts.map((one, i) =>
      i % 10 === 3 ? { ...one, data: { ...one.data, text: `${secret} ${i}` } } : one,
    )
    await world.push(path, { base: null, schemas: schemasFor('records'), puts: leaking })
    const mended = puts.filter((_, i) => i % 10 === 3)
    await world.push(path, { base: 'v1.0.0', puts: mended })
    const [first] = await digests(path)
    const leaves = await bodiesOf(first!.full)
    const both = await readBoth(path, ['v1.1.0'])
    const holds = async () => {
      await rebuild(world.context)
      const reader = coldReader()
      for (const { kind, hash } of await rows<ObjectName>('select kind, hash from objects'))
        if (Buffer.from(await reader.raw(kind, hash)).includes(secret)) return true
      return false
    }
    expect(await holds()).toBe(true)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.0.0' }, { reason: 'a leak', erase: true })
    expect((await sweep(world.context)).versionsErased).toBe(1)
    expect(await rows('select from objects where hash = any($1)', [leaves])).toEqual([])
    expect(await holds()).toBe(false)
    expect(await readBoth(path, ['v1.1.0'])).toEqual(both)
    expect(await damages()).toEqual([])
    // Publishing the records keeps the full leaves; an erasure of the version before takes their public bases.
    const shown = mended.map((one) => ({ ...one, private: false }))
    await world.push(path, { base: 'v1.1.0', puts: shown, confirm_public: ['Item/*'] })
    const whole = await read(path, world.me)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'old', erase: true })
    expect((await sweep(world.context)).versionsErased).toBe(1)
    expect(await read(path, anonymous)).toBe(whole)
    expect(await damages()).toEqual([])
  })

  test('damage of a public leaf is named with the full leaf that needs it', async () => {
    await world.dispose()
    world = await openWorld(database)
    const path = await world.collection()
    await world.push(path, {
      ...{ base: null, schemas: schemasFor('field') },
      puts: items('field', 'damaged', 2_000),
    })
    const [only] = await digests(path)
    const [leaf] = await bodiesOf(only!.full)
    const [base] = await basesOf({ kind: 'body', hash: leaf! })
    const { blobs } = world.context
    const [{ name }] = (await rows<{ name: string }>(
      `select p.name from objects o join packs p on p.id = o.pack_id where o.hash = $1 and o.kind = 'body'`,
      [base],
    )) as [{ name: string }]
    const entry = (await readFooter(blobs, name)).entries.find(
      ({ hash, kind }) => hash === base && kind === 'body',
    )!
    const before = await blobs.read(name)
    const bytes = new Uint8Array(before)
    bytes[entry.offset + (entry.length >> 1)]! ^= 1
    await blobs.put(name, bytes)
    const named = (await damages()).map(({ what }) => what)
    expect(named).toEqual(expect.arrayContaining([`body object ${base}`, `body object ${leaf}`]))
    await expect(coldReader().body(leaf!)).rejects.toThrow(ObjectCorruptError)
    await expect(coldReader().body(leaf!)).rejects.toMatchObject({ hash: leaf })
    await blobs.put(name, before)
    expect(await damages()).toEqual([])
  })

  test('full leaves that are stored whole, as before, read and are built upon', async () => {
    const path = await world.collection()
    const count = 2_000
    const base = await world.push(path, {
      ...{ base: null, schemas: schemasFor('records') },
      puts: items('records', 'whole', count),
    })
    const [first] = await digests(path)
    const { database: db, blobs } = world.context
    const writer = openObjectWriter({ database: db, blobs, lookUp: false })
    const names = (await objectsOf(first!.full)).filter(({ kind }) => kind === 'body')
    const replaced: { kind: 'plain' | 'body'; hash: Hash; pack: string }[] = []
    for (const { kind, hash } of names) {
      await writer.add(kind, hash, await coldReader().raw(kind, hash))
      const [{ pack }] = (await rows<{ pack: string }>(
        'select p.name as pack from objects o join packs p on p.id = o.pack_id where o.hash = $1 and o.kind = $2',
        [hash, kind],
      )) as [{ pack: string }]
      replaced.push({ kind, hash, pack })
    }
    const { packs } = await writer.finish()
    await db.transact((tx) => recordPacks(tx, { packs, reliedOn: [], replaced }))
    for (const name of names) {
      expect(await basesOf(name)).toEqual([])
      world.context.objects.forget(name.kind, name.hash)
    }
    const versions = await pushChanges('records', 'whole', path, { base, times: 2, count })
    const expected = items('records', 'whole', count).map((one, i) =>
      i % 100 === 1 ? item('records', 'whole', i, 1) : i % 100 === 2 ? item('records', 'whole', i, 2) : one,
    )
    const data = (lines: string) =>
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => (parseJson(line) as { data: unknown }).data)
    expect(data(await read(path, world.me, versions.at(-1)))).toEqual(expected.map((one) => one.data))
    expect(data(await read(path, anonymous))).toEqual(
      expected.filter((one) => !one.private).map((one) => one.data),
    )
    expect(await damages()).toEqual([])
  })

  test('small full leaves within a large public one stand alone: it is not decoded for each', async () => {
    const path = await world.collection()
    const puts = items('nothing', 'm', 1_500).filter(({ id }) => trailingZeroBits(id) < 10)
    const ends: Item[] = []
    for (let i = 0; ends.length < 40; i++) {
      const id = `m-${String(i % 1_500).padStart(5, '0')}+${i}`
      if (trailingZeroBits(id) >= 10) ends.push({ id, type: 'Item', data: {}, private: true })
    }
    await world.push(path, { base: null, schemas: schemasFor('records'), puts: [...puts, ...ends] })
    const [only] = await digests(path)
    const leaves = await bodiesOf(only!.full)
    expect(await bodiesOf(only!.public)).toHaveLength(1)
    expect(leaves.length).toBeGreaterThan(40)
    const deltas = []
    for (const hash of leaves) if ((await basesOf({ kind: 'body', hash })).length > 0) deltas.push(hash)
    expect(deltas.length).toBeLessThan(4)
    expect(await damages()).toEqual([])
  })

  test('records of a type that turn private one by one, in any order of types, are those of the model', async () => {
    const path = await world.collection()
    const types = ['A', 'B', 'C', 'D']
    const schemas = Object.fromEntries(
      types.map((type): [string, JsonObject] => [
        type,
        { properties: { cost: { ...(type === 'C' && { private: true }) }, text: {} } },
      ]),
    )
    // B has one private record late in its order, D none.
    const puts = types.flatMap((type) =>
      Array.from({ length: 1_500 }, (_, i) => ({
        ...{ id: `turn-${String(i).padStart(5, '0')}`, type },
        data: { cost: i, text: textFor(`${type} ${i}`) },
        private: (type === 'A' && i % 10 === 0) || (type === 'B' && i === 1_499),
      })),
    )
    const session = await world.open(path, { base: null, schemas, puts })
    await world.commit(path, session)
    expect(await world.state(path, session)).toMatchObject({ result: { changes: { added: 6_000 } } })
    const ids = (lines: string) =>
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const { id, type, data } = parseJson(line) as { id: string; type: string; data: object }
          return `${type} ${id} ${Object.keys(data)}`
        })
    const expected = (isMember: boolean) =>
      puts
        .filter((one) => isMember || !one.private)
        .map(({ id, type }) => `${type} ${id} ${type === 'C' && !isMember ? 'text' : 'cost,text'}`)
    expect(ids(await read(path, world.me))).toEqual(expected(true))
    expect(ids(await read(path, anonymous))).toEqual(expected(false))
    expect(await damages()).toEqual([])
  })

  test('any history reads back as the model says, in both views, whatever its leaves are stored beside', async () => {
    let seed = 20_261_127
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const path = await world.collection()
    const model = new Map<string, Item>()
    let base: string | null = null
    const seen: { v: string; both: string[] }[] = []
    for (let push = 0; push < 12; push++) {
      // From the seventh version on, a field is private as well.
      const schemas =
        push === 0 || push === 6 ? { schemas: schemasFor(push === 0 ? 'nothing' : 'field') } : {}
      const count = [4_000, 40, 1_500, 300][push % 4]!
      const puts = new Map<string, Item>()
      const deletes = new Map<string, { id: string; type: string }>()
      for (let n = 0; n < count; n++) {
        const id = `h-${String(random(5_000)).padStart(5, '0')}`
        if (model.has(id) && random(10) === 0) deletes.set(id, { id, type: 'Item' })
        else {
          const data = {
            cost: random(1_000),
            text: textFor(id, 120),
            more: textFor(`${id} ${random(3)}`, 72),
          }
          puts.set(id, { id, type: 'Item', data, private: push > 1 && random(6) === 0 })
        }
      }
      for (const id of puts.keys()) deletes.delete(id)
      const change = { ...schemas, puts: [...puts.values()], deletes: [...deletes.values()] }
      const confirm_public = ['Item/*']
      const v: string = await world.push(path, { base, ...change, confirm_public })
      base = v
      for (const [id, put] of puts) model.set(id, put)
      for (const id of deletes.keys()) model.delete(id)
      const ordered = [...model.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const withoutCost = ({ data: { cost: _, ...data } }: Item) => data
      const shown = push < 6 ? (one: Item) => one.data : withoutCost
      const data = (lines: string) =>
        lines
          .split('\n')
          .filter(Boolean)
          .map((line) => (parseJson(line) as { data: unknown }).data)
      const both = await readBoth(path, [v])
      expect(data(both[0]!)).toEqual(ordered.map((one) => one.data))
      expect(data(both[1]!)).toEqual(ordered.filter((one) => !one.private).map(shown))
      seen.push({ v, both })
    }
    expect(await damages()).toEqual([])
    await sweep(world.context, { graceSeconds: 0, asideSeconds: 0, force: true })
    for (const { v, both } of seen) expect(await readBoth(path, [v])).toEqual(both)
    // Some chains are full by now and continue from one of their bases.
    const [longest] = await rows<{ n: number }>('select max(cardinality(bases)) as n from objects')
    expect(longest!.n).toBeGreaterThan(2)
    expect(longest!.n).toBeLessThanOrEqual(6)
  })
})
