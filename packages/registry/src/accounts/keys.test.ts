/** http-api §3 "Keys" and §1 "Credentials", on real databases. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeRawKey } from '../access/raw-key.ts'
import { type Collections, collectionsOf } from '../collections/collections.ts'
import { anonymous, type Caller, type Scope } from '../principal.ts'
import { addAccount, addCollection, addMember, openContext, type TestContext } from '../testing/context.ts'
import { accountsOf } from './accounts.ts'
import { type Sessions, sessionsOf } from './browser-sessions.ts'
import { type Keys, keysOf, liveKeysMax } from './keys.ts'
import { membersOf } from './members.ts'

const start = Date.parse('2026-01-15T10:20:30.400Z')

const idOf = ({ accountId: id, accountSlug: slug }: Caller) => ({ id, slug })

describe.each(anyDatabase)('keys on $name', (database) => {
  let context: TestContext
  let keys: Keys
  let sessions: Sessions
  let collections: Collections
  let time = start
  beforeAll(async () => {
    context = await openContext(database, { now: () => new Date(time) })
    keys = keysOf(context)
    sessions = sessionsOf(context)
    collections = collectionsOf(context)
    await context.jobs.start()
  })
  afterAll(async () => {
    await keys.settle()
    await context.dispose()
  })

  let subjects = 0
  const user = async (name: string): Promise<Caller> => {
    const identity = {
      issuer: 'https://login.example',
      subject: `k${subjects++}`,
      preferredUsername: name,
      email: null,
      name: null,
    }
    const account = await accountsOf(context).signIn(identity)
    return {
      kind: 'session',
      accountId: account.id,
      accountSlug: account.slug,
      scope: 'admin',
      limitedTo: null,
      credential: null,
      expiresAt: null,
    }
  }
  const collection = async (owner: Caller, slug: string, open = false) =>
    (await collections.create(owner, owner.accountSlug, { slug, public: open })).id
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: { code?: string }) => error.code,
    )

  test('a key of one collection acts as a member, moves nothing and deletes nothing, unless it manages', async () => {
    const ida = await user('ida')
    const collectionId = await collection(ida, 'birds')
    const path = { owner: 'ida', slug: 'birds' }
    const keyed = async (wanted: Parameters<Keys['create']>[1]) =>
      keys.resolve((await keys.create(ida, wanted)).key)
    const ci = await keyed({ label: 'ci', scope: 'write', collectionId })
    expect(ci.roleCap).toBe('member')
    for (const change of [{ public: true }, { public: false }, { slug: 'eggs' }, { name: 'B', public: true }])
      expect(await codeOf(collections.patch(ci, path, change))).toBe('key_limited')
    expect(await codeOf(collections.remove(ci, path))).toBe('key_limited')
    expect(await codeOf(collections.patch(ci, path, { name: 'Birds', description: 'All of them' }))).toBe(
      'ok',
    )
    const manager = await keyed({ label: 'manager', scope: 'admin', collectionId })
    expect(manager.roleCap).toBe(undefined)
    expect(await codeOf(collections.patch(manager, path, { public: true, slug: 'eggs' }))).toBe('ok')
    expect(await codeOf(collections.remove(manager, { owner: 'ida', slug: 'eggs' }))).toBe('ok')
  })

  test('a capped key makes capped keys, and neither makes nor revokes others', async () => {
    const jan = await user('jan')
    const made = await keys.create(jan, { label: 'publish', scope: 'write', roleCap: 'member' })
    const capped = await keys.resolve(made.key)
    const child = await keys.create(capped, { label: 'child', scope: 'write' })
    expect(child.roleCap).toBe('member')
    expect((await keys.resolve(child.key)).roleCap).toBe('member')
    const collectionId = await collection(jan, 'nests')
    expect((await keys.create(capped, { label: 'there', scope: 'read', collectionId })).roleCap).toBe(
      'member',
    )
    expect(await codeOf(keys.create(capped, { label: 'free', scope: 'write', roleCap: null }))).toBe(
      'insufficient_role',
    )
    expect(await codeOf(keys.create(capped, { label: 'admin', scope: 'admin' }))).toBe('invalid_request')
    expect(await codeOf(keys.create(capped, { label: 'admin', scope: 'admin', roleCap: null }))).toBe(
      'insufficient_scope',
    )
    const free = await keys.create(jan, { label: 'free', scope: 'write' })
    expect(free.roleCap).toBe(null)
    expect(await codeOf(keys.revoke(capped, free.id))).toBe('insufficient_role')
    expect(await codeOf(collections.remove(capped, { owner: 'jan', slug: 'nests' }))).toBe(
      'insufficient_role',
    )
    expect(
      await codeOf(collections.remove(await keys.resolve(free.key), { owner: 'jan', slug: 'nests' })),
    ).toBe('ok')
    expect(await codeOf(keys.revoke(capped, child.id))).toBe('ok')
    expect(await codeOf(keys.revoke(capped, made.id))).toBe('ok')
    expect(await codeOf(keys.create(jan, { label: 'both', scope: 'admin', roleCap: 'member' }))).toBe(
      'invalid_request',
    )
  })

  test('a key is returned once, stored hashed, listed by its start', async () => {
    const ann = await user('keeper')
    const made = await keys.create(ann, { label: 'ci', scope: 'write' })
    expect(made).toEqual({
      id: made.id,
      key: made.key,
      label: 'ci',
      scope: 'write',
      collectionId: null,
      ...{ limited: false, collections: null },
      roleCap: null,
      expiresAt: null,
    })
    const [item] = await keys.list(ann)
    expect(item).toEqual({
      ...{ id: made.id, label: 'ci', scope: 'write', collectionId: null, roleCap: null },
      ...{ limited: false, collections: null },
      start: made.key.slice(0, 9),
      ...{ createdAt: '2026-01-15T10:20:30.400Z', expiresAt: null, lastUsedAt: null },
    })
    const { rows } = await context.database.query('select * from api_keys where id = $1', [made.id])
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(9))
  })

  test('a key is its account with its scope and limit', async () => {
    const ann = await user('resolver')
    const limitedTo = await collection(ann, 'only')
    const { id, key } = await keys.create(ann, { label: 'x', scope: 'read', collectionId: limitedTo })
    expect(await keys.resolve(key, '::1')).toEqual({
      ...{
        kind: 'key',
        accountId: ann.accountId,
        accountSlug: ann.accountSlug,
        scope: 'read',
        limitedTo: [limitedTo],
      },
      credential: { key: id },
      ...{ expiresAt: null, roleCap: 'member' },
      means: { key: { id, label: 'x' }, address: '::1' },
    })
  })

  test('a limited key lists keys to its collection and the membership in its owner, and no others', async () => {
    const ann = await user('limited-lister')
    const limitedTo = await collection(ann, 'only')
    const own = await keys.create(ann, { label: 'own', scope: 'read', collectionId: limitedTo })
    const strong = await keys.create(ann, { label: 'strong', scope: 'admin' })
    const labels = async (raw: string) => (await keys.list(await keys.resolve(raw))).map(({ label }) => label)
    expect(await labels(own.key)).toEqual(['own'])
    expect(await labels(strong.key)).toEqual(['own', 'strong'])

    const [home, other] = [
      await addAccount(context, 'home-org', 'org'),
      await addAccount(context, 'other-org', 'org'),
    ]
    for (const org of [home, other]) await addMember(context, org, { id: ann.accountId }, 'member')
    const { id } = await addCollection(context, home, { slug: 'maps' })
    const { key } = await keys.create(ann, { label: 'maps', scope: 'read', collectionId: id })
    const orgs = async (raw: string) =>
      (await membersOf(context).membershipsOf(await keys.resolve(raw))).items.map(
        ({ account }) => account.slug,
      )
    expect(await orgs(key)).toEqual(['home-org'])
    expect(await orgs(own.key)).toEqual([])
    expect(await orgs(strong.key)).toEqual(['home-org', 'other-org'])
  })

  test('a key for several collections reaches these alone; a deleted one leaves it, and the last ends it', async () => {
    const ann = await user('several')
    const [one, two, three] = [
      await collection(ann, 'one'),
      await collection(ann, 'two'),
      await collection(ann, 'three'),
    ]
    const names = ['one', 'two', 'two'].map((slug) => `${ann.accountSlug}/${slug}`)
    const made = await keys.create(ann, { label: 'x', scope: 'write', collections: names })
    expect(made).toMatchObject({
      ...{ collectionId: null, limited: true, collections: names.slice(0, 2), roleCap: 'member' },
    })
    expect(await keys.list(ann)).toMatchObject([
      { limited: true, collections: names.slice(0, 2), collectionId: null },
    ])
    const limitedTo = async () => (await keys.resolve(made.key)).limitedTo
    expect(await limitedTo()).toEqual([one, two].sort())
    const drop = (id: string) => context.database.query('delete from collections where id = $1', [id])
    await drop(two)
    expect(await limitedTo()).toEqual([one])
    // What it says now of itself is true for clients that know keys of one collection alone.
    expect(await keys.list(ann)).toMatchObject([
      { limited: true, collections: [names[0]], collectionId: one },
    ])
    await drop(one)
    expect(await codeOf(keys.resolve(made.key))).toBe('unauthenticated')
    expect(await keys.list(ann)).toEqual([])
    expect(three).toEqual(expect.any(String))
  })

  test('two last collections that are deleted at once end their key', async () => {
    const ann = await user('at-once')
    const ids = [await collection(ann, 'one'), await collection(ann, 'two')]
    const collections = ['one', 'two'].map((slug) => `${ann.accountSlug}/${slug}`)
    const { key } = await keys.create(ann, { label: 'x', scope: 'read', collections })
    // Both rows are gone before either transaction ends.
    const gone = ids.map(() => Promise.withResolvers<void>())
    const drop = (id: string, at: number) =>
      context.database.transact(async (tx) => {
        if (database.name === 'server')
          await Promise.race([gone[1 - at]!.promise, new Promise((r) => setTimeout(r, 200))])
        await tx.query('delete from collections where id = $1', [id])
        gone[at]!.resolve()
      })
    await Promise.all(ids.map(drop))
    expect(await codeOf(keys.resolve(key))).toBe('unauthenticated')
    const { rows } = await context.database.query('select from api_keys where account_id = $1', [
      ann.accountId,
    ])
    expect(rows).toEqual([])
  })

  test('names of collections are looked up by the rights of the account; a limited key learns of no others', async () => {
    const ann = await user('namer')
    const bob = await user('bob-of-namer')
    await collection(ann, 'one')
    await collection(ann, 'two')
    await collection(bob, 'hidden')
    const make = (who: Caller, ...slugs: string[]) =>
      codeOf(
        keys.create(who, {
          label: 'x',
          scope: 'read',
          collections: slugs.map((slug) => `${ann.accountSlug}/${slug}`),
        }),
      )
    expect(await make(ann, 'one', 'absent')).toBe('collection_not_found')
    const hidden = { label: 'x', scope: 'read', collections: [`${bob.accountSlug}/hidden`] } as const
    expect(await codeOf(keys.create(ann, { ...hidden, collections: [...hidden.collections] }))).toBe(
      'collection_not_found',
    )
    const { key } = await keys.create(ann, {
      label: 'x',
      scope: 'read',
      collections: [`${ann.accountSlug}/one`],
    })
    const limited = await keys.resolve(key)
    expect(await make(limited, 'one')).toBe('ok')
    // The same answer for a collection that the account sees and for none.
    expect([await make(limited, 'two'), await make(limited, 'absent')]).toEqual(
      Array(2).fill('collection_not_found'),
    )
  })

  test('answers say when a key ends within 14 days', async () => {
    const ann = await user('ending')
    const endOf = async (days: number | null) => {
      const expiresAt = days === null ? null : new Date(start + days * 86_400_000).toISOString()
      const { key } = await keys.create(ann, { label: 'x', scope: 'read', expiresAt })
      return keys.soonEnding(await keys.resolve(key))
    }
    expect([await endOf(null), await endOf(14), await endOf(13)]).toEqual([
      ...[undefined, undefined, new Date(start + 13 * 86_400_000).toISOString()],
    ])
    expect(keys.soonEnding({ ...ann, kind: 'session', expiresAt: new Date(start + 1) })).toBeUndefined()
  })

  test('malformed, unknown, revoked and expired keys are refused', async () => {
    const ann = await user('refused')
    const { id, key } = await keys.create(ann, {
      label: 'x',
      scope: 'read',
      expiresAt: '2026-01-15T12:00:00+01:00',
    })
    expect(await codeOf(keys.resolve(key))).toBe('ok')
    for (const text of ['', 'ul_x', `${key}0`, key.slice(0, -1), makeRawKey()]) {
      expect(await codeOf(keys.resolve(text))).toBe('unauthenticated')
    }
    try {
      time = Date.parse('2026-01-15T11:00:00.000Z')
      await expect(keys.resolve(key)).rejects.toThrow(/expired at 2026-01-15T11:00:00.000Z/)
    } finally {
      time = start
    }
    await keys.revoke(ann, id)
    expect(await codeOf(keys.resolve(key))).toBe('unauthenticated')
    expect(await keys.list(ann)).toEqual([])
    expect(await codeOf(keys.revoke(ann, id))).toBe('key_not_found')
  })

  test('an end in the past, or after 9999 in UTC, is refused', async () => {
    const ann = await user('late')
    const last = '9999-12-31T23:59:59.000Z'
    expect(await keys.create(ann, { label: 'x', scope: 'read', expiresAt: last })).toMatchObject({
      expiresAt: last,
    })
    for (const expiresAt of [
      ...['2026-01-15T10:20:30.400Z', '2020-01-01T00:00:00Z'],
      ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'],
    ]) {
      expect(await codeOf(keys.create(ann, { label: 'x', scope: 'read', expiresAt }))).toBe('invalid_request')
    }
  })

  test('a credential makes and revokes only keys no stronger than itself', async () => {
    const ann = await user('strong')
    const here = await collection(ann, 'here')
    const there = await collection(ann, 'there')
    const as = (scope: Scope, limited: string | null = null): Caller => ({
      ...ann,
      kind: 'key',
      scope,
      limitedTo: limited === null ? null : [limited],
    })
    const make = (who: Caller, scope: Scope, collectionId: string | null = null) =>
      codeOf(keys.create(who, { label: 'x', scope, collectionId }))
    expect(await make(as('read'), 'read')).toBe('ok')
    expect(await make(as('read'), 'write')).toBe('insufficient_scope')
    expect(await make(as('write'), 'admin')).toBe('insufficient_scope')
    expect(await make(as('write', here), 'write', here)).toBe('ok')
    expect(await make(as('write', here), 'read')).toBe('key_limited')
    expect(await make(as('write', here), 'read', there)).toBe('key_limited')
    const strong = await keys.create(ann, { label: 'x', scope: 'admin' })
    const other = await keys.create(ann, { label: 'x', scope: 'read', collectionId: there })
    expect(await codeOf(keys.revoke(as('write'), strong.id))).toBe('insufficient_scope')
    expect(await codeOf(keys.revoke(as('write', here), other.id))).toBe('key_limited')
    expect(await codeOf(keys.revoke(as('read'), other.id))).toBe('ok')
    expect(await codeOf(keys.create(anonymous, { label: 'x', scope: 'read' }))).toBe('unauthenticated')
  })

  test('no key outlives the key that made it', async () => {
    const ann = await user('lender')
    const expiresAt = '2026-01-15T12:00:00.000Z'
    const make = (who: Caller, end?: string | null) =>
      keys.create(who, { label: 'x', scope: 'read', ...(end === undefined ? {} : { expiresAt: end }) })
    const lent = await keys.resolve((await make(ann, expiresAt)).key)
    for (const end of [null, '2026-01-15T12:00:00.001Z', '9999-12-31T00:00:00Z'])
      await expect(make(lent, end)).rejects.toMatchObject({
        code: 'key_limited',
        message: expect.stringContaining('`expiresAt`'),
      })
    for (const end of [undefined, expiresAt]) expect(await make(lent, end)).toMatchObject({ expiresAt })
    const sooner = '2026-01-15T11:00:00.000Z'
    const made = await make(lent, sooner)
    expect(made).toMatchObject({ expiresAt: sooner })
    expect(await make(await keys.resolve(made.key))).toMatchObject({ expiresAt: sooner })
    expect(await make(ann, null)).toMatchObject({ expiresAt: null })
  })

  test('a collection must be one that the account may read', async () => {
    const [ann, ben] = [await user('reader'), await user('owner')]
    const [hidden, open] = [await collection(ben, 'hidden'), await collection(ben, 'open', true)]
    const make = (collectionId: string) =>
      codeOf(keys.create(ann, { label: 'x', scope: 'read', collectionId }))
    expect(await make(hidden)).toBe('collection_not_found')
    expect(await make('00000000-0000-4000-8000-000000000000')).toBe('collection_not_found')
    expect(await make(open)).toBe('ok')
  })

  test("another account's key is unknown, and so is what is no id", async () => {
    const [ann, ben] = [await user('one'), await user('two')]
    const { id } = await keys.create(ann, { label: 'x', scope: 'read' })
    for (const one of [id, 'nonsense', '', 'a\0b'])
      expect(await codeOf(keys.revoke(ben, one))).toBe('key_not_found')
    expect(await keys.list(ben)).toEqual([])
    expect(await keys.list(ann)).toHaveLength(1)
  })

  test('a hundred live keys at most, however many are made at once', async () => {
    const ann = await user('hoarder')
    const expiresAt = '2026-01-15T10:30:00Z'
    for (let i = 0; i < liveKeysMax - 5; i++)
      await keys.create(ann, { label: `k${i}`, scope: 'read', expiresAt })
    const make = () => codeOf(keys.create(ann, { label: 'x', scope: 'read' }))
    const codes = await Promise.all(Array.from({ length: 10 }, make))
    expect(codes.filter((code) => code === 'ok')).toHaveLength(5)
    expect(codes.filter((code) => code === 'too_many_keys')).toHaveLength(5)
    try {
      time = Date.parse(expiresAt)
      expect(await make()).toBe('ok')
      time += 40 * 86_400_000
      expect(await make()).toBe('ok')
      expect(await keys.list(ann)).toHaveLength(7)
    } finally {
      time = start
    }
  })

  test('the last use is kept to the minute, and written once a minute', async () => {
    const ann = await user('user')
    const { id, key } = await keys.create(ann, { label: 'x', scope: 'read' })
    const usedAt = async () => {
      await keys.settle()
      return (await keys.list(ann))[0]!.lastUsedAt
    }
    const versionOf = async () => {
      const { rows } = await context.database.query(
        'select xmin::text as written from api_keys where id = $1',
        [id],
      )
      return rows[0]!['written']
    }
    await Promise.all(Array.from({ length: 20 }, () => keys.resolve(key)))
    expect(await usedAt()).toBe('2026-01-15T10:20:00.000Z')
    const written = await versionOf()
    time += 29_000
    await keys.resolve(key)
    expect(await usedAt()).toBe('2026-01-15T10:20:00.000Z')
    expect(await versionOf()).toBe(written)
    time += 1_000
    await keys.resolve(key)
    expect(await usedAt()).toBe('2026-01-15T10:21:00.000Z')
    time = start
  })

  test('a limited key goes with its collection, any key with its account', async () => {
    const ann = await user('goner')
    const id = await collection(ann, 'gone')
    const limited = await keys.create(ann, { label: 'x', scope: 'read', collectionId: id })
    const free = await keys.create(ann, { label: 'x', scope: 'read' })
    await collections.remove(ann, { owner: ann.accountSlug, slug: 'gone' })
    expect(await codeOf(keys.resolve(limited.key))).toBe('unauthenticated')
    const { token } = await sessions.open(idOf(ann))
    await accountsOf(context).remove(ann, ann.accountSlug)
    expect(await codeOf(keys.resolve(free.key))).toBe('unauthenticated')
    expect(await sessions.resolve(token)).toBeUndefined()
  })

  test('a session is good for 30 days since its last use, its token stored hashed', async () => {
    const ann = await user('guest')
    const { token, expiresAt } = await sessions.open(idOf(ann))
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(expiresAt.getTime() - start).toBe(30 * 86_400_000)
    const caller = {
      ...ann,
      kind: 'session',
      credential: { session: expect.stringMatching(/^[0-9a-f]{64}$/) },
      means: {},
    }
    expect(await sessions.resolve(token)).toEqual({ caller })
    const { rows } = await context.database.query('select * from browser_sessions', [])
    expect(JSON.stringify(rows)).not.toContain(token)
    try {
      time = start + 29 * 86_400_000
      expect((await sessions.resolve(token))?.extendedTo?.getTime()).toBe(time + 30 * 86_400_000)
      time += 30 * 86_400_000
      expect(await sessions.resolve(token)).toBeUndefined()
    } finally {
      time = start
    }
    await sessions.end(token)
    expect(await sessions.resolve(token)).toBeUndefined()
    for (const other of ['', 'x', 'A'.repeat(43), 'a\0'])
      expect(await sessions.resolve(other)).toBeUndefined()
  })

  test('an account lists its browsers and signs them out; other accounts and lesser keys cannot', async () => {
    const [ann, ben] = [await user('browsing'), await user('other')]
    const opened = await Promise.all(
      ['Firefox\u0000 \u202e', undefined, 'x'.repeat(1_000)].map((agent) =>
        sessions.open(idOf(ann), { userAgent: agent }),
      ),
    )
    const [first, second, third] = await Promise.all(
      opened.map(async ({ token }) => (await sessions.resolve(token))!.caller),
    )
    const listed = await sessions.list(first!)
    expect(listed.map(({ userAgent }) => userAgent.length).sort((a, b) => a - b)).toEqual([0, 8, 400])
    expect(listed.filter(({ current }) => current).map(({ userAgent }) => userAgent)).toEqual(['Firefox '])
    expect((await sessions.list(ann)).some(({ current }) => current)).toBe(false)

    const { id } = (await sessions.list(second!)).find(({ current }) => current)!
    for (const wrong of [id, 'x', '00000000-0000-0000-0000-000000000000'])
      expect(await codeOf(sessions.endOne(ben, wrong))).toBe('session_not_found')
    for (const scope of ['read', 'write'] as const)
      expect(await codeOf(sessions.endOne({ ...ann, kind: 'key', scope }, id))).toBe('insufficient_scope')
    expect(await codeOf(sessions.list({ ...ann, kind: 'key', limitedTo: [id] }))).toBe('key_limited')
    await sessions.endOne(first!, id)
    expect(await codeOf(sessions.endOne(first!, id))).toBe('session_not_found')
    expect(await codeOf(sessions.endOthers(second!))).toBe('unauthenticated')

    const theirs = await sessions.open(idOf(ben))
    await sessions.endOthers(third!)
    const alive = await Promise.all(
      [...opened, theirs].map(async ({ token }) => (await sessions.resolve(token)) !== undefined),
    )
    expect(alive).toEqual([false, false, true, true])
  })

  test('the list shows a use that extends a session', async () => {
    const ann = await user('daily')
    const { token } = await sessions.open(idOf(ann))
    try {
      time = start + 3 * 86_400_000
      await sessions.resolve(token)
      const [one] = await sessions.list(ann)
      expect([one!.createdAt, one!.lastUsedAt]).toEqual(
        [start, time].map((instant) => new Date(instant).toISOString()),
      )
      time += 31 * 86_400_000
      expect(await sessions.list(ann)).toEqual([])
    } finally {
      time = start
    }
  })
})
