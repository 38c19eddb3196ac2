/** Withdrawn versions are unreadable and keep their numbers; erased ones are in no store. http-api §11. */
import { type Hash, hashText, type JsonObject } from '@ulmus/content'
import { filesPrefix, openObjectReader, packsPrefix } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { forksOf } from '../collections/forks.ts'
import { MovedError } from '../errors/errors.ts'
import { filesOf } from '../files/files.ts'
import { metadataOf } from '../metadata/metadata.ts'
import { anonymous, type Principal } from '../principal.ts'
import { idleJobs } from '../testing/context.ts'
import { textOf } from '../testing/text-of.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { rebuild } from '../upkeep/fsck/rebuild.ts'
import { fsck } from '../upkeep/fsck.ts'
import { sweep } from '../upkeep/sweep.ts'
import { hearingNotices } from '../versions/content.ts'
import { diffsOf } from '../versions/differences/diffs.ts'
import { historiesOf } from '../versions/histories.ts'

const schemas: JsonObject = { Item: { type: 'object' } }
const secret = 'the-secret-that-leaked'

const items = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `i-${String(i).padStart(5, '0')}`,
    type: 'Item',
    data: { text: String(hashText(`${i}`)) } as Record<string, unknown>,
  }))

describe.each(serviceDatabases)('withdrawing versions ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => (error instanceof MovedError ? error.to : (error.code ?? error)),
    )
  const detail = (path: Path, v: string, who: Principal = world.me) =>
    world.versions.detail(who, { ...path, v })
  const withdraw = (path: Path, v: string, wanted: { reason?: string; erase?: boolean } = {}) =>
    world.withdrawals.withdraw(world.me, { ...path, v }, { reason: 'a leak', ...wanted })
  const latestOf = async (path: Path) =>
    (await world.collections.detail(world.me, path)).latestVersion?.semver ?? null
  /** v1.0.0, and v1.1.0 with the secret in a record, in its metadata and in a file. */
  async function leaky(count = 20) {
    const path = await world.collection()
    const puts = items(count)
    await world.push(path, { base: null, schemas, puts, metadata: { description: 'before' } })
    const file = await world.upload(path, `${secret} ${path.slug}`)
    const leak = { ...puts[3]!, data: { text: secret, file: { $file: file } } }
    const base = await world.push(path, {
      ...{ base: 'v1.0.0', puts: [leak] },
      metadata: { description: `about ${secret}` },
    })
    return { path, puts, file, base }
  }
  const readFile = (path: Path, file: string, who: Principal = anonymous) =>
    outcome(filesOf(world.context).get(who, { ...path, hash: file }))

  test('410 on every way to it, and `latest` is the newest that stands', async () => {
    const { path, puts, file } = await leaky()
    const { hash } = await detail(path, 'v1.1.0', anonymous)
    expect(await readFile(path, file)).toBe('ok')
    expect(await withdraw(path, 'latest')).toMatchObject({
      ...{ semver: 'v1.1.0', reason: 'a leak', erase: false, latest: 'v1.0.0' },
    })
    for (const v of ['v1.1.0', '1.1.0', hash]) {
      expect(await outcome(detail(path, v))).toBe('version_withdrawn')
      expect(await outcome(detail(path, v, anonymous))).toBe('version_withdrawn')
    }
    expect(await outcome(world.read(path, 'v1.1.0'))).toBe('version_withdrawn')
    const ask = { from: 'v1.1.0', limit: 10 }
    const diff = diffsOf(world.context).page(world.me, { ...path, v: 'latest' }, ask)
    expect(await outcome(diff)).toBe('version_withdrawn')
    expect(await outcome(withdraw(path, 'v9.9.9'))).toBe('version_not_found')
    expect(await latestOf(path)).toBe('v1.0.0')
    expect(await readFile(path, file)).toBe('file_not_found')
    // Lists and searches show the remaining version.
    expect((await world.collections.detail(anonymous, path)).description).toBe('before')
    expect((await world.collections.browse({ search: 'leaked' })).items).toEqual([])
    const { items: listed } = await world.versions.list(anonymous, path, {})
    expect(listed.map(({ semver, withdrawn, message }) => [semver, withdrawn?.reason, message])).toEqual([
      ['v1.1.0', 'a leak', null],
      ['v1.0.0', undefined, null],
    ])
    const place = { ...path, type: 'Item', id: puts[3]!.id }
    const history = await historiesOf(world.context).list(anonymous, place, {})
    expect(history.items.map(({ semver }) => semver)).toEqual(['v1.0.0'])
  })

  test('the number stays taken: what follows is newer, by a push, an update, and a first push again', async () => {
    const { path, puts } = await leaky()
    await withdraw(path, 'v1.1.0')
    expect(await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[1]!, data: { text: 'x' } }] })).toBe(
      'v1.2.0',
    )
    await withdraw(path, 'v1.2.0')
    await world.patch(path, { title: 'T' })
    expect(await latestOf(path)).toBe('v1.2.1')
    // It is not the head, so the head stays.
    expect((await withdraw(path, 'v1.0.0')).latest).toBe('v1.2.1')
    expect((await withdraw(path, 'latest')).latest).toBeNull()
    expect(await latestOf(path)).toBeNull()
    expect(await outcome(detail(path, 'latest'))).toBe('version_not_found')
    expect(await world.push(path, { base: null, schemas, puts: puts.slice(0, 2) })).toBe('v2.0.0')
    expect(await world.read(path)).toContain(puts[0]!.id)
  })

  test('an update whose base was withdrawn meanwhile builds on another version, with a higher number', async () => {
    const { path } = await leaky()
    // The version that the update has read as the latest is withdrawn before the update takes its slot.
    let before: (() => Promise<unknown>) | undefined = () => withdraw(path, 'v1.1.0')
    const { database } = world.context
    const late = new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'transactOnce') return typeof value === 'function' ? value.bind(target) : value
        return async (work: never) => {
          const first = before
          before = undefined
          await first?.()
          return target.transactOnce(work)
        }
      },
    })
    // The jobs are those of the world.
    const { update } = metadataOf({ ...world.context, jobs: idleJobs, database: late })
    expect((await update(world.me, path, { title: 'T' })).semver).toBe('v1.1.1')
    expect(await world.read(path, 'v1.1.1')).toBe(await world.read(path, 'v1.0.0'))
  })

  test('a job whose version was withdrawn since has failed for that', async () => {
    const { path } = await leaky()
    const jobs = metadataOf({
      ...world.context,
      jobs: idleJobs,
    })
    const { job_id } = await jobs.start(world.me, path, { title: 'T' })
    await vi.waitFor(
      async () => expect((await jobs.job(world.me, path, job_id)).status).toBe('completed'),
      10_000,
    )
    await withdraw(path, 'v1.1.1')
    const job = await jobs.job(world.me, path, job_id)
    expect(job).toMatchObject({ status: 'failed', error: { code: 'version_withdrawn' } })
    expect(job.result).toBeUndefined()
  })

  test('of several at once each sees the others: `latest` stands, and no file is left behind', async () => {
    const { path, puts, file } = await leaky()
    const kept = { ...puts[4]!, data: { file: { $file: file } } }
    await world.push(path, { base: 'v1.1.0', puts: [kept] })
    await world.patch(path, { title: 'T' })
    await Promise.all(['v1.1.0', 'v1.2.0', 'v1.2.1'].map((v) => withdraw(path, v)))
    expect(await latestOf(path)).toBe('v1.0.0')
    expect(await outcome(detail(path, 'latest', anonymous))).toBe('ok')
    expect(await readFile(path, file)).toBe('file_not_found')
  })

  test('a push based on it is refused, and a fork of it; forks made before stay', async () => {
    const { path, puts } = await leaky()
    const fork = await world.fork(path)
    const session = await world.open(path, { base: 'v1.1.0', puts: [{ ...puts[0]!, data: { n: 1 } }] })
    await withdraw(path, 'v1.1.0')
    expect(await outcome(world.commit(path, session))).toBe('version_conflict')
    expect(await world.read(fork)).toContain(secret)
    const again = await world.fork(path)
    expect(await world.read(again)).not.toContain(secret)
    await withdraw(path, 'v1.0.0')
    const none = forksOf(world.context).create(world.me, path, { targetOrg: 'elms', slug: 'none' })
    expect(await outcome(none)).toBe('no_versions')
  })

  test('withdrawing takes the right to delete the collection; repeating it changes nothing', async () => {
    const { path } = await leaky()
    const ask = { reason: 'x' }
    const by = (who: Principal) => outcome(world.withdrawals.withdraw(who, { ...path, v: 'v1.1.0' }, ask))
    expect(await by(anonymous)).toBe('unauthenticated')
    expect(await by({ ...world.me, accountId: crypto.randomUUID() })).toBe('not_a_member')
    expect(await by({ ...world.me, scope: 'read' })).toBe('insufficient_scope')
    const first = await withdraw(path, 'v1.1.0')
    expect(await withdraw(path, 'v1.1.0', { reason: 'another' })).toEqual(first)
    expect(await withdraw(path, 'v1.1.0', { erase: true })).toEqual({ ...first, erase: true })
    const deprecated = world.withdrawals.deprecate(world.me, { ...path, v: 'v1.1.0' }, 'no')
    expect(await outcome(deprecated)).toBe('version_withdrawn')
  })

  test('deprecation warns and changes nothing else', async () => {
    const { path } = await leaky()
    const say = (message: string | null) =>
      world.withdrawals.deprecate(world.me, { ...path, v: 'v1.0.0' }, message)
    await say('take v1.1.0')
    const heard: Date[] = []
    const read = await hearingNotices(
      { deprecated: (since) => void heard.push(since), resolved: () => undefined },
      () => detail(path, 'v1.0.0', anonymous),
    )
    expect(read.deprecated).toMatchObject({ message: 'take v1.1.0', at: heard[0]!.toISOString() })
    expect((await detail(path, 'latest')).deprecated).toBeUndefined()
    await say(null)
    expect((await detail(path, 'v1.0.0')).deprecated).toBeUndefined()
  })

  /** True if a text is anywhere in the stores: in the packs, indexed or not, or in files. */
  async function holds(wanted: string): Promise<boolean> {
    const { database, blobs } = world.context
    await rebuild(world.context)
    const { rows } = await database.query('select hash, kind from objects')
    const reader = openObjectReader({ database, blobs, cacheBytesMax: 1_000_000 })
    let text = ''
    for (const { hash, kind } of rows as { hash: Hash; kind: 'plain' | 'body' }[])
      text += Buffer.from(await reader.raw(kind, hash)).toString('latin1')
    for await (const { name } of blobs.list(filesPrefix)) text += await textOf(blobs.stream(name))
    return text.includes(wanted)
  }
  const rowsWithSecret = async () => {
    const tables =
      'versions version_strips pushes metadata_jobs collections collection_words audit_events'.split(' ')
    const found = await Promise.all(
      tables.map(async (table) => {
        const text = `select count(*)::integer as n from ${table} t where t::text like '%secret%'`
        return [table, (await world.context.database.query(text)).rows[0]!['n']]
      }),
    )
    return found.filter(([, n]) => n !== 0)
  }
  const damages = async () => {
    const found: unknown[] = []
    await fsck(world.context, { files: true, onDamage: (damage) => found.push(damage) })
    return found
  }

  test('erased data is in no store after the next sweep, at any age; all else is whole', async () => {
    // Exclude data of other tests.
    await world.dispose()
    world = await openWorld(database)
    const { path, puts, file } = await leaky(3_000)
    await world.patch(path, { note: `of ${secret}` })
    const after = { ...puts[3]!, data: { text: 'mended' } }
    // Stored as a delta against the leaf with the secret.
    const mended = await world.push(path, {
      ...{ base: 'v1.1.1', puts: [after] },
      metadata: { description: 'after', note: null },
    })
    const whole = await world.read(path)
    const before = await world.read(path, 'v1.0.0')
    expect(await holds(secret)).toBe(true)
    await world.withdrawals.deprecate(world.me, { ...path, v: 'v1.1.0' }, `has ${secret}`)
    // The log has the warning under the former path.
    await world.collections.patch(world.me, path, { slug: `${path.slug}-renamed` })
    path.slug += '-renamed'
    await withdraw(path, 'v1.1.0', { erase: true })
    // Data of the other version stays.
    expect((await sweep(world.context)).versionsErased).toBe(1)
    expect(await holds(secret)).toBe(true)
    await withdraw(path, 'v1.1.1', { erase: true })
    const report = await sweep(world.context)
    expect(report).toMatchObject({ versionsErased: 1, setAside: { blobs: 0 } })
    expect(report.removed.blobs).toBeGreaterThan(1)
    expect(await holds(secret)).toBe(false)
    expect(await rowsWithSecret()).toEqual([])
    expect(await readFile(path, file, world.me)).toBe('file_not_found')
    expect(await world.read(path, mended)).toBe(whole)
    expect(await world.read(path, 'v1.0.0')).toBe(before)
    expect(await damages()).toEqual([])
    expect(await outcome(detail(path, 'v1.1.0'))).toBe('version_withdrawn')
    expect((await sweep(world.context)).versionsErased).toBe(0)
    // The same file may be uploaded again.
    await world.upload(path, `${secret} ${path.slug}`)
  })

  /**
   * The sweep's context, whose n-th write to a store fails. A write to the database fails after its commit: only the answer is
   * lost.
   */
  function failingAt(n: number) {
    let writes = 0
    const fail = () => {
      if (++writes === n) throw new Error('killed')
    }
    const { database, blobs } = world.context
    const failing = <T extends object>(store: T, names: readonly string[]): T =>
      new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          if (!names.includes(String(name))) return value.bind(target)
          return async (...given: unknown[]) => {
            const done = await value.apply(target, given)
            fail()
            return done
          }
        },
      })
    return {
      ...world.context,
      database: failing(database, ['transact']),
      blobs: failing(blobs, ['put', 'remove']),
    }
  }

  test('a sweep that ends at any of its writes leaves all that stands whole, and the next one erases the rest', async () => {
    await world.dispose()
    world = await openWorld(database)
    let failed = 0
    for (let n = 1; failed === n - 1; n++) {
      const { path, file, puts } = await leaky(200)
      await world.push(path, { base: 'v1.1.0', puts: [puts[3]!], metadata: { description: 'after' } })
      const whole = await world.read(path)
      await withdraw(path, 'v1.1.0', { erase: true })
      await withdraw(path, 'v1.0.0')
      const first = await outcome(sweep(failingAt(n)))
      if (first !== 'ok') failed++
      expect(await damages()).toEqual([])
      await sweep(world.context)
      expect(await damages()).toEqual([])
      expect(await holds(secret), `after a sweep whose write ${n} failed`).toBe(false)
      expect(await readFile(path, file, world.me)).toBe('file_not_found')
      expect(await world.read(path)).toBe(whole)
    }
    expect(failed).toBeGreaterThan(8)
  }, 120_000)

  test('data of a fork, another collection or a later version stays', async () => {
    const { path, file } = await leaky()
    const fork = await world.fork(path)
    await withdraw(path, 'v1.1.0', { erase: true })
    expect((await sweep(world.context)).versionsErased).toBe(1)
    expect(await world.read(fork)).toContain(secret)
    expect(await readFile(fork, file)).toBe('ok')
    expect(await readFile(path, file, world.me)).toBe('file_not_found')
    expect(await damages()).toEqual([])
    // The last version with it.
    await world.withdrawals.withdraw(world.me, { ...fork, v: 'v1.0.0' }, { reason: 'r', erase: true })
    await sweep(world.context)
    expect(await holds(`${secret} ${path.slug}`)).toBe(false)
    expect(await damages()).toEqual([])
  })

  test('data pushed again during its erasure stays, and the next sweep continues the erasure', async () => {
    const { path, puts } = await leaky()
    const other = await world.collection()
    await withdraw(path, 'v1.1.0', { erase: true })
    const leak = { ...puts[3]!, data: { text: secret, again: path.slug } }
    await world.push(path, { base: 'v1.0.0', puts: [leak] })
    await withdraw(path, 'v1.2.0', { erase: true })
    let pushed = ''
    const report = await sweep(world.context, {
      onStep: async (step) => {
        if (step !== 'erasing') return
        const all = puts.map((one) => (one.id === leak.id ? leak : one))
        pushed = await world.push(other, { base: null, schemas, puts: all })
      },
    })
    expect(pushed).toBe('v1.0.0')
    expect(report.versions).toBeGreaterThan(0)
    expect(await world.read(other)).toContain(secret)
    await sweep(world.context)
    expect(await world.read(other)).toContain(secret)
    expect(await damages()).toEqual([])
    for await (const { name } of world.context.blobs.list(packsPrefix)) expect(name).toMatch(/^packs\//)
  })
})
