/** Kills a process between any two steps of its work: another process continues, loses nothing and repeats nothing. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JsonObject, parseJson } from '@ulmus/content'
import type { AccountRow, WaitingKind } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectionsOf } from './collections/collections.ts'
import type { Context } from './context.ts'
import { eventsOf } from './events/events.ts'
import { metadataOf } from './metadata/metadata.ts'
import { readAllowed } from './outside/addresses.ts'
import type { Caller } from './principal.ts'
import type { PushOpening } from './pushes/opening/opening-body.ts'
import { pushesOf } from './pushes/pushes.ts'
import { PushSessions } from './pushes/session/sessions.ts'
import {
  addAccount,
  addCollection,
  addVersion,
  callerOf,
  manualJobs,
  openContext,
  type TestContext,
} from './testing/context.ts'
import { dyingProcess } from './testing/dying.ts'
import { stripsOf } from './versions/strip/strips.ts'
import { versionsOf } from './versions/versions.ts'
import { webhooksOf } from './webhooks/webhooks.ts'

/** Services whose work is done by `run`. */
const servicesOn = (context: Context) => ({
  metadata: metadataOf(context),
  collections: collectionsOf(context),
  pushes: pushesOf(context, new PushSessions(context)),
  events: eventsOf(context, () => 1),
  webhooks: webhooksOf(context),
  versions: versionsOf(context),
  strips: stripsOf(context, { rest: { times: 0, least: 0 } }),
})
type Services = ReturnType<typeof servicesOn>
type Run = (...kinds: WaitingKind[]) => Promise<void>

async function* body(...values: unknown[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
}

describe.each(databases)('work of a process that dies, on $name', (testDatabase) => {
  let context: TestContext
  let well: Services
  const { jobs, run, settled } = manualJobs()
  let ada: AccountRow
  let me: Caller
  let number = 0
  const received: { id: string; event: string }[] = []
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { event } = parseJson(Buffer.concat(chunks).toString()) as { event: string }
    received.push({ id: String(request.headers['webhook-id']), event: JSON.stringify(event) })
    response.writeHead(204).end()
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    context = await openContext(testDatabase, { outside: { allowed: readAllowed(origin) } })
    well = servicesOn({ ...context, jobs })
    ada = await addAccount(context, 'ada')
    me = callerOf(ada)
  })
  afterAll(async () => {
    well.webhooks.close()
    receiver.closeAllConnections()
    receiver.close()
    await context.dispose()
  })

  /** Ends the leases of the dead process, and runs due work in another process. */
  async function goOn(...kinds: WaitingKind[]): Promise<void> {
    for (const table of ['metadata_jobs', 'pushes', 'deletions', 'version_strips'])
      await context.database.query(`update ${table} set lease_until = now() - interval '1 second'`)
    await context.database.query('update deliveries set claimed_until = null')
    await run(...kinds)
    await settled()
  }

  /**
   * Lets `act` die at its first step, at its second, and so on, until it does not die any more. Each time `check` must hold after another
   * process went on.
   * @returns the number of steps
   */
  async function atEveryStep<Subject>(
    prepare: () => Promise<Subject>,
    act: (dying: Services, subject: Subject, run: Run) => Promise<unknown>,
    kinds: readonly WaitingKind[],
    check: (subject: Subject, isDone: boolean) => Promise<void>,
  ): Promise<number> {
    for (let at = 1; ; at++) {
      const subject = await prepare()
      const dying = dyingProcess(context, at)
      const isDone = await act(servicesOn(dying.context), subject, dying.run).then(
        () => true,
        () => false,
      )
      await dying.settled()
      await goOn(...kinds)
      await check(subject, isDone)
      if (!dying.died()) return at
    }
  }

  async function collection() {
    const row = await addCollection(context, ada, { slug: `c${++number}`, public: true })
    return { row, path: { owner: 'ada', slug: row.slug } }
  }
  const withVersion = async () => {
    const made = await collection()
    await addVersion(context, made.row, { metadata: { a: 1 } })
    return made
  }
  type Made = Awaited<ReturnType<typeof collection>>
  const semversOf = async ({ path }: Made) =>
    (await well.versions.list(me, path, {})).items.map(({ semver }) => semver)
  const countOf = async (text: string, ...values: unknown[]) =>
    (await context.database.query(text, values)).rows.length

  test('an update that a request left to background work makes one version', async () => {
    const steps = await atEveryStep(
      async () => {
        const made = await withVersion()
        return { ...made, ...(await well.metadata.start(me, made.path, { b: 2 })) }
      },
      (_, __, work) => work('updates'),
      ['updates'],
      async (made) => {
        expect(await well.metadata.job(me, made.path, made.job_id)).toMatchObject({
          status: 'completed',
          result: { semver: 'v1.0.1', metadata: { a: 1, b: 2 } },
        })
        expect(await semversOf(made)).toEqual(['v1.0.1', 'v1.0.0'])
      },
    )
    expect(steps).toBeGreaterThan(5)
  })

  test('an update whose request dies with its server is made once or not at all, and frees its slot', async () => {
    const steps = await atEveryStep(
      withVersion,
      ({ metadata }, { path }) => metadata.update(me, path, { b: 2 } as JsonObject),
      ['updates'],
      async (made, isDone) => {
        const semvers = await semversOf(made)
        expect([1, 2]).toContain(semvers.length)
        if (isDone) expect(semvers).toHaveLength(2)
        const next = await well.metadata.update(me, made.path, { c: 3 })
        expect(next.semver).toBe(`v1.0.${semvers.length}`)
      },
    )
    expect(steps).toBeGreaterThan(3)
  })

  test('a commit makes one version, of all that its session holds', async () => {
    const steps = await atEveryStep(
      async () => {
        const made = await collection()
        const { session_id: session } = await well.pushes.open(
          me,
          made.path,
          body({ base_version: null, schemas: { A: { type: 'object' } } }),
          (outline) => outline as PushOpening,
        )
        const lines = Array.from({ length: 3 }, (_, n) => ({ id: `${n}`, type: 'A', data: { n } }))
        await well.pushes.receive(me, made.path, session, 'records', body(...lines))
        await well.pushes.commit(me, made.path, session, { async: true })
        return { ...made, session }
      },
      (_, __, work) => work('commits'),
      ['commits'],
      async (made) => {
        const state = await well.pushes.state(me, made.path, made.session)
        expect(state).toMatchObject({ status: 'committed', result: { semver: 'v1.0.0', recordCount: 3 } })
        expect(await semversOf(made)).toEqual(['v1.0.0'])
      },
    )
    expect(steps).toBeGreaterThan(8)
  })

  test('a version is compared with the one before', async () => {
    const steps = await atEveryStep(
      async () => {
        await context.database.query('delete from version_strips')
        const made = await collection()
        const schemas = { A: { type: 'object', properties: { n: {} } } }
        for (const [base, n] of [[null, 1] as const, ['v1.0.0', 2] as const]) {
          const opening = { base_version: base, ...(base === null && { schemas }) }
          const { session_id: session } = await well.pushes.open(
            me,
            made.path,
            body(opening),
            (outline) => outline as PushOpening,
          )
          const line = { id: made.row.slug, type: 'A', data: { n } }
          await well.pushes.receive(me, made.path, session, 'records', body(line))
          await well.pushes.commit(me, made.path, session, { async: false })
        }
        return made
      },
      (_, __, work) => work('strips'),
      ['strips', 'strips'],
      async ({ path }) => {
        const { columns, versions } = await well.strips.read(me, path)
        expect(columns).toEqual([{ type: 'A', column: 'n' }])
        expect(versions.map(({ changed }) => changed)).toEqual([[1], [null]])
      },
    )
    expect(steps).toBeGreaterThan(4)
  })

  /** A collection with a session that received a record. */
  async function withRemains() {
    const made = await collection()
    const { session_id: session } = await well.pushes.open(
      me,
      made.path,
      body({ base_version: null, schemas: { A: { type: 'object' } } }),
      (outline) => outline as PushOpening,
    )
    await well.pushes.receive(me, made.path, session, 'records', body({ id: '1', type: 'A', data: {} }))
    return { ...made, session }
  }
  async function spillsOf(session: string) {
    const names: string[] = []
    for await (const { name } of context.blobs.list('')) if (name.includes(session)) names.push(name)
    return names
  }

  test('the remains of a deleted collection are removed', async () => {
    const steps = await atEveryStep(
      async () => {
        const made = await withRemains()
        expect(await spillsOf(made.session)).not.toEqual([])
        await well.collections.remove(me, made.path)
        return made
      },
      (_, __, work) => work('deletions'),
      ['deletions'],
      async ({ session }) => {
        expect(await spillsOf(session)).toEqual([])
        expect(await countOf('select from deletions')).toBe(0)
      },
    )
    expect(steps).toBeGreaterThan(4)
  })

  test('a collection is deleted with its remains, or not at all', async () => {
    await atEveryStep(
      withRemains,
      ({ collections }, { path }) => collections.remove(me, path),
      ['deletions'],
      async ({ row, session }, isDone) => {
        const isThere = (await countOf('select from collections where id = $1', row.id)) === 1
        expect((await spillsOf(session)).length).toBe(isThere ? 1 : 0)
        if (isDone) expect(isThere).toBe(false)
      },
    )
  })

  test('an event is numbered once, and each webhook gets it, by one id however often it is sent', async () => {
    await run('events', 'fanOut', 'deliveries')
    await settled()
    const steps = await atEveryStep(
      async () => {
        // An account has few webhooks, and those that are not proven send few requests a minute.
        for (const table of ['webhooks', 'webhook_requests'])
          await context.database.query(`delete from ${table}`)
        const made = await collection()
        const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
        await well.webhooks.create(me, { collection: made.path }, { url })
        await run('events', 'fanOut', 'deliveries')
        await settled()
        await addVersion(context, made.row)
        received.length = 0
        return made
      },
      (_, __, work) => work('events', 'fanOut', 'deliveries'),
      ['events', 'fanOut', 'deliveries'],
      async ({ row }) => {
        const about = 'from events where collection_id = $1 and kind = $2'
        expect(await countOf(`select ${about}`, row.id, 'version.made')).toBe(1)
        expect([1, 2]).toContain(received.length)
        expect(new Set(received.map(({ id }) => id)).size).toBe(1)
        const done = `select from deliveries join events using (seq) where collection_id = $1 and kind = $2 and state = 'done'`
        expect(await countOf(done, row.id, 'version.made')).toBe(1)
      },
    )
    expect(steps).toBeGreaterThan(8)
  })
})
