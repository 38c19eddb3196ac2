/** People who return under another identity, and people who leave. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findVisibleCollection } from '../access/find-collection.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { MovedError } from '../errors/errors.ts'
import { anonymous, type Caller } from '../principal.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { operatorsOf } from './operators.ts'

const builtIn = 'http://127.0.0.1/dev/idp'
const issuer = 'https://login.example'

describe.each(serviceDatabases)('people who come back or leave on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let root: Caller
  const servicesOf = (of: TestContext) => ({
    accounts: accountsOf(of),
    sessions: sessionsOf(of),
    collections: collectionsOf(of),
    operators: operatorsOf(of),
    audit: auditOf(of),
  })
  const signIn = (subject: string, by = issuer, name = subject) =>
    services.accounts.signIn({ issuer: by, subject, preferredUsername: name, email: null, name: null })
  const callerFor = async (account: { id: string; slug: string }): Promise<Caller> => {
    const { token } = await services.sessions.open(account)
    return (await services.sessions.resolve(token))!.caller
  }
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => (error instanceof MovedError ? error.to : error.code),
    )
  const see = (owner: string, slug: string) =>
    outcome(findVisibleCollection(context, anonymous, { owner, slug }))
  const publish = async (who: Caller, slug: string) => {
    const { id } = await services.collections.create(who, who.accountSlug, { slug, public: true })
    await addVersion(context, { id })
  }

  beforeAll(async () => {
    const opened = await openContext(database)
    context = { ...opened, operators: { identities: [{ issuer, subject: 'root' }], byClaim: true } }
    services = servicesOf(context)
    await context.jobs.start()
    root = await callerFor(await signIn('root'))
  })
  afterAll(() => context.dispose())

  test('from trying out to real sign-in: the account of before, whether the person has signed in or not', async () => {
    const { operators, sessions } = services
    const [ada, bob] = [await signIn('ada', builtIn), await signIn('bob', builtIn)]
    await publish(await callerFor(ada), 'maps')
    const late = await services.accounts.signIn({
      ...{ issuer, subject: '7', preferredUsername: 'ada', email: null, name: null, claimsOperator: true },
    })
    expect(late.slug).toBe('ada-2')
    const { token } = await sessions.open(late)
    const { items } = await operators.accounts(root, { q: 'ada-2' })
    expect(items[0]?.identities).toEqual([{ issuer, subject: '7' }])

    const link = operators.linkIdentity(root, 'ada', { issuer, subject: '7' })
    await expect(link).rejects.toMatchObject({ code: 'identity_taken', details: { account: 'ada-2' } })
    expect((await signIn('7')).slug).toBe('ada-2')
    const move = { issuer, subject: '7', move: true }
    expect(await operators.linkIdentity(root, 'ada', move)).toEqual({ account: 'ada', movedFrom: 'ada-2' })
    expect(await operators.linkIdentity(root, 'ada', move)).toEqual({ account: 'ada', movedFrom: null })
    expect(await signIn('7')).toMatchObject({ id: ada.id, slug: 'ada' })
    // The other account's browsers are signed out, and the identity's operator claim no longer counts for it.
    expect(await sessions.resolve(token)).toBeUndefined()
    const left = { ...root, accountId: late.id, accountSlug: 'ada-2', credential: null }
    expect(await outcome(operators.usage(left))).toBe('not_an_operator')
    expect(await outcome(operators.erase(root, 'ada-2'))).toBe('ok')

    expect(await operators.linkIdentity(root, 'bob', { issuer, subject: '8' })).toMatchObject({
      movedFrom: null,
    })
    expect((await signIn('8', issuer, 'bob')).id).toBe(bob.id)
    const { items: told } = await operators.audit(root, { action: 'identity.linked' })
    expect(told.map(({ target, actor, details }) => [target, actor.account, details['formerly']])).toEqual([
      ['bob', root.accountSlug, null],
      ...Array(2).fill(['ada', root.accountSlug, expect.stringMatching(/^erased-/)]),
    ])
  })

  test.each([issuer, `${issuer}/`])(
    'an issuer that differs from %s by a final slash is refused',
    async (configured) => {
      const { linkIdentity } = operatorsOf({
        ...context,
        operators: { ...context.operators, issuer: configured },
      })
      const { slug } = await signIn(`slash${configured.length}`)
      const other = configured === issuer ? `${issuer}/` : issuer
      const link = (by: string) =>
        linkIdentity(root, slug, { issuer: by, subject: `other${configured.length}` })
      await expect(link(other)).rejects.toMatchObject({
        code: 'invalid_request',
        details: { issues: [{ path: 'issuer', message: expect.stringContaining('exactly OIDC_ISSUER') }] },
      })
      expect(await outcome(link(configured))).toBe('ok')
      expect(await outcome(link('https://next.example'))).toBe('ok')
    },
  )

  test('only operators link, and only to users', async () => {
    const { operators, accounts } = services
    const eve = await callerFor(await signIn('eve'))
    await accounts.createOrg(eve, { slug: 'guild', displayName: 'Guild' })
    const identity = { issuer, subject: 'new' }
    expect(await outcome(operators.linkIdentity(eve, 'eve', identity))).toBe('not_an_operator')
    expect(await outcome(operators.linkIdentity(root, 'guild', identity))).toBe('not_a_user')
    expect(await outcome(operators.linkIdentity(root, 'missing-account', identity))).toBe('account_not_found')
    expect(await outcome(operators.handOver(eve, 'eve', { to: 'guild' }))).toBe('not_an_operator')
  })

  test('a suspended person reads the reason, which goes with the person', async () => {
    const { operators } = services
    await signIn('may')
    const refusal = () => signIn('may').catch((error: Error) => error.message)
    await operators.change(root, 'may', { suspended: true })
    expect(await refusal()).toBe('This account is suspended. Ask the operators of this registry.')
    await operators.change(root, 'may', { suspended: true, reason: 'May sent spam' })
    expect(await refusal()).toBe(
      'This account is suspended: May sent spam. Ask the operators of this registry.',
    )
    const reasons = async () =>
      (await operators.audit(root, { action: 'account.suspended' })).items.map(({ details }) => details)
    expect(await reasons()).toEqual([
      { suspended: true, collections: 0, reason: 'May sent spam' },
      { suspended: true, collections: 0 },
    ])
    await operators.erase(root, 'may')
    expect(JSON.stringify(await reasons())).not.toContain('spam')
  })

  test('an erased person is not counted, and listed for its collections alone', async () => {
    const { operators, collections } = services
    const [kim, lee] = [await callerFor(await signIn('kim')), await callerFor(await signIn('lee'))]
    await collections.create(lee, 'lee', { slug: 'left' })
    const counts = async () => {
      const { users, suspended } = await operators.usage(root)
      return { users, suspended }
    }
    const before = await counts()
    const listed = async () => (await operators.accounts(root, { q: 'erased-' })).items
    const others = (await listed()).length
    for (const { accountSlug } of [kim, lee]) await operators.erase(root, accountSlug)
    expect(await counts()).toEqual({ ...before, users: before.users - 2 })
    const items = await listed()
    expect(items).toHaveLength(others + 1)
    const { slug } = items.find(({ collections: owned }) => owned === 1)!
    for (const act of [
      () => operators.change(root, slug, { suspended: false }),
      () => operators.erase(root, slug),
      () => operators.linkIdentity(root, slug, { issuer, subject: 'kim' }),
    ])
      expect(await outcome(act())).toBe('invalid_request')
    expect(await operators.handOver(root, slug, { to: root.accountSlug })).toEqual([
      { from: `${slug}/left`, to: `${root.accountSlug}/left` },
    ])
    expect(await listed()).toHaveLength(others)
  })

  test('collections of a leaver go to an organization and to a person, whatever the receiver has', async () => {
    const { operators, accounts, collections, audit } = services
    const [leo, heir] = [await callerFor(await signIn('leo')), await callerFor(await signIn('heir'))]
    await accounts.createOrg(heir, { slug: 'atlas', displayName: 'Atlas' })
    for (const slug of ['maps', 'maps-2']) await collections.create(heir, 'atlas', { slug })
    for (const slug of ['maps', 'shop']) await publish(leo, slug)
    await collections.create(leo, 'leo', { slug: 'draft' })
    await operators.change(root, 'leo', { suspended: true, hideCollections: false })
    await operators.change(root, 'atlas', { quotaBytes: 0 })
    const hand = (what: Parameters<typeof operators.handOver>[2]) => operators.handOver(root, 'leo', what)
    expect(await outcome(hand({ to: 'leo' }))).toBe('invalid_request')
    expect(await outcome(hand({ to: 'missing-account' }))).toBe('account_not_found')
    expect(await outcome(hand({ to: 'atlas', collections: ['nothing'] }))).toBe('collection_not_found')
    expect(await outcome(operators.handOver(root, 'atlas', { to: 'heir' }))).toBe('not_a_user')
    expect(await hand({ to: 'heir', collections: ['shop'] })).toEqual([{ from: 'leo/shop', to: 'heir/shop' }])
    expect(await hand({ to: 'atlas' })).toEqual([
      { from: 'leo/draft', to: 'atlas/draft' },
      { from: 'leo/maps', to: 'atlas/maps-3' },
    ])
    expect(await hand({ to: 'atlas' })).toEqual([])
    expect(await see('leo', 'maps')).toEqual({ owner: 'atlas', slug: 'maps-3' })
    expect((await collections.browse({ search: 'atlas' })).items.map(({ slug }) => slug)).toEqual(['maps-3'])
    const { items } = await audit.list(heir, 'atlas', { action: 'collection.transferred' })
    expect(items.map(({ target, actor }) => [target, actor.account])).toEqual([
      ['atlas/maps-3', root.accountSlug],
      ['atlas/draft', root.accountSlug],
    ])
    // No collection is public any more, so the erasure needs no confirmation; the cited path still redirects.
    expect(await outcome(operators.erase(root, 'leo'))).toBe('ok')
    expect(await see('leo', 'shop')).toEqual({ owner: 'heir', slug: 'shop' })
  })
})
