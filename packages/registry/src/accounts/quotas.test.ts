/** Storage quotas of accounts: http-api §11. */
import { hash } from 'node:crypto'
import type { Hash } from '@ulmus/content'
import { fileName } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { filesOf } from '../files/files.ts'
import { addAccount, callerOf } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { sweep } from '../upkeep/sweep.ts'
import { accountsOf } from './accounts.ts'
import { membersOf } from './members.ts'
import { demandRoom, usageOf } from './quotas.ts'

const schemas = { Item: { type: 'object' } }

/** Incompressible records. */
const items = (count: number, seed = '') =>
  Array.from({ length: count }, (_, i) => ({
    id: `i-${i}`,
    type: 'Item',
    data: { text: hash('sha512', `${seed}${i}`, 'base64') },
  }))

describe.each(serviceDatabases)('quotas on $name', (database) => {
  let world: World
  const limits: { quotaBytes: number | null } = { quotaBytes: null }
  beforeAll(async () => {
    world = await openWorld(database, (context: Context) => ({
      limits: Object.defineProperty({ ...context.limits }, 'quotaBytes', { get: () => limits.quotaBytes }),
    }))
  })
  afterAll(() => world.dispose())

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )
  const used = async (slug = 'ada') => (await usageOf(world.context, world.me, slug)).usedBytes
  const of = async ({ owner, slug }: Path) =>
    (await usageOf(world.context, world.me, owner)).collections.find((one) => one.slug === slug)?.usedBytes ??
    0
  /** @param more free bytes during `work` */
  const withRoom = async <T>(more: number, work: () => Promise<T>): Promise<T> => {
    const { usedBytes, receivedBytes, organizationBytes } = await usageOf(world.context, world.me, 'ada')
    limits.quotaBytes = usedBytes + receivedBytes + organizationBytes + more
    try {
      return await work()
    } finally {
      limits.quotaBytes = null
    }
  }

  test('a push counts with what it adds, a file once, a fork with nothing, and all of it goes with the collection', async () => {
    const before = await used()
    const path = await world.collection()
    expect(await of(path)).toBe(0)
    const puts = items(2_000)
    await world.push(path, { base: null, schemas, puts })
    const first = await of(path)
    expect(first).toBeGreaterThan(100_000)
    await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[7]!, data: { text: 'x' } }] })
    const second = (await of(path)) - first
    expect(second).toBeGreaterThan(0)
    expect(second).toBeLessThan(first / 20)
    await world.patch(path, { note: 'n' })
    const third = await of(path)
    expect(third).toBeGreaterThan(first + second)
    await world.upload(path, 'f'.repeat(12_345))
    await world.upload(path, 'f'.repeat(12_345))
    expect(await of(path)).toBe(third + 12_345)
    const fork = await world.fork(path)
    expect(await of(fork)).toBe(0)
    await world.remove(path)
    expect(await used()).toBe(before)
    // Only the fork has the data of its first version now, so it counts there, uncompressed.
    expect(await of(fork)).toBeGreaterThan(first)
    await world.remove(fork)
    expect(await used('elms')).toBe(0)
  })

  test('the usage does not reveal whether another account has the same data', async () => {
    const puts = items(1_500, 'same')
    const [one, other] = [await world.collection(), await world.collection()]
    await world.push(one, { base: null, schemas, puts })
    await world.push(other, { base: null, schemas, puts })
    expect(await of(other)).toBe(await of(one))
  })

  test('beyond it pushes, updates and uploads are refused, and store nothing; the rest goes on', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items(10) })
    const text = 'g'.repeat(5_000)
    await withRoom(0, async () => {
      expect(await outcome(world.open(path, { base: 'v1.0.0' }))).toBe('quota_exceeded')
      expect(await outcome(world.upload(path, text))).toBe('quota_exceeded')
      expect(await outcome(world.patch(path, { note: 'x' }))).toBe('quota_exceeded')
      expect(await world.read(path)).toContain('i-9')
    })
    await withRoom(5_000, async () => {
      expect(await outcome(world.upload(path, `${text}g`))).toBe('quota_exceeded')
      expect(await outcome(world.upload(path, text))).toBe('ok')
      // A stored file takes no more room.
      expect(await outcome(world.upload(path, text))).toBe('ok')
      expect(await outcome(world.upload(path, 'h'))).toBe('quota_exceeded')
      const refusal = await world.upload(path, 'h').catch((error) => error)
      const usedBytes = await used()
      expect(refusal.details).toEqual({ usedBytes, receivedBytes: 0, quotaBytes: usedBytes })
      expect(refusal.message).toContain(`${usedBytes} are stored`)
    })
    expect((await world.versions.detail(world.me, { ...path, v: 'latest' })).semver).toBe('v1.0.0')
  })

  test('an upload over quota is not stored', async () => {
    const path = await world.collection()
    const text = 'k'.repeat(100_000)
    let read = 0
    async function* body() {
      for (let i = 0; i < 100; i++) {
        read++
        yield Buffer.from(text.slice(0, 1_000))
      }
    }
    const put = () =>
      filesOf(world.context).put(
        world.me,
        { ...path, hash: `sha256:${hash('sha256', text)}` },
        { body: body() },
      )
    await withRoom(10_000, async () => expect(await outcome(put())).toBe('quota_exceeded'))
    expect(read).toBeLessThan(20)
  })

  test('data received by pushes counts until they end, and a commit over quota leaves its session open', async () => {
    const path = await world.collection()
    const puts = items(400, 'received')
    const session = await world.open(path, { base: null, schemas, puts })
    const { receivedBytes } = await usageOf(world.context, world.me, 'ada')
    expect(receivedBytes).toBeGreaterThan(10_000)
    await withRoom(1_000, async () => {
      expect(await outcome(world.receive(path, session, items(400, 'more')))).toBe('quota_exceeded')
      expect(await outcome(world.receive(path, session, items(1, 'few')))).toBe('ok')
    })
    const other = await usageOf(world.context, world.me, 'ada')
    limits.quotaBytes = other.usedBytes + 1_000
    expect(await outcome(world.dryRun(path, session))).toBe('quota_exceeded')
    expect(await outcome(world.commit(path, session))).toBe('quota_exceeded')
    expect((await world.state(path, session)).status).toBe('open')
    limits.quotaBytes = null
    expect(await world.commit(path, session)).toBe('v1.0.0')
    expect((await usageOf(world.context, world.me, 'ada')).receivedBytes).toBe(0)
  })

  test('of two pushes that fit one by one the first that is committed lands', async () => {
    const [first, second] = [await world.collection(), await world.collection()]
    const before = await used()
    const session = await world.open(first, { base: null, schemas, puts: items(300, 'first') })
    const later = await world.open(second, { base: null, schemas, puts: items(300, 'second') })
    const alone = await world.collection()
    await world.push(alone, { base: null, schemas, puts: items(300, 'size') })
    const size = await of(alone)
    limits.quotaBytes = before + size + Math.round(size * 1.5)
    expect(await outcome(world.commit(first, session))).toBe('ok')
    expect(await outcome(world.commit(second, later))).toBe('quota_exceeded')
    limits.quotaBytes = null
  })

  const erase = async (path: Path, v: string) => {
    await world.withdrawals.withdraw(world.me, { ...path, v }, { reason: 'r', erase: true })
    await sweep(world.context)
  }

  test('erasing a version frees quota unless another builds on it; withdrawing alone does not', async () => {
    const path = await world.collection()
    const puts = items(3_000, 'erased')
    await world.push(path, { base: null, schemas, puts })
    const first = await of(path)
    await world.push(path, { base: 'v1.0.0', puts: items(3_000, 'leak') })
    await world.patch(path, { note: 'of the leak' })
    await world.upload(path, 'l'.repeat(2_000))
    const all = await of(path)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r' })
    await sweep(world.context)
    expect(await of(path)).toBe(all)
    await erase(path, 'v1.1.0')
    expect(await of(path)).toBe(all)
    await erase(path, 'v1.1.1')
    expect(await of(path)).toBe(first + 2_000)
    // A later version that shares nearly all data with an erased one.
    await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[5]!, data: { text: 'other' } }] })
    await erase(path, 'v1.0.0')
    expect(await of(path)).toBeGreaterThan(first + 2_000)
    await erase(path, 'v1.2.0')
    expect(await of(path)).toBe(2_000)
  })

  test('an erasure does not reveal whether another account has the same data', async () => {
    const puts = items(1_500, 'guessed')
    const give = async () => {
      const path = await world.collection()
      await world.push(path, { base: null, schemas, puts })
      await world.patch(path, { note: 'n' })
      await erase(path, 'v1.0.1')
      return of(path)
    }
    const alone = await give()
    expect(await give()).toBe(alone)
  })

  test('two sweeps at once give the room of an erased version back once', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items(500, 'once') })
    const first = await of(path)
    await world.push(path, { base: 'v1.0.0', puts: items(500, 'twice') })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r', erase: true })
    await Promise.all([sweep(world.context), sweep(world.context)])
    expect(await of(path)).toBe(first)
  })

  test('a fork counts with what it came with once its source has that no more, whatever either erases', async () => {
    const puts = items(1_000, 'inherited')
    const make = async () => {
      const path = await world.collection()
      await world.push(path, { base: null, schemas, puts })
      return { path, fork: await world.fork(path) }
    }
    const change = { base: 'v1.0.0', puts: [{ ...puts[1]!, data: { text: 'y' } }] }

    const erased = await make()
    const size = await of(erased.path)
    await world.push(erased.path, { ...change, puts: [], metadata: { note: 'x' } })
    await erase(erased.path, 'v1.0.1')
    expect(await of(erased.fork)).toBe(0)
    await erase(erased.path, 'v1.0.0')
    expect(await of(erased.path)).toBe(0)
    expect(await of(erased.fork)).toBeGreaterThan(size)

    const kept = await make()
    await world.remove(kept.path)
    expect(await of(kept.fork)).toBeGreaterThan(size)
    await world.push(kept.fork, change)
    await erase(kept.fork, 'v1.0.0')
    expect(await of(kept.fork)).toBeGreaterThan(size)
    await erase(kept.fork, 'v1.1.0')
    expect(await of(kept.fork)).toBe(0)

    // A hidden source counts as deleted, so that its deletion reveals nothing.
    const hidden = await make()
    await world.context.database.query('update collections set public = false where slug = $1', [
      hidden.path.slug,
    ])
    const before = await of(hidden.fork)
    expect(before).toBeGreaterThan(size)
    await world.remove(hidden.path)
    expect(await of(hidden.fork)).toBe(before)
    for (const { fork } of [erased, kept, hidden]) await world.remove(fork)
    await world.remove(erased.path)
  })

  test('uploads at once leave no more in the store than fits', async () => {
    const path = await world.collection()
    const texts = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(900))
    await withRoom(2_000, async () => {
      const begun = Promise.withResolvers<void>()
      let waiting = texts.length
      async function* body(text: string) {
        if (--waiting === 0) begun.resolve()
        await begun.promise
        yield Buffer.from(text)
      }
      const put = (text: string) =>
        outcome(
          filesOfWorld.put(
            world.me,
            { ...path, hash: `sha256:${hash('sha256', text)}` },
            { body: body(text) },
          ),
        )
      const filesOfWorld = filesOf(world.context)
      const outcomes = await Promise.all(texts.map(put))
      expect(outcomes.filter((one) => one === 'ok')).toHaveLength(2)
      const stored = await Promise.all(
        texts.map((text) => world.context.blobs.size(fileName(hash('sha256', text) as Hash))),
      )
      expect(stored.filter((size) => size !== undefined).length).toBeLessThanOrEqual(2)
      // An upload recorded meanwhile counts once.
      expect(await put('z'.repeat(100))).toBe('ok')
    })
  })

  test('storage of organizations counts against their creator until an operator gives them a quota', async () => {
    const { context, me } = world
    await accountsOf(context).createOrg(me, { slug: 'grove', displayName: 'Grove' })
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items(500, 'grove') })
    const own = await world.collection()
    await world.push(own, { base: null, schemas, puts: items(1) })
    await world.collections.transfer(me, path, 'grove')
    const there = { ...path, owner: 'grove' }
    const ofGrove = await usageOf(context, me, 'grove')
    expect(ofGrove).toMatchObject({ countsAgainst: 'ada', organizationBytes: 0 })
    expect(ofGrove.usedBytes).toBeGreaterThan(10_000)
    expect(await usageOf(context, me, 'ada')).toMatchObject({
      countsAgainst: null,
      organizationBytes: ofGrove.usedBytes,
    })
    await withRoom(1_000, async () => {
      for (const one of [own, there])
        expect(await outcome(world.upload(one, 'v'.repeat(1_001)))).toBe('quota_exceeded')
      expect(await outcome(world.upload(there, 'v'.repeat(900)))).toBe('ok')
      expect(await outcome(world.upload(own, 'w'.repeat(900)))).toBe('quota_exceeded')
      // Members of the organization do not learn the founder's other usage.
      const eve = callerOf(await addAccount(context, 'eve-of-grove'))
      const grove = { id: (await accountsOf(context).profile('grove')).id, slug: 'grove' }
      const refusal = await demandRoom(
        context,
        context.database,
        { who: eve, owner: grove },
        { more: 900 },
      ).catch((error) => error)
      expect([refusal.code, refusal.details]).toEqual(['quota_exceeded', {}])
      expect(refusal.message).toContain('the user who created it')
      await context.database.query("update accounts set quota_bytes = 1000000 where slug = 'grove'")
      expect(await outcome(world.upload(there, 'x'.repeat(1_001)))).toBe('ok')
      expect(await outcome(world.upload(own, 'w'.repeat(900)))).toBe('ok')
    })
    expect(await usageOf(context, me, 'grove')).toMatchObject({ countsAgainst: null, quotaBytes: 1_000_000 })
    await world.remove(there)
    await world.remove(own)
  })

  test('an organization whose founder goes counts against its next owner', async () => {
    const { context } = world
    const founder = callerOf(await addAccount(context, 'founder'))
    const [heir, later] = [await addAccount(context, 'heir'), await addAccount(context, 'later')]
    await accountsOf(context).createOrg(founder, { slug: 'orchard', displayName: 'Orchard' })
    for (const user of ['heir', 'later'])
      await membersOf(context).set(founder, { slug: 'orchard', user }, 'owner')
    const against = async () => (await usageOf(context, callerOf(heir), 'orchard')).countsAgainst
    expect(await against()).toBe('founder')
    await accountsOf(context).remove(founder, 'founder')
    expect(await against()).toBe('heir')
    await accountsOf(context).remove(callerOf(heir), 'heir')
    expect((await usageOf(context, callerOf(later), 'orchard')).countsAgainst).toBe('later')
  })

  test('the opening data of sessions counts until they end', async () => {
    const path = await world.collection()
    const files = Array.from({ length: 5_000 }, (_, n) => `sha256:${hash('sha256', `${n}`)}`)
    await withRoom(10_000, async () => {
      expect(await outcome(world.open(path, { base: null, schemas, files }))).toBe('quota_exceeded')
    })
    const session = await world.open(path, { base: null, schemas, files })
    expect((await usageOf(world.context, world.me, 'ada')).receivedBytes).toBeGreaterThan(100_000)
    await world.cancel(path, session)
    const { rows } = await world.context.database.query(
      'select cardinality(files) as files from pushes where id = $1',
      [session],
    )
    expect(rows[0]!['files']).toBe(0)
  })

  test('a key for one collection is not told of the others', async () => {
    const path = await world.collection()
    const { id } = await world.collections.detail(world.me, path)
    const key = {
      ...world.me,
      kind: 'key',
      id: 'k',
      label: 'k',
      limitedTo: [id],
    } as unknown as typeof world.me
    const text = 'n'.repeat(100)
    async function* body() {
      yield Buffer.from(text)
    }
    const refusal = await withRoom(10, () =>
      filesOf(world.context)
        .put(key, { ...path, hash: `sha256:${hash('sha256', text)}` }, { body: body() })
        .catch((error) => error),
    )
    expect([refusal.code, refusal.details]).toEqual(['quota_exceeded', {}])
    expect(refusal.message).not.toMatch(/\d/)
  })

  test('forks and transfers bring nothing into an account that has no room', async () => {
    const [path, empty] = [await world.collection(), await world.collection()]
    await world.push(path, { base: null, schemas, puts: items(500, 'given') })
    const size = await of(path)
    limits.quotaBytes = 1_000
    const give = ({ owner, slug }: Path) => world.collections.transfer(world.me, { owner, slug }, 'elms')
    const kept = await world.fork(path)
    expect(await outcome(give(path))).toBe('quota_exceeded')
    expect(await outcome(give(empty))).toBe('ok')
    limits.quotaBytes = size + 1_000
    expect(await outcome(give(path))).toBe('ok')
    limits.quotaBytes = size
    expect(await outcome(world.fork({ ...path, owner: 'elms' }))).toBe('quota_exceeded')
    limits.quotaBytes = null
    await world.remove({ ...path, owner: 'elms' })
    expect(await of(kept)).toBeGreaterThan(0)
    await world.remove(kept)
  })

  test('an account has its own quota in the place of what all may have', async () => {
    const { database: rows } = world.context
    const set = (bytes: number | null) =>
      rows.query(`update accounts set quota_bytes = $1 where slug = 'ada'`, [bytes])
    const path = await world.collection()
    await set(1)
    expect(await outcome(world.upload(path, 'mm'))).toBe('quota_exceeded')
    expect((await usageOf(world.context, world.me, 'ada')).quotaBytes).toBe(1)
    limits.quotaBytes = 1
    await set(2 ** 50)
    expect(await outcome(world.upload(path, 'mm'))).toBe('ok')
    limits.quotaBytes = null
    await set(null)
  })
})
