/** Collections that operators hide: only members read them, and nothing is lost. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { anonymous, type Caller } from '../principal.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { issuer, outcome, signIn } from '../testing/sign-in.ts'
import { moderationOf } from './moderation.ts'
import { operatorsOf } from './operators.ts'

describe.each(serviceDatabases)('hidden collections on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let root: Caller
  let ada: Caller
  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    audit: auditOf(context),
    collections: collectionsOf(context),
    moderation: moderationOf(context),
    operators: operatorsOf(context),
  })
  const make = async (slug: string, isPublic = true) => {
    await services.collections.create(ada, 'ada', { slug, public: isPublic })
    return { owner: 'ada', slug }
  }
  const listed = async () => {
    const { items } = await services.collections.browse({ owner: 'ada' })
    return items.map(({ slug }) => slug).sort()
  }
  const read = (path: { owner: string; slug: string }, who: typeof anonymous | Caller = anonymous) =>
    outcome(services.collections.detail(who, path))

  beforeAll(async () => {
    const opened = await openContext(database)
    context = { ...opened, operators: { identities: [{ issuer, subject: 'olga' }], byClaim: false } }
    services = servicesOf(context)
    root = await signIn(context, 'olga')
    ada = await signIn(context, 'ada')
  })
  afterAll(() => context.dispose())

  test('others, the operator too, learn only that it is hidden; members read the reason and cannot publish it', async () => {
    const path = await make('leak')
    const { collections, moderation } = services
    await moderation.hide(root, path, 'It names people.')
    expect([await read(path), await read(path, root), await read(path, ada)]).toEqual([
      'collection_hidden',
      'collection_hidden',
      'ok',
    ])
    expect(await listed()).not.toContain('leak')
    expect((await collections.detail(ada, path)).hiddenByOperators).toMatchObject({
      reason: 'It names people.',
    })
    expect(await outcome(collections.patch(ada, path, { public: true }))).toBe('hidden_by_operators')
    expect(await outcome(collections.patch(ada, path, { public: true }, { dryRun: true }))).toBe(
      'hidden_by_operators',
    )
    expect(await outcome(collections.patch(ada, path, { name: 'Leak' }))).toBe('ok')
    await moderation.hide(root, path, 'A court said so.')
    expect((await moderation.hidden(root)).map(({ hiddenReason }) => hiddenReason)).toEqual([
      'A court said so.',
    ])
    await moderation.show(root, path)
    await moderation.show(root, path)
    expect(await read(path)).toBe('ok')
    expect((await collections.detail(ada, path)).hiddenByOperators).toBeUndefined()
    const { items } = await services.operators.audit(root, { action: 'collection.hidden' })
    expect(items.map(({ details }) => details['hidden'])).toEqual([false, true, true])
  })

  test('one that its members made private meanwhile is not made public by showing it, and no longer said to be hidden', async () => {
    const path = await make('withdrawn')
    await services.moderation.hide(root, path, 'x')
    await services.collections.patch(ada, path, { public: false })
    expect(await read(path)).toBe('collection_not_found')
    await services.moderation.show(root, path)
    expect([await read(path), (await services.collections.detail(ada, path)).public]).toEqual([
      'collection_not_found',
      false,
    ])
  })

  test('operators do not learn of private collections, and others hide nothing', async () => {
    const path = await make('secret', false)
    const { moderation } = services
    for (const one of [path, { ...path, slug: 'absent' }, { ...path, slug: '\0' }])
      for (const act of [() => moderation.hide(root, one, 'x'), () => moderation.show(root, one)])
        expect(await outcome(act())).toBe('collection_not_found')
    const open = await make('open')
    for (const act of [() => moderation.hide(ada, open, 'x'), () => moderation.hidden(ada)])
      expect(await outcome(act())).toBe('not_an_operator')
  })

  test('a suspension hides what is public, and its end shows that alone', async () => {
    const { moderation, operators, collections } = services
    const before = await listed()
    const court = await make('court')
    await moderation.hide(root, court, 'A court said so.')
    await operators.change(root, 'ada', { suspended: true })
    expect(await listed()).toEqual([])
    expect([
      await read({ owner: 'ada', slug: 'open' }),
      await read({ owner: 'ada', slug: 'secret' }),
    ]).toEqual(['collection_hidden', 'collection_not_found'])
    expect((await moderation.hidden(root)).map(({ slug }) => slug)).toEqual(['court'])
    await operators.change(root, 'ada', { suspended: false })
    expect(await listed()).toEqual(before)
    expect(await read(court)).toBe('collection_hidden')
    await operators.change(root, 'ada', { suspended: true, hideCollections: false })
    expect(await listed()).toEqual(before)
    await operators.change(root, 'ada', { suspended: false })
    ada = await signIn(context, 'ada')
    expect((await collections.detail(ada, court)).hiddenByOperators).toMatchObject({
      reason: 'A court said so.',
    })
  })

  test('a hidden collection counts as cited when its owner is erased, and stays hidden below another', async () => {
    const { collections, moderation, operators } = services
    const rae = await signIn(context, 'rae')
    const { id } = await collections.create(rae, 'rae', { slug: 'cited', public: true })
    await addVersion(context, { id })
    await moderation.hide(root, { owner: 'rae', slug: 'cited' }, 'It names people.')
    await expect(operators.erase(root, 'rae')).rejects.toMatchObject({
      code: 'has_public_collections',
      details: { collections: ['rae/cited'] },
    })
    await operators.handOver(root, 'rae', { to: 'olga' })
    expect(await read({ owner: 'olga', slug: 'cited' })).toBe('collection_hidden')
    expect(await outcome(operators.erase(root, 'rae'))).toBe('ok')
  })

  test('collections that were hidden with their owner stay hidden below a new one and after an erasure', async () => {
    const { operators, accounts, moderation } = services
    const heir = await signIn(context, 'heir')
    await accounts.createOrg(heir, { slug: 'guild', displayName: 'Guild' })
    await operators.change(root, 'ada', { suspended: true })
    expect(await operators.handOver(root, 'ada', { to: 'guild', collections: ['open', 'court'] })).toEqual([
      { from: 'ada/court', to: 'guild/court', hidden: true },
      { from: 'ada/open', to: 'guild/open', hidden: true },
    ])
    const open = { owner: 'guild', slug: 'open' }
    expect((await moderation.hidden(root)).find(({ slug }) => slug === 'open')).toMatchObject({
      hiddenReason: 'Its former owner was suspended.',
    })
    // The end of the suspension concerns what the person has.
    await operators.change(root, 'ada', { suspended: false })
    expect(await read(open)).toBe('collection_hidden')
    await operators.change(root, 'ada', { suspended: true })
    await moderation.show(root, open)
    expect(await read(open)).toBe('ok')
    expect(await read({ owner: 'guild', slug: 'court' })).toBe('collection_hidden')
    await operators.erase(root, 'ada', { confirmed: true })
    const listed = async () => (await services.collections.browse({})).items.map(({ slug }) => slug)
    expect(await listed()).not.toContain('leak')
    const left = (await moderation.hidden(root)).find(({ slug }) => slug === 'leak')!
    expect(left).toMatchObject({
      owner: expect.stringMatching(/^erased-/),
      hiddenReason: 'Its owner was suspended, and then erased.',
    })
    await moderation.show(root, { owner: left.owner, slug: 'leak' })
    expect(await listed()).toContain('leak')
  })
})
