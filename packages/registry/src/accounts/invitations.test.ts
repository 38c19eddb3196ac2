/** Invitations work once, for the invited user, and until they expire. http-api §11. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Caller } from '../principal.ts'
import { addAccount, addMember, callerOf, openContext, type TestContext } from '../testing/context.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { invitationsOf, type NewInvitation } from './invitations.ts'
import { membersOf } from './members.ts'

describe.each(serviceDatabases)('invitations on $name', (database) => {
  let context: TestContext
  let invitations: ReturnType<typeof invitationsOf>
  let members: ReturnType<typeof membersOf>
  let now = Date.parse('2026-01-15T10:00:00.000Z')
  let number = 0
  const day = 86_400_000

  beforeAll(async () => {
    context = await openContext(database, { now: () => new Date(now++) })
    invitations = invitationsOf(context)
    members = membersOf(context)
  })
  afterAll(() => context.dispose())

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )
  async function stage() {
    const n = ++number
    const org = await addAccount(context, `org-${n}`, 'org')
    const person = async (name: string, role?: 'member' | 'admin' | 'owner'): Promise<Caller> => {
      const user = await addAccount(context, `${name}-${n}`)
      if (role !== undefined) await addMember(context, org, user, role)
      return callerOf(user)
    }
    const owner = await person('owner', 'owner')
    const invite = (wanted: NewInvitation, by = owner) => invitations.create(by, org.slug, wanted)
    const roleOf = (who: Caller) => members.roleOf(who, org.slug)
    return { org, person, owner, invite, roleOf }
  }

  test('a removed member cannot return by an earlier invitation', async () => {
    const { org, person, owner, invite } = await stage()
    const grace = await person('grace')
    const byName = await invite({ user: grace.accountSlug, role: 'admin' })
    const byLink = await invite({ email: 'grace@example.org', role: 'member' })
    await invitations.answer(grace, byLink.token, true)
    await members.remove(owner, { slug: org.slug, user: grace.accountSlug })
    expect(await invitations.own(grace)).toEqual([])
    for (const token of [byName.id, byName.token])
      expect(await outcome(invitations.answer(grace, token, true))).toBe('invitation_not_found')
  })

  test('a demoted or removed member cannot regain a role by an earlier invitation or a link of their own', async () => {
    const { org, person, owner, invite, roleOf } = await stage()
    const grace = await person('grace')
    const path = { slug: org.slug, user: grace.accountSlug }
    const asked = await invite({ user: grace.accountSlug, role: 'admin' })
    await members.set(owner, path, 'admin')
    const mailed = await invite({ email: 'Other@example.org', role: 'admin' }, grace)
    await members.set(owner, path, 'member')
    for (const token of [asked.id, asked.token, mailed.token])
      expect(await outcome(invitations.answer(grace, token, true))).toBe('invitation_not_found')
    expect(await roleOf(grace)).toBe('member')
    // Invitations by an admin who keeps or raises the role stay valid.
    await members.set(owner, path, 'admin')
    const kept = await invite({ email: 'kept@example.org', role: 'member' }, grace)
    await members.set(owner, path, 'admin')
    await members.set(owner, path, 'owner')
    expect(await outcome(invitations.answer(await person('kept'), kept.token, true))).toBe('ok')
    const own = await invite({ email: 'own@example.org', role: 'owner' }, grace)
    const hers = await invite({ email: `${grace.accountSlug.toUpperCase()}@example.org`, role: 'member' })
    await context.database.query('update accounts set email = $2 where id = $1', [
      ...[grace.accountId, `${grace.accountSlug}@example.org`],
    ])
    await members.remove(owner, path)
    for (const { token } of [own, hers])
      expect(await outcome(invitations.answer(grace, token, true))).toBe('invitation_not_found')
  })

  test('a link works once, for the user who signs in with it', async () => {
    const { org, person, owner, invite, roleOf } = await stage()
    const made = await invite({ email: 'grace@example.org', role: 'admin' })
    expect(made).toMatchObject({ role: 'admin', email: 'grace@example.org', user: null })
    expect(made.invitedBy).toBe(owner.accountSlug)
    const { token: _, mailed: __, ...listed } = made
    expect(await invitations.list(owner, org.slug)).toEqual([listed])
    expect(JSON.stringify(await context.database.query('select * from invitations'))).not.toContain(
      made.token,
    )
    const [grace, eve] = [await person('grace'), await person('eve')]
    // Its id is not secret.
    expect(await outcome(invitations.answer(eve, made.id, true))).toBe('invitation_not_found')
    expect(await outcome(invitations.answer(anonymous, made.token, true))).toBe('unauthenticated')
    expect(await outcome(invitations.answer({ ...grace, scope: 'write' }, made.token, true))).toBe(
      'insufficient_scope',
    )
    expect(await outcome(invitations.answer({ ...grace, limitedTo: ['x'] }, made.token, true))).toBe(
      'key_limited',
    )
    expect((await invitations.find(grace, made.token)).org.slug).toBe(org.slug)
    const both = await Promise.all(
      [grace, eve].map((who) => outcome(invitations.answer(who, made.token, true))),
    )
    expect(both.sort()).toEqual(['invitation_not_found', 'ok'])
    expect([await roleOf(grace), await roleOf(eve)].filter((role) => role === 'admin')).toHaveLength(1)
    expect(await invitations.list(owner, org.slug)).toEqual([])
  })

  test('one of a user is for that user alone, who finds it, and may decline', async () => {
    const { org, person, invite, roleOf } = await stage()
    const [grace, eve] = [await person('grace'), await person('eve')]
    const made = await invite({ user: grace.accountSlug, role: 'member' })
    expect(await outcome(invitations.answer(eve, made.token, true))).toBe('invitation_not_found')
    expect(await outcome(invitations.find(eve, made.id))).toBe('invitation_not_found')
    expect(await invitations.own(eve)).toEqual([])
    const [own] = await invitations.own(grace)
    expect(own).toMatchObject({ id: made.id, org: { slug: org.slug }, role: 'member' })
    expect(await invitations.answer(grace, made.id, false)).toEqual({ org: org.slug, collection: null })
    expect([await roleOf(grace), await invitations.own(grace)]).toEqual([null, []])
    // A new invitation replaces an open one.
    await invite({ user: grace.accountSlug, role: 'member' })
    const second = await invite({ user: grace.accountSlug, role: 'admin' })
    expect((await invitations.own(grace)).map(({ role }) => role)).toEqual(['admin'])
    await invitations.answer(grace, second.token, true)
    expect(await roleOf(grace)).toBe('admin')
    expect(await outcome(invite({ user: grace.accountSlug, role: 'member' }))).toBe('already_member')
  })

  test('admins invite, owners alone invite owners; others neither see nor take back', async () => {
    const { org, person, owner, invite } = await stage()
    const [admin, member, stranger] = [
      await person('a', 'admin'),
      await person('m', 'member'),
      await person('s'),
    ]
    const link = (role: 'member' | 'admin' | 'owner') => ({ email: `${role}@example.org`, role })
    expect(await outcome(invite(link('admin'), admin))).toBe('ok')
    expect(await outcome(invite(link('owner'), admin))).toBe('insufficient_role')
    expect(await outcome(invite(link('owner'), owner))).toBe('ok')
    expect(await outcome(invite(link('member'), member))).toBe('insufficient_role')
    expect(await outcome(invite(link('member'), stranger))).toBe('not_a_member')
    expect(await outcome(invite({ user: org.slug, role: 'member' }))).toBe('not_a_user')
    expect(await outcome(invite({ user: 'missing-account', role: 'member' }))).toBe('account_not_found')
    const [, first] = await invitations.list(admin, org.slug)
    for (const [who, code] of [
      [member, 'insufficient_role'],
      [stranger, 'not_a_member'],
    ] as const) {
      expect(await outcome(invitations.list(who, org.slug))).toBe(code)
      expect(await outcome(invitations.remove(who, org.slug, first!.id))).toBe(code)
    }
    const other = await stage()
    expect(await outcome(invitations.remove(other.owner, other.org.slug, first!.id))).toBe(
      'invitation_not_found',
    )
    expect(await outcome(invitations.remove(admin, org.slug, first!.id))).toBe('ok')
    expect(await outcome(invitations.remove(admin, org.slug, 'x'))).toBe('invitation_not_found')
    expect(await outcome(invitations.create(owner, owner.accountSlug, link('member')))).toBe('not_an_org')
  })

  test('an admin ends no invitation that only an owner may make: not by taking back, not by another, not by adding', async () => {
    const { org, person, owner, invite } = await stage()
    const [admin, grace] = [await person('a', 'admin'), await person('grace')]
    const [made, mailed] = [
      await invite({ user: grace.accountSlug, role: 'owner' }),
      await invite({ email: 'heir@example.org', role: 'owner' }),
    ]
    for (const { id } of [made, mailed])
      expect(await outcome(invitations.remove(admin, org.slug, id))).toBe('insufficient_role')
    expect(await outcome(invite({ user: grace.accountSlug, role: 'member' }, admin))).toBe(
      'insufficient_role',
    )
    expect(await outcome(invite({ email: 'heir@example.org', role: 'member' }, admin))).toBe(
      'insufficient_role',
    )
    await members.set(admin, { slug: org.slug, user: grace.accountSlug }, 'member')
    expect((await invitations.own(grace)).map(({ role }) => role)).toEqual(['owner'])
    expect(await outcome(invitations.remove(owner, org.slug, mailed.id))).toBe('ok')
    expect(await outcome(invitations.answer(grace, made.token, true))).toBe('ok')
  })

  test('it ends after 14 days, and there are not too many; a member keeps the higher role', async () => {
    const { org, person, owner, invite, roleOf } = await stage()
    const late = await invite({ email: 'late@example.org', role: 'member' })
    now += 14 * day
    const who = await person('who')
    expect(await outcome(invitations.answer(who, late.token, true))).toBe('invitation_not_found')
    expect(await invitations.list(owner, org.slug)).toEqual([])
    await expireRows(context)
    expect(
      (await context.database.query('select from invitations where org_id = $1', [org.id])).rows,
    ).toEqual([])
    const link = await invite({ email: 'low@example.org', role: 'member' })
    await addMember(context, org, { id: who.accountId }, 'admin')
    // A refused answer of another user leaves the link valid.
    expect(await outcome(invitations.answer(who, link.token, true))).toBe('already_member')
    expect(await roleOf(who)).toBe('admin')
    expect(await outcome(invitations.answer(await person('low'), link.token, true))).toBe('ok')
    for (let n = 0; n < 100; n++) await invite({ email: `${n}@example.org`, role: 'member' })
    expect(await outcome(invite({ email: 'more@example.org', role: 'member' }))).toBe('too_many_invitations')
  })

  test('if new members must consent, adding one sends an invitation', async () => {
    const asking = { ...context, limits: { ...context.limits, newMembers: 'invited' as const } }
    const { org, person, owner, roleOf } = await stage()
    const grace = await person('grace')
    const path = { slug: org.slug, user: grace.accountSlug }
    const made = await membersOf(asking).set(owner, path, 'member')
    expect(made).toMatchObject({ user: { slug: grace.accountSlug } })
    expect(await roleOf(grace)).toBeNull()
    await invitations.answer(grace, made!.id, true)
    expect(await membersOf(asking).set(owner, path, 'admin')).toBeUndefined()
    expect(await roleOf(grace)).toBe('admin')
  })

  test('nor is a member added again who leaves during a change of role', async () => {
    const { org, person, owner, roleOf } = await stage()
    const grace = await person('grace', 'member')
    const path = { slug: org.slug, user: grace.accountSlug }
    let leave: (() => Promise<void>) | undefined = () => members.remove(grace, path)
    const transact: typeof context.database.transact = async (work) => {
      const first = leave
      leave = undefined
      await first?.()
      return context.database.transact(work)
    }
    const limits = { ...context.limits, newMembers: 'invited' as const }
    const asking = { ...context, database: { ...context.database, transact }, limits }
    expect(await membersOf(asking).set(owner, path, 'admin')).toMatchObject({ role: 'admin' })
    expect(await roleOf(grace)).toBeNull()
  })
})
