/** Keys revoked, members and collaborators removed between a request's access check and the transaction that records it. */
import { Readable } from 'node:stream'
import {
  type AccountRow,
  type Database,
  deleteCollaborator,
  deleteMember,
  findHead,
  putCollaborator,
} from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keysOf } from '../accounts/keys.ts'
import { forksOf } from '../collections/forks.ts'
import type { Context } from '../context.ts'
import { metadataOf } from '../metadata/metadata.ts'
import type { Caller } from '../principal.ts'
import type { PushOpening } from '../pushes/opening/opening-body.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  idleJobs,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { demandNow, demandStill } from './authority.ts'

const body = (...lines: object[]) =>
  Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
const asIs = (outline: unknown) => outline as PushOpening
describe.each(serviceDatabases)('authority that ends meanwhile on $name', (testDatabase) => {
  let opened: TestContext
  let services: ReturnType<typeof servicesOf>
  let org: AccountRow
  let number = 0
  /** Runs once, before a transaction of a service begins, after `spared` others. */
  let meanwhile: (() => Promise<void>) | undefined
  let spared = 0

  const servicesOf = (context: Context) => ({
    forks: forksOf(context),
    keys: keysOf(context),
    metadata: metadataOf(context),
    pushes: pushesOf(context, new PushSessions(context)),
  })

  beforeAll(async () => {
    opened = await openContext(testDatabase)
    const interrupt = async () => {
      if (meanwhile === undefined || spared-- > 0) return
      const work = meanwhile
      meanwhile = undefined
      await work()
    }
    const transact: Database['transact'] = async (work) => {
      await interrupt()
      return opened.database.transact(work)
    }
    const transactOnce: Database['transactOnce'] = async (work) => {
      await interrupt()
      return opened.database.transactOnce(work)
    }
    const database: Database = Object.create(opened.database, {
      transact: { value: transact },
      transactOnce: { value: transactOnce },
    })
    // The other server, which does the work that this one accepted.
    servicesOf(opened)
    services = servicesOf({ ...opened, database, jobs: idleJobs })
    await opened.jobs.start()
    org = await addAccount(opened, 'elms', 'org')
  })
  afterAll(() => opened.dispose())

  /** A member, or else a collaborator, with a key, and a collection of the org, with a version unless `empty`. */
  async function stage({
    empty = false,
    by = 'membership',
    ...options
  }: {
    public?: boolean
    empty?: boolean
    by?: string
  } = {}) {
    const slug = `c-${++number}`
    const user = await addAccount(opened, `user-${number}`)
    if (by !== 'grant') await addMember(opened, org, user, 'member')
    const { id, key } = await services.keys.create(callerOf(user), { label: 'k', scope: 'admin' })
    const who: Caller = await services.keys.resolve(key)
    const collection = await addCollection(opened, org, { slug, public: true, ...options })
    const row = { collectionId: collection.id, userId: user.id, grant: 'write' as const, since: opened.now() }
    if (by === 'grant')
      await opened.database.transact((tx) => putCollaborator(tx, { ...row, invitedBy: org.id }))
    const version = empty ? undefined : await addVersion(opened, collection)
    const path = { owner: org.slug, slug }
    const end = {
      key: () => keysOf(opened).revoke(callerOf(user), id),
      membership: () => opened.database.transact((tx) => deleteMember(tx, org.id, user.id)),
      grant: () => opened.database.transact((tx) => deleteCollaborator(tx, collection.id, user.id)),
    }
    const head = async () => (await findHead(opened.database, collection.id))?.id
    return { who, path, collection, version, end, head, acting: { who, collection, owner: org } }
  }
  const endings = [
    ['key', 'unauthenticated'],
    ['membership', 'not_a_member'],
    ['grant', 'not_a_member'],
  ] as const
  const begun = async ({ who, path }: { who: Caller; path: { owner: string; slug: string } }) => {
    const { session_id: id } = await services.pushes.open(
      who,
      path,
      body({ base_version: null, schemas: { A: {} } }),
      asIs,
    )
    return id
  }

  describe.each(endings)('of the %s: %s', (what, code) => {
    test.each([
      ['its commit is accepted', 0],
      ['the version is made', 1],
      ['the version lands', 2],
    ])('a commit that waits, before %s', async (_, transactions) => {
      const on = await stage({ empty: true, by: what })
      const id = await begun(on)
      ;[meanwhile, spared] = [on.end[what], transactions]
      await expect(services.pushes.commit(on.who, on.path, id, { async: false })).rejects.toMatchObject({
        code,
      })
      expect(meanwhile).toBeUndefined()
      expect(await on.head()).toBe(on.version?.id)
    })

    test.each([
      ['its slot is taken', 0],
      ['it lands', 1],
    ])('a metadata update, before %s', async (_, transactions) => {
      const on = await stage({ by: what })
      ;[meanwhile, spared] = [on.end[what], transactions]
      await expect(services.metadata.update(on.who, on.path, { a: 1 })).rejects.toMatchObject({ code })
      expect(meanwhile).toBeUndefined()
      expect(await on.head()).toBe(on.version?.id)
      // The slot is free again.
      await services.metadata.update(callerOf(org), on.path, { a: 2 })
    })

    test('a metadata update in the background, before it is accepted', async () => {
      const on = await stage({ by: what })
      ;[meanwhile, spared] = [on.end[what], 0]
      await expect(services.metadata.start(on.who, on.path, { a: 1 })).rejects.toMatchObject({ code })
    })

    // A grant permits no fork into the organization.
    test.skipIf(what === 'grant')('a fork, before it lands', async () => {
      const on = await stage()
      ;[meanwhile, spared] = [on.end[what], 0]
      const fork = services.forks.create(on.who, on.path, { targetOrg: org.slug, slug: `fork-${number}` })
      await expect(fork).rejects.toMatchObject({ code })
      const { rows } = await opened.database.query('select from collections where slug = $1', [
        `fork-${number}`,
      ])
      expect(rows).toEqual([])
    })

    test('an accepted background task runs on the authority of the account', async () => {
      const [pushing, updating] = [await stage({ empty: true, by: what }), await stage({ by: what })]
      const id = await begun(pushing)
      await services.pushes.commit(pushing.who, pushing.path, id, { async: true })
      const { job_id: job } = await services.metadata.start(updating.who, updating.path, { a: 1 })
      await pushing.end[what]()
      await updating.end[what]()
      const state = () => services.pushes.state(callerOf(org), pushing.path, id)
      const stateOfJob = () => services.metadata.job(callerOf(org), updating.path, job)
      const wanted = what === 'key' ? ['committed', 'completed'] : ['failed', 'failed']
      await expect
        .poll(async () => [(await state()).status, (await stateOfJob()).status], { timeout: 20_000 })
        .toEqual(wanted)
      if (what === 'key') return
      expect([(await state()).error?.code, (await stateOfJob()).error?.code]).toEqual([code, code])
      expect([await pushing.head(), await updating.head()]).toEqual([undefined, updating.version?.id])
    })
  })

  test.each(['membership', 'grant'] as const)(
    'after the end of a %s a private collection is not found',
    async (by) => {
      const on = await stage({ public: false, by })
      meanwhile = undefined
      await on.end[by]()
      await expect(demandNow(opened, on.acting)).rejects.toMatchObject({ code: 'collection_not_found' })
    },
  )

  test("a collection that is another's by now is not there", async () => {
    const on = await stage()
    const other = await addAccount(opened, `heir-${number}`, 'org')
    await opened.database.query('update collections set owner_id = $1 where id = $2', [
      other.id,
      on.collection.id,
    ])
    await expect(demandNow(opened, on.acting)).rejects.toMatchObject({ code: 'collection_not_found' })
    await expect(demandNow(opened, { ...on.acting, owner: other })).rejects.toMatchObject({
      code: 'not_a_member',
    })
  })

  test('a key that ended, by the clock', async () => {
    const on = await stage()
    const later = { ...opened, now: () => new Date(Date.now() + 60_000) }
    const end = new Date(Date.now() + 30_000).toISOString()
    const { key } = await services.keys.create(on.who, { label: 'short', scope: 'write', expiresAt: end })
    const acting = { ...on.acting, who: await services.keys.resolve(key) }
    await demandNow(opened, acting)
    await expect(demandNow(later, acting)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  // An embedded database runs one transaction at a time.
  test.runIf(testDatabase.name === 'server').each(endings)(
    'ending a %s waits for writes that use it',
    async (what) => {
      const on = await stage({ by: what })
      const order: string[] = []
      const { promise: looked, resolve: begin } = Promise.withResolvers<void>()
      const ending = looked.then(() => on.end[what]()).then(() => order.push('ended'))
      await opened.database.transact(async (tx) => {
        await demandStill(opened, tx, on.acting)
        begin()
        await new Promise((resolve) => setTimeout(resolve, 200))
        order.push('recorded')
      })
      await ending
      expect(order).toEqual(['recorded', 'ended'])
    },
  )
})
