/** Collaborators: grants on one collection, their invitations and their end. http-api §16. */
import { numberEvents } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findVisibleCollection } from '../access/find-collection.ts'
import type { Grant } from '../access/policy.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import type { Context } from '../context.ts'
import { eventsOf } from '../events/events.ts'
import type { Caller, Principal } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { collaboratorsOf } from './collaborators.ts'
import { invitationsOf } from './invitations.ts'
import { keysOf } from './keys.ts'
import { membersOf } from './members.ts'
import { demandRoom } from './quotas.ts'

describe.each(serviceDatabases)('collaborators on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  /** Services of an operator who set `MEMBERS=invited`. */
  let asking: ReturnType<typeof servicesOf>
  let number = 0
  const servicesOf = (of: Context) => ({
    ...{ audit: auditOf(of), collaborators: collaboratorsOf(of), collections: collectionsOf(of) },
    ...{ events: eventsOf(of, () => 100), forks: forksOf(of), invitations: invitationsOf(of) },
    ...{ keys: keysOf(of), members: membersOf(of) },
  })
  beforeAll(async () => {
    context = await openContext(database)
    services = servicesOf(context)
    asking = servicesOf({ ...context, limits: { ...context.limits, newMembers: 'invited' } })
    await context.jobs.start()
  })
  afterAll(async () => {
    services.events.close()
    asking.events.close()
    await context.dispose()
  })

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )

  /** An organization with an owner, a private collection with a version, and a user without any right there. */
  async function stage() {
    const n = ++number
    const org = await addAccount(context, `acme-${n}`, 'org')
    const boss = await addAccount(context, `boss-${n}`)
    await addMember(context, org, boss, 'owner')
    const grace = await addAccount(context, `grace-${n}`)
    const collection = await addCollection(context, org, { slug: 'trees', public: false })
    await addVersion(context, collection)
    const path = { owner: org.slug, slug: 'trees' }
    const give = (grant: Grant, to = grace, by = callerOf(boss)) =>
      services.collaborators.set(by, { ...path, user: to.slug }, grant)
    const end = (user = grace, by = callerOf(boss)) =>
      services.collaborators.remove(by, { ...path, user: user.slug })
    const see = (who: Principal, at = path) => outcome(findVisibleCollection(context, who, at))
    const acts = async () =>
      (await services.audit.list(callerOf(boss), org.slug, {})).items
        .filter(({ action }) => /^(collaborator|invitation)/.test(action))
        .map(({ action, target, details }) => ({ action, target, details }))
        .reverse()
    return { org, boss: callerOf(boss), grace, her: callerOf(grace), collection, path, give, end, see, acts }
  }

  test('a grant opens one collection, can be changed, and ends; the owner finds each act', async () => {
    const { org, grace, her, path, give, end, see, acts } = await stage()
    const other = await addCollection(context, org, { slug: 'other', public: false })
    expect(await see(her)).toBe('collection_not_found')
    expect(await give('read')).toBeUndefined()
    expect(await findVisibleCollection(context, her, path)).toMatchObject({
      ...{ role: null, grant: 'read', view: 'full' },
    })
    expect(await see(her, { ...path, slug: other.slug })).toBe('collection_not_found')
    // Again changes nothing.
    await give('read')
    await give('write')
    await end()
    expect(await see(her)).toBe('collection_not_found')
    const target = `${org.slug}/trees`
    const user = grace.slug
    expect(await acts()).toEqual([
      { action: 'collaborator.set', target, details: { user, grant: 'read', before: null } },
      { action: 'collaborator.set', target, details: { user, grant: 'write', before: 'read' } },
      { action: 'collaborator.removed', target, details: { user, before: 'write' } },
    ])
  })

  test('what each grant permits, and who gives them', async () => {
    const { boss, her, path, give, grace } = await stage()
    const third = await addAccount(context, `third-${number}`)
    const tries = async () => [
      await outcome(services.collections.patch(her, path, { name: 'Trees' })),
      await outcome(services.collections.patch(her, path, { public: false })),
      await outcome(services.collaborators.access(her, path)),
      await outcome(services.collaborators.set(her, { ...path, user: third.slug }, 'read')),
      await outcome(services.collections.transfer(her, path, grace.slug)),
      await outcome(services.collections.remove(her, path)),
    ]
    const low = 'insufficient_grant'
    for (const grant of ['read', 'write'] as const) {
      await give(grant)
      expect(await tries(), grant).toEqual(Array(6).fill(low))
    }
    await give('admin')
    expect(await tries()).toEqual(['ok', 'ok', 'ok', 'ok', low, low])
    expect(await services.collaborators.counts(callerOf(third), path)).toEqual({
      owner: 'org',
      members: 1,
      collaborators: 2,
    })
    const { collaborators, members, memberCount } = await services.collaborators.access(boss, path)
    expect(collaborators.map(({ account, grant, invitedBy }) => [account.slug, grant, invitedBy])).toEqual([
      [grace.slug, 'admin', boss.accountSlug],
      [third.slug, 'read', grace.slug],
    ])
    expect([memberCount, members.map(({ account, role }) => [account.slug, role])]).toEqual([
      1,
      [[boss.accountSlug, 'owner']],
    ])
    // Keys: none of a limited one sees or changes the list.
    const limited: Caller = {
      ...boss,
      limitedTo: [(await findVisibleCollection(context, boss, path)).collection.id],
    }
    expect(await outcome(services.collaborators.list(limited, path))).toBe('key_limited')
  })

  test('a collaborator forks only what is public throughout, also if it is the collection of a private owner', async () => {
    const { her, path, give, grace } = await stage()
    const lab = await addAccount(context, `lab-${number}`, 'org')
    await addMember(context, lab, grace, 'owner')
    await give('admin')
    const fork = () => outcome(services.forks.create(her, path, { targetOrg: lab.slug, slug: 'copy' }))
    expect(await fork()).toBe('private_content')
    await services.collections.patch(her, path, { public: true })
    expect(await fork()).toBe('ok')
  })

  test('an organization that lets only its admins open collections holds to it for collaborators', async () => {
    const { org, her, path, give } = await stage()
    await give('admin')
    await context.database.query('update accounts set members_may_change_visibility = false where id = $1', [
      org.id,
    ])
    expect(await outcome(services.collections.patch(her, path, { public: true }))).toBe('insufficient_role')
  })

  test('the owner cannot be one; organizations neither; a member may get a higher grant', async () => {
    const { org, boss, path, give } = await stage()
    const member = await addAccount(context, `member-${number}`)
    await addMember(context, org, member, 'member')
    expect(await outcome(give('read', org))).toBe('not_a_user')
    expect(await outcome(services.collaborators.set(boss, { ...path, user: 'not-there' }, 'read'))).toBe(
      'account_not_found',
    )
    await give('admin', member)
    const him = callerOf(member)
    expect(await outcome(services.collaborators.access(him, path))).toBe('ok')
    const own = await addCollection(context, member, { slug: 'own', public: false })
    const ofOwn = { owner: member.slug, slug: own.slug, user: member.slug }
    expect(await outcome(services.collaborators.set(him, ofOwn, 'read'))).toBe('already_member')
  })

  test('a collaborator leaves; others are removed by managers alone, and once', async () => {
    const { her, path, give, end, see, grace } = await stage()
    const third = await addAccount(context, `third-${number}`)
    await give('read')
    await give('read', third)
    expect(await outcome(end(third, her))).toBe('insufficient_grant')
    const readKey = { ...her, scope: 'write' as const }
    expect(await outcome(services.collaborators.remove(readKey, { ...path, user: grace.slug }))).toBe(
      'insufficient_scope',
    )
    expect(await outcome(end(grace, her))).toBe('ok')
    expect(await see(her)).toBe('collection_not_found')
    expect(await outcome(end(grace, her))).toBe('collection_not_found')
    expect(await outcome(end(grace))).toBe('collaborator_not_found')
  })

  test('with MEMBERS=invited a user consents first, and may decline', async () => {
    const { org, boss, grace, her, path, see, acts } = await stage()
    const one = { ...path, user: grace.slug }
    const made = await asking.collaborators.set(boss, one, 'write')
    expect(made).toMatchObject({ grant: 'write', user: { slug: grace.slug }, invitedBy: boss.accountSlug })
    expect(await see(her)).toBe('collection_not_found')
    const [own] = await asking.invitations.own(her)
    expect(own).toMatchObject({
      ...{ id: made!.id, role: 'collaborator', org: { slug: org.slug } },
      collection: { owner: org.slug, slug: 'trees', grant: 'write' },
    })
    // The list of the organization's own invitations lacks it; its address there cannot take it back.
    expect(await asking.invitations.list(boss, org.slug)).toEqual([])
    expect(await outcome(asking.invitations.remove(boss, org.slug, made!.id))).toBe('invitation_not_found')
    const stranger = callerOf(await addAccount(context, `stranger-${number}`))
    expect(await outcome(asking.invitations.answer(stranger, made!.token, true))).toBe('invitation_not_found')
    expect((await asking.collaborators.access(boss, path)).invitations.map(({ id }) => id)).toEqual([
      made!.id,
    ])
    expect(await asking.invitations.answer(her, made!.id, true)).toEqual({
      ...{ org: org.slug, collection: `${org.slug}/trees` },
    })
    expect(await see(her)).toBe('ok')
    // A change of the grant needs no consent.
    expect(await asking.collaborators.set(boss, one, 'read')).toBeUndefined()
    await asking.collaborators.remove(boss, one)
    const again = await asking.collaborators.set(boss, one, 'read')
    await asking.invitations.answer(her, again!.id, false)
    expect(await see(her)).toBe('collection_not_found')
    const last = await asking.collaborators.set(boss, one, 'admin')
    await asking.collaborators.remove(boss, one)
    expect(await outcome(asking.invitations.answer(her, last!.token, true))).toBe('invitation_not_found')
    expect((await acts()).map(({ action }) => action)).toEqual([
      ...['collaborator.invited', 'collaborator.set', 'collaborator.set', 'collaborator.removed'],
      ...['collaborator.invited', 'invitation.declined', 'collaborator.invited', 'invitation.removed'],
    ])
  })

  test('a lower grant, a removal and a transfer end the invitations that they must not outlive', async () => {
    const { boss, her, path, give, end } = await stage()
    const third = await addAccount(context, `third-${number}`)
    const invite = (by: Caller) => asking.collaborators.set(by, { ...path, user: third.slug }, 'read')
    const accept = (made: Awaited<ReturnType<typeof invite>>) =>
      outcome(asking.invitations.answer(callerOf(third), made!.token, true))
    await give('admin')
    const first = await invite(her)
    await give('write')
    expect(await accept(first)).toBe('invitation_not_found')
    await give('admin')
    const second = await invite(her)
    await end()
    expect(await accept(second)).toBe('invitation_not_found')
    const fourth = await invite(boss)
    await services.collections.transfer(boss, path, boss.accountSlug)
    expect(await accept(fourth)).toBe('invitation_not_found')
  })

  test('a transfer keeps collaborators and counts them in the log; the new owner needs no grant', async () => {
    const { org, boss, her, grace, path, give, see } = await stage()
    await give('write')
    await services.collections.transfer(boss, path, boss.accountSlug)
    const moved = { ...path, owner: boss.accountSlug }
    expect(await see(her, moved)).toBe('ok')
    const { items } = await services.audit.list(boss, org.slug, {})
    expect(items.find(({ action }) => action === 'collection.transferred')?.details).toMatchObject({
      collaborators: 1,
    })
    // A grant of the new owner would outlive the ownership.
    await services.collaborators.set(boss, { ...moved, user: grace.slug }, 'admin')
    const lab = await addAccount(context, `lab-${number}`, 'org')
    for (const who of [boss, her]) await addMember(context, lab, { id: who.accountId }, 'owner')
    await services.collections.transfer(boss, moved, lab.slug)
    await services.collections.transfer(her, { ...moved, owner: lab.slug }, grace.slug)
    expect((await services.collaborators.access(her, { ...moved, owner: grace.slug })).collaborators).toEqual(
      [],
    )
  })

  test('a removal from the organization ends the grants on its collections', async () => {
    const { org, boss, path, give, see } = await stage()
    const member = await addAccount(context, `member-${number}`)
    await addMember(context, org, member, 'member')
    await give('admin', member)
    await services.members.remove(boss, { slug: org.slug, user: member.slug })
    expect(await see(callerOf(member))).toBe('collection_not_found')
    expect((await services.collaborators.access(boss, path)).collaborators).toEqual([])
  })

  test('a collaborator who meets the quota learns no figures of the owner', async () => {
    const { org, boss, her, give } = await stage()
    await give('write')
    await context.database.query('update accounts set quota_bytes = 5 where id = $1', [org.id])
    const refusalOf = (who: Caller) =>
      demandRoom(context, context.database, { who, owner: org }, { more: 10 }).catch((error) => error)
    expect(await refusalOf(boss)).toMatchObject({ code: 'quota_exceeded', details: { quotaBytes: 5 } })
    expect(await refusalOf(her)).toMatchObject({ code: 'quota_exceeded', details: {} })
    expect((await refusalOf(her)).details).toEqual({})
  })

  test('lists, keys and events of a collaborator', async () => {
    const { org, boss, her, collection, give, end } = await stage()
    await give('read')
    const mine = async () => (await services.collections.mine(her, {})).items.map(({ slug }) => slug)
    const ofOwner = async (who: Principal = her) =>
      (await services.collections.list(who, org.slug, {})).items.map(({ slug }) => slug)
    expect([await mine(), await ofOwner()]).toEqual([['trees'], ['trees']])
    const { key } = await services.keys.create(her, {
      label: 'k',
      scope: 'read',
      collectionId: collection.id,
    })
    const limited = await services.keys.resolve(key)
    expect(await ofOwner(limited)).toEqual(['trees'])
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    const kinds = async (who: Principal) =>
      (await services.events.list(who, { after: 0, collection: `${org.slug}/trees` })).events.map(
        ({ kind }) => kind,
      )
    const all = await kinds(boss)
    expect(all).toContain('collection.made')
    expect(await kinds(her)).toEqual(all)
    expect(await kinds(limited)).toEqual(all)
    // Without the filter by collection, too: nothing else of the owner is in it.
    const names = async (who: Principal) =>
      new Set(
        (await services.events.list(who, { after: 0 })).events.map(
          ({ collection: at }) => `${at.owner}/${at.slug}`,
        ),
      )
    await addCollection(context, org, { slug: 'other', public: false })
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    expect([
      (await names(boss)).has(`${org.slug}/other`),
      (await names(her)).has(`${org.slug}/other`),
    ]).toEqual([true, false])
    await end()
    expect([await mine(), await ofOwner()]).toEqual([[], []])
    expect((await names(her)).has(`${org.slug}/trees`)).toBe(false)
  })

  test('a collection has at most 100, also by two requests at once', async () => {
    const { boss, collection, path } = await stage()
    const users = await Promise.all(
      Array.from({ length: 102 }, (_, i) => addAccount(context, `crowd-${number}-${i}`)),
    )
    for (const { id } of users.slice(0, 99))
      await context.database.query("insert into collaborators values ($1, $2, 'read', now(), $2)", [
        collection.id,
        id,
      ])
    const set = (user: { slug: string }) =>
      outcome(services.collaborators.set(boss, { ...path, user: user.slug }, 'read'))
    const results = await Promise.all([set(users[99]!), set(users[100]!), set(users[101]!)])
    expect(results.sort()).toEqual(['ok', 'too_many_collaborators', 'too_many_collaborators'])
    // A change of one that is there is no addition.
    expect(await set(users[0]!)).toBe('ok')
  })
})
