/** Deletions that win a race: between the look-up of a row that a write refers to and its transaction, or concurrently. */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type AccountRow, type Database, deleteAccount, deleteCollection } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import { keysOf } from '../accounts/keys.ts'
import { membersOf } from '../accounts/members.ts'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import type { Context } from '../context.ts'
import { filesOf } from '../files/files.ts'
import { metadataOf } from '../metadata/metadata.ts'
import type { PushOpening } from '../pushes/opening/opening-body.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'

const code = (code: string) => expect.objectContaining({ code })

describe.each(databases)('what is deleted meanwhile on $name', (testDatabase) => {
  let opened: TestContext
  let services: ReturnType<typeof servicesOf>
  let ada: AccountRow
  let number = 0
  /** Runs once, before the next transaction of a service begins: after all look-ups. */
  let meanwhile: (() => Promise<void>) | undefined
  /** Transactions to let pass before. */
  let spared = 0

  beforeAll(async () => {
    opened = await openContext(testDatabase)
    const deleteNow = async () => {
      if (spared-- > 0) return
      const deletion = meanwhile
      meanwhile = undefined
      await deletion?.()
    }
    const transact: Database['transact'] = async (work) => {
      await deleteNow()
      return opened.database.transact(work)
    }
    const transactOnce: Database['transactOnce'] = async (work) => {
      await deleteNow()
      return opened.database.transactOnce(work)
    }
    const database: Database = Object.create(opened.database, {
      transact: { value: transact },
      transactOnce: { value: transactOnce },
    })
    services = servicesOf({ ...opened, database })
    await opened.jobs.start()
    ada = await addAccount(opened, 'ada')
  })
  afterAll(() => opened.dispose())

  const servicesOf = (context: Context) => ({
    accounts: accountsOf(context),
    collections: collectionsOf(context),
    files: filesOf(context),
    forks: forksOf(context),
    keys: keysOf(context),
    members: membersOf(context),
    metadata: metadataOf(context),
    pushes: pushesOf(context, new PushSessions(context)),
    sessions: sessionsOf(context),
  })
  const dropAccount = ({ id }: AccountRow) => opened.database.transact((tx) => deleteAccount(tx, id))
  /** A collection with a version, for `meanwhile` to delete. */
  const doomed = async () => {
    const slug = `doomed-${number++}`
    const row = await addCollection(opened, ada, { slug, public: true })
    await addVersion(opened, row)
    meanwhile = () => opened.database.transact((tx) => deleteCollection(tx, row.id))
    spared = 0
    return { row, path: { owner: 'ada', slug } }
  }
  const doomedOrg = async () => {
    const org = await addAccount(opened, `org-${number++}`, 'org')
    await addMember(opened, org, ada, 'owner')
    meanwhile = () => dropAccount(org)
    spared = 0
    return org
  }

  test('the account of a collection to be made', async () => {
    const org = await doomedOrg()
    await expect(services.collections.create(callerOf(ada), org.slug, { slug: 'new' })).rejects.toEqual(
      code('account_not_found'),
    )
  })

  test('the target of a fork', async () => {
    const source = await addCollection(opened, ada, { slug: `source-${number++}`, public: true })
    await addVersion(opened, source)
    const org = await doomedOrg()
    const path = { owner: 'ada', slug: source.slug }
    await expect(services.forks.create(callerOf(ada), path, { targetOrg: org.slug })).rejects.toEqual(
      code('account_not_found'),
    )
  })

  test('the source of a fork', async () => {
    const org = await doomedOrg()
    const { path } = await doomed()
    await expect(services.forks.create(callerOf(ada), path, { targetOrg: org.slug })).rejects.toEqual(
      code('collection_not_found'),
    )
  })

  test('the collection that a key is to be limited to', async () => {
    const { row } = await doomed()
    const wanted = { label: 'k', scope: 'read', collectionId: row.id } as const
    await expect(services.keys.create(callerOf(ada), wanted)).rejects.toEqual(code('collection_not_found'))
  })

  test('the collection of a push', async () => {
    const { path } = await doomed()
    const body = Readable.from([Buffer.from('{"base_version":"v1.0.0"}')])
    await expect(
      services.pushes.open(callerOf(ada), path, body, (outline) => outline as PushOpening),
    ).rejects.toEqual(code('collection_not_found'))
  })

  test.each([
    { way: 'update', until: 'its slot is taken', transactions: 0 },
    { way: 'update', until: 'it lands', transactions: 1 },
    { way: 'start', until: 'its slot is taken', transactions: 0 },
  ] as const)('the collection of a metadata update: $way, before $until', async ({ way, transactions }) => {
    const { path } = await doomed()
    spared = transactions
    await expect(services.metadata[way](callerOf(ada), path, { a: 1 })).rejects.toEqual(
      code('collection_not_found'),
    )
  })

  test('the collection of an uploaded file, of which nothing is left', async () => {
    const { row, path } = await doomed()
    async function* body() {
      yield Buffer.from('text')
    }
    const upload = services.files.put(
      callerOf(ada),
      { ...path, hash: `sha256:${hash('sha256', 'text')}` },
      { body: body() },
    )
    await expect(upload).rejects.toEqual(code('collection_not_found'))
    const known = 'select from collection_files where collection_id = $1'
    expect((await opened.database.query(known, [row.id])).rows).toEqual([])
  })

  test('the org of a new member, and the user to add', async () => {
    const bea = await addAccount(opened, `bea-${number++}`)
    const org = await doomedOrg()
    await expect(
      services.members.set(callerOf(ada), { slug: org.slug, user: bea.slug }, 'member'),
    ).rejects.toEqual(code('account_not_found'))
  })

  test('the creator of an org, and a user signing in', async () => {
    const eve = await addAccount(opened, `eve-${number++}`)
    meanwhile = () => dropAccount(eve)
    const org = { slug: `org-${number++}`, displayName: 'O' }
    await expect(services.accounts.createOrg(callerOf(eve), org)).rejects.toEqual(code('unauthenticated'))
    await expect(services.sessions.open(eve)).rejects.toEqual(code('sign_in_failed'))
  })

  test('side by side: either comes first, and nothing else is ever said', async () => {
    const said = new Set<unknown>()
    for (let round = 0; round < 15; round++) {
      const bea = await addAccount(opened, `bea-${number++}`)
      const org = await addAccount(opened, `org-${number++}`, 'org')
      await addMember(opened, org, ada, 'owner')
      const ended = await Promise.allSettled([
        services.collections.create(callerOf(ada), org.slug, { slug: 'new' }),
        services.accounts.remove(callerOf(ada), org.slug),
        services.members.set(callerOf(ada), { slug: org.slug, user: bea.slug }, 'member'),
        services.accounts.remove(callerOf(bea), bea.slug),
      ])
      for (const end of ended) said.add(end.status === 'rejected' ? end.reason.code : 'done')
    }
    said.delete('done')
    for (const one of said) expect(['account_not_found', 'has_collections', 'not_a_member']).toContain(one)
  })
})
