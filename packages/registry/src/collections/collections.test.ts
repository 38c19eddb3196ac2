import { type AccountRow, collectionFiles, files, insertAccount, insertInto } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { anonymous, type Caller } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
  tickingClock,
} from '../testing/context.ts'
import { shown } from '../testing/shown.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { type Forks, forksOf } from './forks.ts'

const code = (code: string) => expect.objectContaining({ code })

describe.each(anyDatabase)('collections on $name', (testDatabase) => {
  let context: TestContext
  let collections: Collections
  let forks: Forks
  let ada: AccountRow
  let org: AccountRow
  let owner: Caller

  beforeAll(async () => {
    context = await openContext(testDatabase, { now: tickingClock() })
    collections = collectionsOf(context)
    forks = forksOf(context)
    await context.jobs.start()
    ada = await addAccount(context, 'ada')
    org = await addAccount(context, 'acme', 'org')
    await addMember(context, org, ada, 'owner')
    owner = callerOf(ada)
  })
  afterAll(() => context.dispose())

  test('a collection is made with its slug for a name, private and without description unless told', async () => {
    const made = await collections.create(owner, 'ada', { slug: 'plain' })
    expect(made).toEqual({ id: expect.any(String), owner: 'ada', slug: 'plain', name: 'plain' })
    expect(shown(await collections.detail(owner, { owner: 'ada', slug: 'plain' }))).toEqual({
      id: made.id,
      slug: 'plain',
      name: 'plain',
      description: null,
      topics: [],
      public: false,
      ownerSlug: 'ada',
      ownerName: 'The ada',
      createdAt: expect.stringMatching(/^2026-01-01T.*Z$/),
      updatedAt: expect.any(String),
      latestVersion: null,
      publishersOnly: false,
    })
  })

  test('only members create in an account, with a write scope and a key that is not limited', async () => {
    const stranger = callerOf(await addAccount(context, 'stranger'))
    const create = (who: Caller | typeof anonymous, slug = 'refused') =>
      collections.create(who, 'acme', { slug })
    await expect(create(anonymous)).rejects.toEqual(code('unauthenticated'))
    await expect(create(stranger)).rejects.toEqual(code('not_a_member'))
    await expect(create(callerOf(ada, 'read'))).rejects.toEqual(code('insufficient_scope'))
    await expect(create(callerOf(ada, 'write', 'some-id'))).rejects.toEqual(code('key_limited'))
    await expect(collections.create(owner, 'missing', { slug: 'x' })).rejects.toEqual(
      code('account_not_found'),
    )
    const member = await addAccount(context, 'member')
    await addMember(context, org, member, 'member')
    await expect(create(callerOf(member, 'write'), 'by-member')).resolves.toMatchObject({ owner: 'acme' })
  })

  test.each(['', '-a', 'a-', 'A', 'a_b', 'a/b', 'ä', 'a'.repeat(101)])('%j is no slug', async (slug) => {
    await expect(collections.create(owner, 'ada', { slug })).rejects.toEqual(code('invalid_slug'))
  })

  test('of two who create one slug at the same time exactly one succeeds', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => collections.create(owner, 'ada', { slug: 'wanted' })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toEqual(code('slug_taken'))
  })

  test('a change moves updatedAt, a change to what is already so does not', async () => {
    const path = { owner: 'ada', slug: 'changing' }
    await collections.create(owner, 'ada', { slug: 'changing', description: 'first' })
    const before = shown(await collections.detail(owner, path))
    await collections.patch(owner, path, { name: 'New name', public: true, description: null })
    const after = shown(await collections.detail(owner, path))
    expect(after).toMatchObject({ name: 'New name', public: true, description: null })
    expect(after.updatedAt > before.updatedAt).toBe(true)
    await collections.patch(owner, path, { name: 'New name' })
    await collections.patch(owner, path, {})
    expect(shown(await collections.detail(owner, path))).toEqual(after)
  })

  test('a former slug leads to the collection until someone takes it, and only for who may see it', async () => {
    await collections.create(owner, 'ada', { slug: 'old', name: 'Renamed' })
    await collections.patch(owner, { owner: 'ada', slug: 'old' }, { slug: 'new' })
    await expect(collections.detail(owner, { owner: 'ada', slug: 'old' })).rejects.toMatchObject({
      name: 'MovedError',
      to: { owner: 'ada', slug: 'new' },
    })
    await expect(collections.detail(anonymous, { owner: 'ada', slug: 'old' })).rejects.toEqual(
      code('collection_not_found'),
    )
    await collections.create(owner, 'ada', { slug: 'old', name: 'Taken' })
    expect(shown(await collections.detail(owner, { owner: 'ada', slug: 'old' }))).toMatchObject({
      name: 'Taken',
    })
    await collections.remove(owner, { owner: 'ada', slug: 'old' })
    await expect(collections.detail(owner, { owner: 'ada', slug: 'old' })).rejects.toEqual(
      code('collection_not_found'),
    )
  })

  test('a hidden collection takes as many look-ups as a missing one, a visible one a single look-up', async () => {
    const moved = await addAccount(context, 'moves')
    const mover = callerOf(moved)
    await collections.create(mover, 'moves', { slug: 'hidden' })
    await collections.create(mover, 'moves', { slug: 'shown', public: true })
    await collections.create(mover, 'moves', { slug: 'former' })
    await collections.patch(mover, { owner: 'moves', slug: 'former' }, { slug: 'renamed' })
    const spies = [vi.spyOn(context.database, 'lookUp'), vi.spyOn(context.database, 'query')]
    const asks = async (who: Caller | typeof anonymous, owner: string, slug: string) => {
      for (const spy of spies) spy.mockClear()
      const answer = shown(
        await collections.detail(who, { owner, slug }).catch((error: { code: string }) => error),
      )
      const texts = spies.flatMap((spy) => spy.mock.calls.map(([text]) => text))
      const count = texts.filter((text) => /\sfrom collections\s/.test(text)).length
      return ['code' in answer ? answer.code : 'seen', count]
    }
    try {
      for (const who of [anonymous, owner]) {
        expect(await asks(who, 'moves', 'shown')).toEqual(['seen', 1])
        const absent = await asks(who, 'moves', 'absent')
        expect(absent).toEqual(['collection_not_found', expect.any(Number)])
        for (const slug of ['hidden', 'former']) expect(await asks(who, 'moves', slug)).toEqual(absent)
      }
      await accountsOf(context).update(mover, 'moves', { slug: 'moved' })
      for (const who of [anonymous, owner]) {
        const absent = await asks(who, 'moves', 'absent')
        for (const slug of ['hidden', 'former']) expect(await asks(who, 'moves', slug)).toEqual(absent)
        expect(await asks(who, 'moved', 'absent')).toEqual(absent)
      }
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  test('two renames at once leave every slug but the last one leading to it', async () => {
    await collections.create(owner, 'ada', { slug: 'race' })
    const names = ['race-a', 'race-b', 'race-c']
    const path = { owner: 'ada', slug: 'race' }
    await Promise.allSettled(names.map((slug) => collections.patch(owner, path, { slug })))
    const found = await Promise.allSettled(
      [...names, 'race'].map((slug) => collections.detail(owner, { owner: 'ada', slug })),
    )
    const standing = found.filter(({ status }) => status === 'fulfilled')
    expect(standing).toHaveLength(1)
    const moved = found.filter((one) => one.status === 'rejected' && one.reason.name === 'MovedError')
    expect(moved.length).toBeGreaterThanOrEqual(1)
    // The original slug redirects in any order.
    expect(found[3]).toMatchObject({ status: 'rejected', reason: { name: 'MovedError' } })
  })

  test('a rename onto a slug that is taken is refused and changes nothing', async () => {
    await collections.create(owner, 'ada', { slug: 'one' })
    await collections.create(owner, 'ada', { slug: 'two' })
    const change = collections.patch(owner, { owner: 'ada', slug: 'one' }, { slug: 'two', name: 'Changed' })
    await expect(change).rejects.toEqual(code('slug_taken'))
    expect(shown(await collections.detail(owner, { owner: 'ada', slug: 'one' }))).toMatchObject({
      name: 'one',
    })
  })

  test('patch against delete: either it is changed and gone, or it is not found', async () => {
    await collections.create(owner, 'ada', { slug: 'doomed' })
    const path = { owner: 'ada', slug: 'doomed' }
    const [patched, removed] = await Promise.allSettled([
      collections.patch(owner, path, { name: 'Late' }),
      collections.remove(owner, path),
    ])
    expect(removed.status).toBe('fulfilled')
    if (patched.status === 'rejected') expect(patched.reason).toEqual(code('collection_not_found'))
    await expect(collections.detail(owner, path)).rejects.toEqual(code('collection_not_found'))
  })

  test('members change a collection, admins delete it', async () => {
    const path = { owner: 'acme', slug: 'kept' }
    await collections.create(owner, 'acme', { slug: 'kept', public: true })
    const member = await addAccount(context, 'hand')
    await addMember(context, org, member, 'member')
    const by = callerOf(member)
    await expect(collections.patch(by, path, { name: 'By hand' })).resolves.toEqual({ ok: true })
    await expect(collections.remove(by, path)).rejects.toEqual(code('insufficient_role'))
    const outsider = callerOf(await addAccount(context, 'outsider'))
    await expect(collections.remove(outsider, path)).rejects.toEqual(code('not_a_member'))
    await expect(collections.patch(outsider, path, { name: 'x' })).rejects.toEqual(code('not_a_member'))
    await expect(collections.patch(anonymous, path, { name: 'x' })).rejects.toEqual(code('unauthenticated'))
    await expect(collections.remove(callerOf(ada, 'read'), path)).rejects.toEqual(code('insufficient_scope'))
    await expect(collections.remove(owner, path)).resolves.toEqual({ ok: true })
  })

  test('file facts of a deleted collection stay while a fork of it lives, then go', async () => {
    const source = await addCollection(context, ada, { slug: 'with-files', public: true })
    await addVersion(context, source)
    const hash = 'f'.repeat(64)
    await context.database.transact(async (tx) => {
      await tx.query(...insertInto(files, { hash, size: 1, createdAt: context.now() }))
      const at = { createdAt: context.now(), uploadedAt: context.now() }
      const row = { collectionId: source.id, hash, contentType: 'text/plain', ...at }
      await tx.query(...insertInto(collectionFiles, row))
    })
    const known = async () =>
      (await context.database.query('select from collection_files where hash = $1', [hash])).rows.length
    await forks.create(owner, { owner: 'ada', slug: 'with-files' }, { targetOrg: 'acme' })
    const again = { targetOrg: 'acme', slug: 'second-fork' }
    await forks.create(owner, { owner: 'acme', slug: 'with-files' }, again)
    await collections.remove(owner, { owner: 'ada', slug: 'with-files' })
    await collections.remove(owner, { owner: 'acme', slug: 'with-files' })
    await vi.waitFor(async () => {
      const left = await context.database.query('select from deletions')
      expect(left.rows).toEqual([])
    }, 20_000)
    expect(await known()).toBe(1)
    await collections.remove(owner, { owner: 'acme', slug: 'second-fork' })
    await vi.waitFor(async () => expect(await known()).toBe(0), { timeout: 20_000 })
  })

  test('the latest version is that of the view the caller reads', async () => {
    const made = await addCollection(context, ada, {
      slug: 'two-views',
      public: true,
      description: 'own words',
    })
    await addVersion(context, made, { metadata: { license: 'CC0-1.0' }, secret: true })
    const path = { owner: 'ada', slug: 'two-views' }
    const counts = { semver: 'v1.0.0', fileCount: 2, metadata: { license: 'CC0-1.0' }, message: 'pushed' }
    expect(shown(await collections.detail(owner, path))).toMatchObject({
      description: 'own words',
      latestVersion: { ...counts, recordCount: 4, totalBytes: 1_400, createdAt: expect.any(String) },
    })
    expect(shown(await collections.detail(anonymous, path))).toMatchObject({
      latestVersion: { ...counts, recordCount: 3, totalBytes: 1_300 },
    })
  })

  test('detail and browse show the version’s description before the collection’s own', async () => {
    const made = await addCollection(context, ada, { slug: 'described', public: true, description: 'own' })
    await addVersion(context, made, { metadata: { description: 'from metadata' } })
    const detail = shown(await collections.detail(anonymous, { owner: 'ada', slug: 'described' }))
    const browsed = await collections.browse({ q: 'described' })
    expect(detail.description).toBe('from metadata')
    expect(browsed.items).toMatchObject([{ description: 'from metadata', latestVersion: 'v1.0.0' }])
  })

  test('one list has what a user and its organizations own, the latest change first, page by page', async () => {
    const [bea, other] = [await addAccount(context, 'bea'), await addAccount(context, 'other')]
    const orgs = [await addAccount(context, 'bea-one', 'org'), await addAccount(context, 'bea-two', 'org')]
    for (const one of orgs) {
      await addMember(context, one, other, 'owner')
      await addMember(context, one, bea, 'member')
    }
    const made = []
    for (const [index, account] of [bea, orgs[0]!, other, orgs[1]!, bea, orgs[0]!, other].entries()) {
      const { id } = await collections.create(
        callerOf(account.type === 'org' ? other : account),
        account.slug,
        { slug: `own-${index}`, public: index % 2 === 0 },
      )
      if (account !== other) made.unshift(id)
    }
    const who = callerOf(bea, 'read')
    const all = await collections.mine(who, {})
    expect(all.items.map(({ id }) => id)).toEqual(made)
    expect(all.items[0]).toMatchObject({ ownerSlug: 'bea-one', slug: 'own-5', public: false })
    const paged = []
    for (let ask: Record<string, string | number> | undefined = { limit: 2 }; ask !== undefined; ) {
      const { items, links } = await collections.mine(who, ask)
      paged.push(...items.map(({ id }) => id))
      const next = links.next && new URLSearchParams(links.next).get('cursor')
      ask = next ? { limit: 2, cursor: next } : undefined
    }
    expect(paged).toEqual(made)
    expect((await collections.mine(who, { limit: 2, offset: 2 })).items.map(({ id }) => id)).toEqual(
      made.slice(2, 4),
    )
    expect((await collections.mine(who, { offset: 2_147_483_647 })).items).toEqual([])
    await expect(collections.mine(anonymous, {})).rejects.toEqual(code('unauthenticated'))
    await expect(collections.mine(callerOf(bea, 'admin', made[0]), {})).rejects.toEqual(code('key_limited'))
  })

  test('an account lists all to members, the public ones to others, and a limited key’s own', async () => {
    const lister = await addAccount(context, 'lister')
    const secret = await addCollection(context, lister, { slug: 'secret' })
    await addCollection(context, lister, { slug: 'secret-two' })
    const open = await addCollection(context, lister, { slug: 'open', public: true })
    const slugs = async (who: Caller | typeof anonymous) =>
      (await collections.list(who, 'lister', {})).items.map(({ slug }) => slug)
    expect(await slugs(callerOf(lister, 'read'))).toEqual(['open', 'secret-two', 'secret'])
    expect(await slugs(anonymous)).toEqual(['open'])
    expect(await slugs(owner)).toEqual(['open'])
    expect(await slugs(callerOf(lister, 'read', secret.id))).toEqual(['open', 'secret'])
    expect(await slugs(callerOf(lister, 'read', open.id))).toEqual(['open'])
    // A limited key grants no access to another owner's collection.
    expect(await slugs(callerOf(ada, 'read', secret.id))).toEqual(['open'])
    const [item] = (await collections.list(anonymous, 'lister', {})).items
    expect(item).toEqual({
      id: open.id,
      slug: 'open',
      fork: false,
      name: 'open',
      description: null,
      topics: [],
      public: true,
      ownerSlug: 'lister',
      ownerName: 'The lister',
      ...{ latestVersion: null, recordCount: null, fileCount: null, totalBytes: null },
      ...{ types: [], license: null },
      createdAt: open.createdAt.toISOString(),
      updatedAt: open.updatedAt.toISOString(),
    })
    await expect(collections.list(anonymous, 'missing', {})).rejects.toEqual(code('account_not_found'))
  })
})

describe.each(anyDatabase)('browsing on $name', (testDatabase) => {
  let context: TestContext
  let collections: Collections
  const names = [
    'Alpha',
    'ÉCOLE',
    'beta 100%',
    'beta_max',
    'back\\slash',
    'Zug',
    'xy',
    'Ab',
    'ΟΔΟΣ',
    '日本語',
  ]

  beforeAll(async () => {
    context = await openContext(testDatabase, { works: false, now: tickingClock() })
    collections = collectionsOf(context)
    const ada = await addAccount(context, 'ada')
    const eve = await addAccount(context, 'eve')
    for (const [index, name] of names.entries()) {
      await addCollection(context, index % 2 === 0 ? ada : eve, { slug: `c${index}`, name, public: true })
    }
    await addCollection(context, ada, { slug: 'hidden', name: 'Alpha hidden', public: false })
  })
  afterAll(() => context.dispose())
  const found = async (ask: Parameters<Collections['browse']>[0]) =>
    (await collections.browse(ask)).items.map(({ name }) => name)

  test('shows public collections, newest first, to every caller', async () => {
    expect(await found({})).toEqual([...names].reverse())
    expect(await found({ sort: 'created' })).toEqual([...names].reverse())
  })

  test('by name, case does not matter to the order', async () => {
    expect((await found({ sort: 'name' })).slice(0, 6)).toEqual([
      'Ab',
      'Alpha',
      'back\\slash',
      'beta 100%',
      'beta_max',
      'xy',
    ])
  })

  test.each([
    ['alpha', ['Alpha']],
    ['LPH', ['Alpha']],
    ['a', ['Ab', 'back\\slash', 'beta_max', 'beta 100%', 'Alpha']],
    ['be', ['beta_max', 'beta 100%']],
    ['école', ['ÉCOLE']],
    ['É', ['ÉCOLE']],
    ['οδος', []],
    ['οδο', ['ΟΔΟΣ']],
    ['σ', ['ΟΔΟΣ']],
    ['本', ['日本語']],
    ['本語', ['日本語']],
    ['%', ['beta 100%']],
    ['0%', ['beta 100%']],
    ['_', ['beta_max']],
    ['a_m', ['beta_max']],
    ['\\', ['back\\slash']],
    ['k\\s', ['back\\slash']],
    ['ck\\sla', ['back\\slash']],
    ['beta%', []],
    ['bet_', []],
    ['zz', []],
    ['q', []],
    ["'", []],
    ['absent words', []],
    ['', [...names].reverse()],
  ])('q=%j finds %j', async (q, expected) => {
    expect(await found({ q })).toEqual(expected)
  })

  test('owner filters by account; an unknown one has none', async () => {
    expect(await found({ owner: 'eve' })).toEqual(['日本語', 'Ab', 'Zug', 'beta_max', 'ÉCOLE'])
    expect(await found({ owner: 'eve', q: 'b' })).toEqual(['Ab', 'beta_max'])
    expect(await found({ owner: 'missing' })).toEqual([])
  })

  test.each(['updated', 'created', 'name'] as const)(
    'cursors lead through a search sorted by %s',
    async (sort) => {
      const whole = await found({ sort, q: 'b' })
      const seen: string[] = []
      let ask: Parameters<Collections['browse']>[0] | undefined = { sort, q: 'b', limit: 2 }
      while (ask !== undefined) {
        const page = await collections.browse(ask)
        seen.push(...page.items.map(({ name }) => name))
        const next = new URLSearchParams(page.links.next ?? '').get('cursor')
        ask = next === null ? undefined : { sort, q: 'b', limit: 2, cursor: next }
      }
      expect(seen).toEqual(whole)
      expect(await found({ sort, q: 'b', limit: 2, offset: 1 })).toEqual(whole.slice(1, 3))
    },
  )

  test('finds collections beyond the window that is read first', async () => {
    const many = { id: '0'.repeat(8), slug: 'many', type: 'user' as const, displayName: 'm', email: null }
    const account = { ...many, id: '00000000-0000-4000-8000-000000000001', createdAt: context.now() }
    await context.database.transact((tx) => insertAccount(tx, account))
    await context.database.query(
      `insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
       select gen_random_uuid(), $1, 'm' || n, 'm' || n, 'm' || n, true, now(), timestamptz '2030-01-01' + n * interval '1 second'
       from generate_series(1, 1500) n`,
      [account.id],
    )
    expect(await found({ q: 'zug' })).toEqual(['Zug'])
    expect(await found({ q: 'zu' })).toEqual(['Zug'])
    expect(await found({ q: 'm14', limit: 3 })).toEqual(['m1499', 'm1498', 'm1497'])
    expect((await found({ q: 'm10', limit: 100, offset: 100 })).at(-1)).toBe('m10')
  })
})
