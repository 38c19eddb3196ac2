/** Operators read private content only after an act with a reason, for an hour, in a browser, and the owner reads of it. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { keysOf } from '../accounts/keys.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import type { Context } from '../context.ts'
import { moderationOf } from '../operators/moderation.ts'
import { openingSeconds, openingsOf } from '../operators/openings.ts'
import { operatorsOf } from '../operators/operators.ts'
import { actingAccount, anonymous, type Caller, type Principal } from '../principal.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { issuer, outcome, signIn } from '../testing/sign-in.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { webhooksOf } from '../webhooks/webhooks.ts'
import { findVisibleCollection } from './find-collection.ts'

const reason = 'A court order.'

describe.each(serviceDatabases)('collections that operators open on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let olga: Caller
  let oskar: Caller
  let ada: Caller
  let time = Date.parse('2026-01-15T10:00:00.000Z')
  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    audit: auditOf(context),
    collections: collectionsOf(context),
    forks: forksOf(context),
    keys: keysOf(context),
    moderation: moderationOf(context),
    openings: openingsOf(context),
    operators: operatorsOf(context),
    webhooks: webhooksOf(context),
  })
  const make = async (slug: string, isPublic = false) => {
    const { id } = await services.collections.create(ada, 'ada', { slug, public: isPublic })
    await addVersion(context, { id })
    return { owner: 'ada', slug }
  }
  const viewOf = async (who: Principal, path: { owner: string; slug: string }, at: Context = context) =>
    findVisibleCollection(at, who, path).then(
      ({ view, role, opening }) => [view, role, opening?.reason],
      (error) => error.code,
    )
  const opened = ['full', null, reason]

  beforeAll(async () => {
    const made = await openContext(database, { now: () => new Date(time) })
    const identities = ['olga', 'oskar'].map((subject) => ({ issuer, subject }))
    context = { ...made, operators: { identities, byClaim: false } }
    services = servicesOf(context)
    olga = await signIn(context, 'olga')
    oskar = await signIn(context, 'oskar')
    ada = await signIn(context, 'ada')
  })
  afterAll(() => context.dispose())

  test('without the act they see nothing, with it all, and other operators still nothing', async () => {
    const { openings, moderation } = services
    const [closed, hidden, open] = [
      await make('closed'),
      await make('hidden', true),
      await make('open', true),
    ]
    await moderation.hide(olga, hidden, 'It names people.')
    const views = async (who: Principal) =>
      Promise.all([closed, hidden, open].map((path) => viewOf(who, path)))
    const others = ['collection_not_found', 'collection_hidden', ['public', null, undefined]]
    for (const who of [olga, oskar, anonymous]) expect(await views(who)).toEqual(others)
    for (const path of [closed, hidden, open]) await openings.open(olga, path, reason)
    expect(await views(olga)).toEqual([opened, opened, opened])
    for (const who of [oskar, anonymous]) expect(await views(who)).toEqual(others)
    expect(await viewOf({ ...olga, view: 'public' }, closed)).toEqual(['public', null, reason])
    // Members read by their role.
    expect(await viewOf(ada, closed)).toEqual(['full', 'owner', undefined])
  })

  test('operators alone may do it, in a browser', async () => {
    const { keys, openings } = services
    const path = await make('kept')
    const { key } = await keys.create(olga, { label: 'k', scope: 'admin' })
    const byKey = await keys.resolve(key, '192.0.2.8')
    const open = (who: Principal, at = path) => outcome(openings.open(who, at, reason))
    expect([await open(anonymous), await open(ada), await open(byKey)]).toEqual([
      ...['unauthenticated', 'not_an_operator', 'session_required'],
    ])
    expect(await open(actingAccount(olga.accountId))).toBe('session_required')
    for (const absent of [
      { owner: 'ada', slug: 'absent' },
      { owner: 'A B', slug: '\0' },
    ])
      expect(await open(olga, absent)).toBe('collection_not_found')
    expect(await viewOf(olga, path)).toBe('collection_not_found')
    await openings.open(olga, path, reason)
    expect(await viewOf(olga, path)).toEqual(opened)
    for (const who of [byKey, actingAccount(olga.accountId)])
      expect(await viewOf(who, path)).toBe('collection_not_found')
  })

  test('it ends after the hour, with the powers of the operator, and with another owner', async () => {
    const { accounts, collections, openings } = services
    const path = await make('lent')
    const { until } = await openings.open(olga, path, reason)
    expect(Date.parse(until)).toBe(time + openingSeconds * 1_000)
    const withoutOperators = { ...context, operators: { identities: [], byClaim: false } }
    expect(await viewOf(olga, path, withoutOperators)).toBe('collection_not_found')
    time += openingSeconds * 1_000 - 1
    expect(await viewOf(olga, path)).toEqual(opened)
    time += 1
    expect(await viewOf(olga, path)).toBe('collection_not_found')
    await openings.open(olga, path, reason)
    expect(await viewOf(olga, path)).toEqual(opened)
    await accounts.createOrg(ada, { slug: 'heirs', displayName: 'Heirs' })
    await collections.transfer(ada, path, 'heirs')
    expect(await viewOf(olga, { ...path, owner: 'heirs' })).toBe('collection_not_found')
    time += openingSeconds * 1_000 + 1
    await expireRows(context)
    expect((await context.database.query('select from operator_openings')).rows).toEqual([])
  })

  test('they change, fork and follow nothing', async () => {
    const { accounts, collections, forks, openings, webhooks } = services
    const path = await make('still')
    await accounts.createOrg(olga, { slug: 'office', displayName: 'Office' })
    await openings.open(olga, path, reason)
    expect(await outcome(collections.patch(olga, path, { name: 'Mine' }))).toBe('not_a_member')
    expect(await outcome(collections.remove(olga, path))).toBe('not_a_member')
    expect(await outcome(forks.create(olga, path, { targetOrg: 'office' }))).toBe('collection_not_found')
    const webhook = { url: 'https://ci.example/', label: 'x' }
    expect(await outcome(webhooks.create(olga, { collection: path }, webhook))).toBe('collection_not_found')
    const { collection } = await findVisibleCollection(context, olga, path)
    const key = { label: 'k', scope: 'read', collectionId: collection.id } as const
    expect(await outcome(services.keys.create(olga, key))).toBe('collection_not_found')
  })

  test('the owner reads of it, with the operator and the reason', async () => {
    const { audit, openings, operators } = services
    const path = await make('watched')
    const { until } = await openings.open(oskar, path, 'A report by a member.')
    const event = {
      ...{ action: 'collection.opened', target: 'ada/watched' },
      actor: { account: 'oskar', ip: '192.0.2.7' },
      details: { reason: 'A report by a member.', until },
    }
    const [own] = (await audit.list(ada, 'ada', { action: 'collection.opened' })).items
    const [all] = (await operators.audit(olga, { action: 'collection.opened' })).items
    expect([own, all]).toMatchObject([event, event])
    const { facts } = context.log.infos.at(-1)!
    expect(facts).toEqual({ event: 'collection.opened', actor: 'oskar', target: 'ada/watched', until })
  })
})
