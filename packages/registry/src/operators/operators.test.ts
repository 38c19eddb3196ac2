/** Operators: appointment, suspensions, and erasure without remains. http-api §11. */
import { endCredentials, lockAccount, lockCredential, updateAccount } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf, type Identity } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import { invitationsOf } from '../accounts/invitations.ts'
import { keysOf } from '../accounts/keys.ts'
import { membersOf } from '../accounts/members.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { metadataOf } from '../metadata/metadata.ts'
import { anonymous, type Caller } from '../principal.ts'
import type { PushOpening } from '../pushes/opening/opening-body.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { versionsOf } from '../versions/versions.ts'
import { operatorsOf } from './operators.ts'

const issuer = 'https://login.example'

describe.each(serviceDatabases)('operators on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let root: Caller
  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    sessions: sessionsOf(context),
    keys: keysOf(context),
    members: membersOf(context),
    invitations: invitationsOf(context),
    collections: collectionsOf(context),
    versions: versionsOf(context),
    audit: auditOf(context),
    metadata: metadataOf(context),
    pushes: pushesOf(context, new PushSessions(context)),
    operators: operatorsOf(context),
  })
  const identityOf = (name: string): Identity => ({
    ...{ issuer, subject: name, preferredUsername: name },
    ...{ email: `${name}@example.org`, name: `Dr ${name}` },
  })
  const signIn = async (name: string, more: Partial<Identity> = {}): Promise<Caller> => {
    const account = await services.accounts.signIn({ ...identityOf(name), ...more })
    const { token } = await services.sessions.open(account)
    return (await services.sessions.resolve(token, '192.0.2.7'))!.caller
  }
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )

  beforeAll(async () => {
    const opened = await openContext(database)
    context = { ...opened, operators: { identities: [{ issuer, subject: 'olga' }], byClaim: true } }
    services = servicesOf(context)
    await context.jobs.start()
    root = await signIn('olga')
  })
  afterAll(() => context.dispose())

  test('the configuration names them, by identity or by a claim at the last sign-in', async () => {
    const { operators, keys } = services
    const [ada, chief] = [await signIn('ada'), await signIn('chief', { claimsOperator: true })]
    expect(await outcome(operators.usage(root))).toBe('ok')
    expect(await outcome(operators.usage(chief))).toBe('ok')
    expect(await outcome(operators.usage(anonymous))).toBe('unauthenticated')
    const calls = [
      () => operators.usage(ada),
      () => operators.jobs(ada),
      () => operators.accounts(ada, {}),
      () => operators.audit(ada, {}),
      () => operators.change(ada, 'olga', { suspended: true }),
      () => operators.erase(ada, 'olga'),
    ]
    for (const call of calls) expect(await outcome(call())).toBe('not_an_operator')
    await signIn('chief')
    expect(await outcome(operators.usage(chief))).toBe('not_an_operator')
    // If no claims count, earlier ones do not either.
    await signIn('chief', { claimsOperator: true })
    const without = operatorsOf({ ...context, operators: { identities: [], byClaim: false } })
    expect(await outcome(without.usage(chief))).toBe('not_an_operator')
    for (const [scope, code] of [
      ['admin', 'ok'],
      ['write', 'insufficient_scope'],
    ] as const) {
      const { key } = await keys.create(root, { label: 'k', scope })
      expect(await outcome(operators.jobs(await keys.resolve(key)))).toBe(code)
    }
    expect(await outcome(operators.jobs({ ...root, limitedTo: ['x'] }))).toBe('key_limited')
  })

  test('they find accounts by handle, name and e-mail, and see all logs', async () => {
    const { operators, accounts } = services
    const eve = await signIn('eve')
    await accounts.createOrg(eve, { slug: 'guild', displayName: 'The 100%_ Guild' })
    const found = async (q: string) => (await operators.accounts(root, { q })).items.map(({ slug }) => slug)
    expect(await found('EVE@exam')).toEqual(['eve'])
    expect(await found('dr ev')).toEqual(['eve'])
    expect(await found('100%_')).toEqual(['guild'])
    expect(await found('%')).toEqual(['guild'])
    const page = await operators.accounts(root, { limit: 2 })
    const cursor = new URLSearchParams(page.links.next).get('cursor')!
    const next = await operators.accounts(root, { limit: 2, cursor })
    const slugs = [...page.items, ...next.items].map(({ slug }) => slug)
    expect(slugs).toEqual([...new Set(slugs)].sort())
    const { items } = await operators.audit(root, { action: 'organization.made' })
    expect(items.map(({ target }) => target)).toEqual(['guild'])
    expect((await operators.usage(root)).organizations).toBe(1)
  })

  test('a suspended account is refused on every credential until reinstated; its public data stays', async () => {
    const { operators, keys, sessions, accounts, collections } = services
    const ben = await signIn('ben')
    const { token } = await sessions.open({ id: ben.accountId, slug: 'ben' })
    const { key } = await keys.create(ben, { label: 'k', scope: 'admin' })
    const held = await keys.resolve(key)
    await collections.create(ben, 'ben', { slug: 'open', public: true })
    expect(await outcome(operators.change(root, 'olga', { suspended: true }))).toBe('invalid_request')
    expect(await outcome(operators.change(root, 'guild', { suspended: true }))).toBe('not_a_user')
    expect(await outcome(operators.change(root, 'missing-account', { suspended: true }))).toBe(
      'account_not_found',
    )
    await operators.change(root, 'ben', { suspended: true, hideCollections: false })
    await operators.change(root, 'ben', { suspended: true })
    expect(await sessions.resolve(token)).toBeUndefined()
    expect(await outcome(keys.resolve(key))).toBe('account_suspended')
    expect(await outcome(accounts.signIn(identityOf('ben')))).toBe('account_suspended')
    // A request that was running at the suspension records nothing, with any credential.
    const name = { name: 'New' }
    const path = { owner: 'ben', slug: 'open' }
    for (const who of [ben, held, { ...held, credential: null }])
      expect(await outcome(collections.patch(who, path, name))).toBe('unauthenticated')
    expect(await outcome(collections.create(held, 'ben', { slug: 'more' }))).toBe('unauthenticated')
    const { id } = await collections.detail(anonymous, path)
    expect(await outcome(addVersion(context, { id }))).toBe('unauthenticated')
    await operators.change(root, 'ben', { suspended: false })
    expect(await outcome(keys.resolve(key))).toBe('ok')
    expect(await outcome(addVersion(context, { id }))).toBe('ok')
    const { items } = await operators.audit(root, { action: 'account.suspended' })
    expect(items.map(({ details }) => details['suspended'])).toEqual([false, true])
  })

  test('a request that waits for a suspension is refused by it', async () => {
    const { keys } = services
    const dora = await signIn('dora')
    const { key } = await keys.create(dora, { label: 'k', scope: 'admin' })
    const { accountId, credential } = (await keys.resolve(key)) as Caller
    const held = () =>
      context.database.transact((tx) => lockCredential(tx, { accountId, credential }, context.now()))
    expect(await held()).toBe(true)
    const [locked, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const suspending = context.database.transact(async (tx) => {
      await lockAccount(tx, accountId)
      await endCredentials(tx, accountId)
      locked.resolve()
      await mayGoOn.promise
      await updateAccount(tx, accountId, { suspendedAt: context.now() })
    })
    await locked.promise
    const waited = held()
    // Until it waits.
    await new Promise((resolve) => setTimeout(resolve, 200))
    mayGoOn.resolve()
    await suspending
    expect(await waited).toBe(false)
  })

  test('a suspended operator has no rights', async () => {
    const { operators, keys } = services
    const claimed = await signIn('claimed', { claimsOperator: true })
    const { key } = await keys.create(claimed, { label: 'k', scope: 'admin' })
    expect(await outcome(operators.usage(await keys.resolve(key)))).toBe('ok')
    await operators.change(root, 'claimed', { suspended: true })
    await operators.change(root, 'claimed', { suspended: false })
    expect(await outcome(operators.usage(await keys.resolve(key)))).toBe('not_an_operator')
    await signIn('claimed', { claimsOperator: true })
    expect(await outcome(operators.usage(await keys.resolve(key)))).toBe('ok')
  })

  test('of an erased account only its publications remain, without an author', async () => {
    const { operators, accounts, members, invitations, collections, versions, keys } = services
    const { metadata, pushes } = services
    const zoe = await signIn('zoe-secret')
    await accounts.update(zoe, 'zoe-secret', { slug: 'zoe-former' })
    await accounts.update(zoe, 'zoe-former', { slug: 'zoe-secret' })
    const { key } = await keys.create(zoe, { label: 'of zoe-secret', scope: 'admin' })
    const caller = await keys.resolve(key, '198.51.100.77')
    await accounts.createOrg(zoe, { slug: 'orphan', displayName: 'Orphan' })
    await accounts.createOrg(root, { slug: 'kept', displayName: 'Kept' })
    await members.set(root, { slug: 'kept', user: 'zoe-secret' }, 'owner')
    await accounts.createOrg(root, { slug: 'wanting', displayName: 'Wanting' })
    await invitations.create(root, 'wanting', { user: 'zoe-secret', role: 'member' })
    await invitations.create(root, 'wanting', { email: 'Zoe-Secret@example.org', role: 'member' })
    const { id } = await collections.create(caller, 'zoe-secret', { slug: 'maps', public: true })
    await collections.patch(caller, { owner: 'zoe-secret', slug: 'maps' }, { slug: 'charts' })
    await addVersion(context, { id })
    async function* patch() {
      yield Buffer.from('{"title":"Charts"}')
    }
    const charts = { owner: 'zoe-secret', slug: 'charts' }
    await metadata.update(caller, charts, await metadata.read(caller, patch()))
    async function* opening() {
      yield Buffer.from('{"base_version":"v1.0.1"}')
    }
    const { session_id } = await pushes.open(caller, charts, opening(), (outline) => outline as PushOpening)
    await expect(pushes.commit(caller, charts, session_id, { async: false })).rejects.toBeDefined()
    // Readers may cite public data, so it is not erased by mistake.
    await expect(operators.erase(root, 'zoe-secret')).rejects.toMatchObject({
      code: 'has_public_collections',
      details: { collections: ['zoe-secret/charts'] },
    })
    expect(await operators.erase(root, 'zoe-secret', { confirmed: true })).toEqual({
      organizationsWithoutOwner: ['orphan'],
    })
    await keys.settle()
    const tables = await context.database.query(
      "select tablename from pg_tables where schemaname = 'public' order by 1",
    )
    for (const { tablename } of tables.rows) {
      const text = `select count(*)::integer as n from ${String(tablename)} t where t::text ~* 'zoe|198.51.100.77'`
      expect([tablename, (await context.database.query(text)).rows[0]!['n']]).toEqual([tablename, 0])
    }
    expect(await outcome(keys.resolve(key))).toBe('unauthenticated')
    expect(await outcome(accounts.profile('zoe-former'))).toBe('account_not_found')
    const [mine] = (await operators.accounts(root, { q: 'erased' })).items
    expect(mine).toMatchObject({ displayName: 'Erased account', email: null, collections: 1 })
    const { items } = await versions.list(anonymous, { owner: mine!.slug, slug: 'charts' }, {})
    const erased = { slug: mine!.slug, displayName: 'Erased account' }
    expect(items.map(({ actor }) => actor)).toEqual([erased, erased])
    expect((await members.list(root, 'kept')).items).toHaveLength(1)
    // The same identity gets a new account, and the erased account's name stays reserved.
    expect((await accounts.signIn(identityOf('zoe-secret'))).slug).toBe('zoe-secret-2')
    const { items: told } = await operators.audit(root, { action: 'account.erased' })
    expect(told.map(({ target, actor }) => [target, actor.account])).toEqual([[mine!.slug, 'olga']])
  })

  test('names that the registry assigns cannot be taken, so erasures succeed', async () => {
    const { operators, accounts } = services
    const squatter = await signIn('squatter')
    const victim = await signIn('victim')
    const slug = `erased-${victim.accountId.replaceAll('-', '').slice(-24)}`
    const org = { slug, displayName: 'Squatted' }
    expect(await outcome(accounts.createOrg(squatter, org))).toBe('reserved_slug')
    expect(await outcome(accounts.update(squatter, 'squatter', { slug }))).toBe('reserved_slug')
    expect((await signIn(slug)).accountSlug).not.toMatch(/^erased/)
    expect(await outcome(operators.erase(root, 'victim'))).toBe('ok')
  })

  test('they name an owner where no owner can, and nowhere else', async () => {
    const { operators, accounts, members, audit } = services
    const [first, second, heir] = [await signIn('first'), await signIn('second'), await signIn('heir')]
    await accounts.createOrg(first, { slug: 'lonely', displayName: 'Lonely' })
    await members.set(first, { slug: 'lonely', user: 'second' }, 'owner')
    const name = (slug: string, owner: string) => outcome(operators.change(root, slug, { owner }))
    expect(await outcome(operators.change(heir, 'lonely', { owner: 'heir' }))).toBe('not_an_operator')
    expect(await name('heir', 'first')).toBe('not_an_org')
    await operators.erase(root, 'first')
    expect(await name('lonely', 'heir')).toBe('has_owner')
    await operators.change(root, 'second', { suspended: true })
    expect(await name('lonely', 'second')).toBe('invalid_request')
    expect(await name('lonely', 'lonely')).toBe('not_a_user')
    expect(await name('lonely', 'missing-account')).toBe('account_not_found')
    expect(await name('missing-account', 'heir')).toBe('account_not_found')
    expect(await name('lonely', 'heir')).toBe('ok')
    expect(await members.roleOf(heir, 'lonely')).toBe('owner')
    expect(await name('lonely', 'olga')).toBe('has_owner')
    // The organization's own log shows the new owner who made the change.
    const [made] = (await audit.list(heir, 'lonely', { action: 'member.set' })).items
    expect(made).toMatchObject({ actor: { account: 'olga' }, target: 'heir', details: { before: null } })
    // Reinstating an operator restores all rights.
    await operators.change(root, 'second', { suspended: false })
    expect(await members.roleOf(second, 'lonely')).toBe('owner')
  })
})
