/** Bounds of one list of events, and ends of rights during a wait. The rest is in apps/server/src/routes/events.test.ts. */
import { dropOldEvents, numberEvents } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import { collectionsOf } from '../collections/collections.ts'
import { anonymous, type Caller } from '../principal.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { type Events, eventsOf } from './events.ts'

describe.each(databases)('lists of events on $name', (database) => {
  let context: TestContext
  let events: Events
  let ada: Caller
  let token: string
  const number = () => context.database.transact((tx) => numberEvents(tx, 1_000))
  const make = async (slug: string, isPublic: boolean) => {
    await collectionsOf(context).create(ada, 'ada', { slug, public: isPublic })
    await number()
  }

  const signIn = async (name: string): Promise<Caller> => {
    const names = { preferredUsername: name, email: `${name}@example.org`, name }
    const account = await accountsOf(context).signIn({ issuer: 'https://x.example', subject: name, ...names })
    const opened = await sessionsOf(context).open(account)
    if (name === 'ada') token = opened.token
    return (await sessionsOf(context).resolve(opened.token, '192.0.2.7'))!.caller
  }

  beforeAll(async () => {
    context = await openContext(database)
    events = eventsOf(context, () => 100)
    ada = await signIn('ada')
  })
  afterAll(async () => {
    events.close()
    await context.dispose()
  })

  test('others do not see that private things happen, not even by their numbers', async () => {
    await make('open', true)
    const { id } = await collectionsOf(context).create(ada, 'ada', { slug: 'mine', public: false })
    await number()
    const limited: Caller = { ...ada, limitedTo: [id] }
    const eve = await signIn('eve')
    // A key for a collection of an organization that its holder has left.
    const left: Caller = { ...eve, limitedTo: [id] }
    const others = [
      anonymous,
      { ...ada, view: 'public' as const },
      { ...limited, view: 'public' as const },
      eve,
      left,
      limited,
    ]
    const latest = () => Promise.all(others.map((who) => events.list(who, { after: 'latest' })))
    const before = await latest()
    for (const n of [1, 2, 3]) await make(`hidden-${n}`, false)
    await context.database.query('update collections set slug = $1 where id = $2', ['mine-too', id])
    await number()
    expect((await events.list(limited, { after: before[5]!.next })).events).toMatchObject([
      { formerly: 'ada/mine' },
    ])
    others.pop()
    expect(await latest()).toEqual(before.slice(0, -1))
    for (const [index, who] of others.entries()) {
      const { next } = before[index]!
      for (const after of [next, next + 1, next + 3, next + 100])
        expect(await events.list(who, { after })).toEqual({ events: [], next: after })
    }
    expect((await events.list(ada, { after: before[5]!.next })).events).toHaveLength(4)
  })

  test('one list looks at 10,000 numbers, and the next one at later ones', async () => {
    const { next } = await events.list(ada, { after: 'latest' })
    await context.database.query(
      `insert into outbox (at, kind, collection_id, account_id, name, public, details)
       select now(), 'collection.made', md5(n::text)::uuid, $1, 'ada/c' || n, false, '{}' from generate_series(1, 25000) n`,
      [ada.accountId],
    )
    while ((await number()) > 0);
    const rare = { kind: 'version.withdrawn', wait: 5 } as const
    const first = await events.list(ada, { ...rare, after: next })
    expect(first).toEqual({ events: [], next: next + 10_000 })
    const second = await events.list(ada, { ...rare, after: first.next })
    expect(second).toEqual({ events: [], next: next + 20_000 })
    expect(await events.list(ada, { ...rare, wait: 0, after: second.next })).toEqual({
      events: [],
      next: next + 25_000,
    })
  })

  test('numbers that are not kept are refused, with the oldest one', async () => {
    const { next } = await events.list(ada, { after: 'latest' })
    await context.database.transact((tx) => dropOldEvents(tx, new Date(2 ** 42), 1_000_000))
    await make('kept', true)
    for (const who of [ada, anonymous])
      await expect(events.list(who, { after: next - 1 })).rejects.toMatchObject({
        code: 'events_gone',
        details: { oldest: next + 1 },
      })
    expect((await events.list(anonymous, { after: next })).events).toMatchObject([{ seq: next + 1 }])
    expect((await events.list(anonymous, {})).events).toHaveLength(1)
  })

  test('a session that ends while it waits receives nothing more', async () => {
    const waiting = events.list(ada, { after: 'latest', wait: 20 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const other = collectionsOf(context).create(ada, 'ada', { slug: 'late', public: false })
    await other
    await sessionsOf(context).end(token)
    await expect(waiting).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
