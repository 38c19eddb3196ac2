/** Servers on one database: one stalls during a commit, and another takes it over. */
import { type Database, openMemoryStore } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { contextOn, manualJobs } from '../../testing/context.ts'
import { inhabit, type Path, settle } from '../../testing/world.ts'
import { editLeaves } from '../leaves/edit-leaves.ts'
import { expireSessions } from '../spills/spills.ts'
import { CommitLeases } from './leases.ts'

const schemas = { A: { type: 'object' } }
const records = 300
const puts = Array.from({ length: records }, (_, n) => ({ id: `${n}`, type: 'A', data: { n } }))

/** Stops commits of a server while it is shut. */
class Gate {
  /** Calls of commits that arrived. */
  arrived = 0
  #opened: PromiseWithResolvers<void> | undefined

  shut(): void {
    this.arrived = 0
    this.#opened = Promise.withResolvers()
  }
  async pass(): Promise<void> {
    this.arrived++
    await this.#opened?.promise
  }
  open(): void {
    this.#opened?.resolve()
    this.#opened = undefined
  }
  /** Fails the waiting calls, and lets later ones pass. */
  break(): void {
    this.#opened?.reject(new Error('the disk is full'))
    this.#opened = undefined
  }
}

describe.each(databases)('leases of commits ($name)', (testDatabase) => {
  const ending = new AsyncDisposableStack()
  let database: Database
  let a: Server
  let b: Server
  let c: Server
  type Server = Awaited<ReturnType<typeof server>>

  async function server(name: string, stores: Parameters<typeof contextOn>[0], people: typeof settled) {
    const gate = new Gate()
    const plain = contextOn(stores, { works: false })
    const work: typeof plain.work = {
      ...plain.work,
      run: (task, input, by) =>
        (task.name === editLeaves.name ? gate.pass() : Promise.resolve()).then(() =>
          plain.work.run(task, input, by),
        ),
    }
    const { jobs, run } = manualJobs()
    const context = { ...plain, work, jobs }
    const world = await inhabit(context, people, name)
    ending.defer(() => world.dispose())
    new CommitLeases(context)
    return { ...world, gate, recover: () => run('dryRuns', 'commits') }
  }
  let settled: Awaited<ReturnType<typeof settle>>

  beforeAll(async () => {
    const opened = await testDatabase.open()
    database = opened.database
    ending.defer(() => opened.dispose())
    const stores = { database, blobs: openMemoryStore() }
    settled = await settle(contextOn(stores, { works: false }))
    a = await server('a', stores, settled)
    b = await server('b', stores, settled)
    c = await server('c', stores, settled)
  })
  afterAll(() => ending.disposeAsync())
  // Stops the renewal of leases.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  const reached = (one: Server) => expect.poll(() => one.gate.arrived, { timeout: 20_000 }).toBeGreaterThan(0)
  const status = async (path: Path, session: string) => (await c.state(path, session)).status
  const becomes = (path: Path, session: string, what: string) =>
    expect.poll(() => status(path, session), { timeout: 20_000 }).toBe(what)
  /** A session whose commit stalls on server A. */
  async function stuck() {
    const path = await a.collection()
    const session = await a.open(path, { base: null, schemas, puts })
    a.gate.shut()
    const answer = a.commit(path, session).catch((error: unknown) => error)
    await reached(a)
    return { path, session, answer }
  }
  const endLease = (session: string) =>
    database.query(`update pushes set lease_until = now() - interval '1 second' where id = $1`, [session])
  async function takenOverByB(session: string): Promise<void> {
    b.gate.shut()
    await endLease(session)
    await b.recover()
    await reached(b)
  }
  const linesOf = async (path: Path) => (await c.read(path)).split('\n').filter(Boolean).length

  test('whose commit fails after it was taken over does not reopen the session', async () => {
    const { path, session, answer } = await stuck()
    await takenOverByB(session)
    let isAnswered = false
    void answer.then(() => {
      isAnswered = true
    })
    a.gate.break()
    const late = a.receive(path, session, [{ id: 'late', type: 'A', data: {} }])
    await expect(late).rejects.toMatchObject({ code: 'push_not_open' })
    // Long enough for A to fail.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect([await status(path, session), isAnswered]).toEqual(['committing', false])
    b.gate.open()
    expect(await answer).toBe('v1.0.0')
    expect(await linesOf(path)).toBe(records)
  })

  test('whose commit was taken over makes no version of what the session held then', async () => {
    const { path, session, answer } = await stuck()
    await takenOverByB(session)
    b.gate.break()
    await becomes(path, session, 'open')
    expect(await b.receive(path, session, [{ id: 'late', type: 'A', data: {} }])).toEqual({ received: 1 })
    c.gate.shut()
    const final = c.commit(path, session)
    await reached(c)
    a.gate.open()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await status(path, session)).toBe('committing')
    c.gate.open()
    expect([await final, await answer]).toEqual(['v1.0.0', 'v1.0.0'])
    expect(await linesOf(path)).toBe(records + 1)
  })

  test('whose lease ends later than any that is given now is taken over: the clock has turned back since', async () => {
    const { path, session, answer } = await stuck()
    await database.query(`update pushes set lease_until = now() + interval '1 hour' where id = $1`, [session])
    await b.recover()
    await becomes(path, session, 'committed')
    a.gate.open()
    expect(await answer).toBe('v1.0.0')
    expect(await linesOf(path)).toBe(records)
  })

  test('of commits taken over none waits for another', async () => {
    const { path, session, answer } = await stuck()
    await takenOverByB(session)
    const other = await c.collection()
    const second = await c.open(other, { base: null, schemas, metadata: { license: 'MIT' } })
    await database.query(
      `update pushes set status = 'committing', lease_until = now() - interval '1 second' where id = $1`,
      [second],
    )
    await b.recover()
    await becomes(other, second, 'committed')
    expect(await status(path, session)).toBe('committing')
    for (const { gate } of [b, a]) gate.open()
    expect(await answer).toBe('v1.0.0')
  })

  test('a commit that another process has leased is left alone', async () => {
    const { path, session, answer } = await stuck()
    b.gate.shut()
    await b.recover()
    expect(b.gate.arrived).toBe(0)
    a.gate.open()
    expect(await answer).toBe('v1.0.0')
    expect(await status(path, session)).toBe('committed')
  })

  describe('a dry run', () => {
    const late = { id: 'late', type: 'A', data: {} }
    /** A session whose dry run stalls on server A. */
    async function stuckDryRun() {
      const path = await a.collection()
      const session = await a.open(path, { base: null, schemas, puts })
      a.gate.shut()
      const answer = a.dryRun(path, session).catch((error: unknown) => error)
      await reached(a)
      return { path, session, answer }
    }
    const versionsOf = async (path: Path) => (await c.versions.list(c.me, path, {})).items.length

    test('whose server fell silent is not taken over: the session is open again, with what it had received', async () => {
      const { path, session, answer } = await stuckDryRun()
      b.gate.shut()
      await b.recover()
      expect(await status(path, session)).toBe('checking')
      await expireSessions(b.context)
      await endLease(session)
      await b.recover()
      expect([await status(path, session), b.gate.arrived]).toEqual(['open', 0])
      b.gate.open()
      expect(await b.receive(path, session, [late])).toEqual({ received: 1 })
      a.gate.open()
      // The content of the session at the time of the request.
      expect(await answer).toMatchObject({ semver: 'v1.0.0', recordCount: records })
      expect([await status(path, session), await versionsOf(path)]).toEqual(['open', 0])
      expect(await b.commit(path, session)).toBe('v1.0.0')
      expect(await linesOf(path)).toBe(records + 1)
    })

    test('that goes on after another server has committed changes nothing', async () => {
      const { path, session, answer } = await stuckDryRun()
      await endLease(session)
      await b.recover()
      expect(await c.commit(path, session)).toBe('v1.0.0')
      a.gate.open()
      expect(await answer).toMatchObject({ code: 'push_not_open', details: { status: 'committed' } })
      expect([await status(path, session), await versionsOf(path)]).toEqual(['committed', 1])
    })

    test('is waited for by a commit, and takes nothing meanwhile', async () => {
      const { path, session, answer } = await stuckDryRun()
      const committed = b.commit(path, session)
      await expect(b.receive(path, session, [late])).rejects.toMatchObject({
        ...{ code: 'push_not_open', message: expect.stringContaining('dry run') },
      })
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(await status(path, session)).toBe('checking')
      a.gate.open()
      expect(await answer).toMatchObject({ semver: 'v1.0.0' })
      expect(await committed).toBe('v1.0.0')
      expect(await linesOf(path)).toBe(records)
    })

    test('is waited for by another one', async () => {
      const { session, path, answer } = await stuckDryRun()
      b.gate.shut()
      const second = b.dryRun(path, session)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(b.gate.arrived).toBe(0)
      for (const { gate } of [a, b]) gate.open()
      expect(await second).toEqual(await answer)
      expect(await status(path, session)).toBe('open')
    })

    test('ends without an answer when the session is cancelled', async () => {
      const { path, session, answer } = await stuckDryRun()
      await b.cancel(path, session)
      a.gate.open()
      expect(await answer).toMatchObject({ code: 'push_not_open', details: { status: 'cancelled' } })
      expect([await status(path, session), await versionsOf(path)]).toEqual(['cancelled', 0])
    })

    test('that fails leaves the session open', async () => {
      const { path, session, answer } = await stuckDryRun()
      a.gate.break()
      expect(await answer).toMatchObject({ message: 'the disk is full' })
      expect(await a.state(path, session)).toMatchObject({ status: 'open', error: null })
      expect(await a.commit(path, session)).toBe('v1.0.0')
    })
  })
})
