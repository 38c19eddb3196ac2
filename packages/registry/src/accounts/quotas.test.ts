/** What accounts may have stored, on both databases: http-api §11. */
import { hash } from 'node:crypto'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { filesOf } from '../files/files.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { sweep } from '../upkeep/sweep.ts'
import { usageOf } from './quotas.ts'

const schemas = { Item: { type: 'object' } }

/** Records that nothing compresses. */
const items = (count: number, seed = '') =>
  Array.from({ length: count }, (_, i) => ({
    id: `i-${i}`,
    type: 'Item',
    data: { text: hash('sha512', `${seed}${i}`, 'base64') },
  }))

describe.each(databases)('quotas on $name', (database) => {
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
  /** @param more what still fits */
  const withRoom = async <T>(more: number, work: () => Promise<T>): Promise<T> => {
    const { usedBytes, receivedBytes } = await usageOf(world.context, world.me, 'ada')
    limits.quotaBytes = usedBytes + receivedBytes + more
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
    // It alone keeps it now: what its first version holds, records as they are.
    expect(await of(fork)).toBeGreaterThan(first)
    await world.remove(fork)
    expect(await used('elms')).toBe(0)
  })

  test('the figure does not tell whether somebody else has the same', async () => {
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
      // What is there takes no more room.
      expect(await outcome(world.upload(path, text))).toBe('ok')
      expect(await outcome(world.upload(path, 'h'))).toBe('quota_exceeded')
      const refusal = await world.upload(path, 'h').catch((error) => error)
      const usedBytes = await used()
      expect(refusal.details).toEqual({ usedBytes, receivedBytes: 0, quotaBytes: usedBytes })
      expect(refusal.message).toContain(`has ${usedBytes}`)
    })
    expect((await world.versions.detail(world.me, { ...path, v: 'latest' })).semver).toBe('v1.0.0')
  })

  test('what an upload brings beyond it is not kept', async () => {
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

  test('what pushes have received counts until they end, and a commit that does not fit leaves its session open', async () => {
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

  test('what is erased gives its room back, what is only withdrawn does not; nobody gets room for what stands', async () => {
    const path = await world.collection()
    const puts = items(3_000, 'erased')
    await world.push(path, { base: null, schemas, puts })
    const first = await of(path)
    const leak = items(3_000, 'leak')
    await world.push(path, { base: 'v1.0.0', puts: leak })
    await world.upload(path, 'l'.repeat(2_000))
    const both = await of(path)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r' })
    await sweep(world.context)
    expect(await of(path)).toBe(both)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r', erase: true })
    await sweep(world.context)
    expect(await of(path)).toBe(first + 2_000)
    // A later version that has nearly all of an erased one keeps nearly all of its bytes.
    await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[5]!, data: { text: 'other' } }] })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.0.0' }, { reason: 'r', erase: true })
    await sweep(world.context)
    expect(await of(path)).toBeGreaterThan(0.9 * first)
    expect(await of(path)).toBeLessThanOrEqual(1.05 * first + 2_000)
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
