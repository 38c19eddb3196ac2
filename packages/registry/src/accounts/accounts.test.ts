/** http-api §2 (first sign-in) and §3 (accounts, members), on real databases. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reservedAccountSlugs } from '../access/slugs.ts'
import { type Collections, collectionsOf } from '../collections/collections.ts'
import { MovedError } from '../errors/errors.ts'
import { anonymous, type Caller, type Scope } from '../principal.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { type Accounts, accountsOf, type Identity } from './accounts.ts'
import { type Members, membersOf } from './members.ts'

describe.each(anyDatabase)('accounts on $name', (database) => {
  let context: TestContext
  let accounts: Accounts
  let members: Members
  let collections: Collections
  beforeAll(async () => {
    context = await openContext(database)
    accounts = accountsOf(context)
    members = membersOf(context)
    collections = collectionsOf(context)
    await context.jobs.start()
  })
  afterAll(() => context.dispose())

  let subjects = 0
  const identity = (about: Partial<Identity>): Identity => ({
    ...{
      issuer: 'https://login.example',
      subject: `s${subjects++}`,
      preferredUsername: null,
      email: null,
      name: null,
    },
    ...about,
  })
  const user = async (
    name: string,
    scope: Scope = 'admin',
    limitedTo: readonly string[] | null = null,
  ): Promise<Caller> => {
    const account = await accounts.signIn(identity({ preferredUsername: name }))
    const { id: accountId, slug: accountSlug } = account
    return { kind: 'session', accountId, accountSlug, scope, limitedTo, credential: null, expiresAt: null }
  }
  const org = async (owner: Caller, slug: string) => accounts.createOrg(owner, { slug, displayName: slug })
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: { code?: string; to?: { owner: string } }) => error.code ?? `moved ${error.to?.owner}`,
    )

  describe('signing in', () => {
    test.each([
      [{ preferredUsername: 'Zoë Q' }, 'zoe-q', 'Zoë Q'],
      [{ preferredUsername: 'post@corp.example', name: 'Post' }, 'post', 'Post'],
      [{ email: 'local.part@corp.example' }, 'local-part', 'local-part'],
      [{ preferredUsername: '李', email: '王@corp.example', name: 'Li Wang' }, 'li-wang', 'Li Wang'],
      [{ name: '李\u0000\n王' }, 'user-2', '李 王'],
      [{ preferredUsername: 'settings' }, 'settings-2', 'settings'],
    ] as [Partial<Identity>, string, string][])('%j becomes %s', async (about, slug, displayName) => {
      expect(await accounts.signIn(identity(about))).toMatchObject({ slug, displayName, type: 'user' })
    })

    test('the identity decides, never the e-mail', async () => {
      const email = 'same@corp.example'
      const first = await accounts.signIn(identity({ email, issuer: 'https://a.example', subject: 'x' }))
      const other = await accounts.signIn(identity({ email, issuer: 'https://b.example', subject: 'x' }))
      expect(other.id).not.toBe(first.id)
      expect(other.slug).toBe('same-2')
      const again = await accounts.signIn(
        identity({ email: 'new@corp.example', issuer: 'https://a.example', subject: 'x' }),
      )
      expect(again.id).toBe(first.id)
    })

    test('one new identity, twelve times at once, is one account', async () => {
      const racing = identity({ preferredUsername: 'racer' })
      const made = await Promise.all(Array.from({ length: 12 }, () => accounts.signIn(racing)))
      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
      expect((await accounts.signIn(identity({ preferredUsername: 'racer' }))).slug).toBe('racer-2')
    })

    test('twelve new identities of one name at once get twelve slugs', async () => {
      const made = await Promise.all(
        Array.from({ length: 12 }, () => accounts.signIn(identity({ preferredUsername: 'twin' }))),
      )
      const wanted = ['twin', ...Array.from({ length: 11 }, (_, i) => `twin-${i + 2}`)]
      expect(made.map(({ slug }) => slug).sort()).toEqual(wanted.sort())
    })
  })

  describe('organizations', () => {
    test('the caller is the owner; slugs are checked', async () => {
      const ann = await user('org-maker')
      const made = await org(ann, 'acme')
      expect(made).toMatchObject({ slug: 'acme', type: 'org', displayName: 'acme' })
      expect((await members.membershipsOf(ann)).items).toEqual([{ account: made, role: 'owner' }])
      expect(await codeOf(org(ann, 'acme'))).toBe('slug_taken')
      expect(await codeOf(org(ann, 'org-maker'))).toBe('slug_taken')
      expect(await codeOf(org(ann, [...reservedAccountSlugs][0]!))).toBe('reserved_slug')
      expect(await codeOf(org(ann, 'a\0b'))).toBe('invalid_slug')
      expect(await codeOf(org({ ...ann, scope: 'write' }, 'beta'))).toBe('insufficient_scope')
      expect(await codeOf(org({ ...ann, limitedTo: [ann.accountId] }, 'beta'))).toBe('key_limited')
      expect(await codeOf(accounts.createOrg(anonymous, { slug: 'beta', displayName: 'b' }))).toBe(
        'unauthenticated',
      )
    })

    test('of ten who want one slug at once, one gets it', async () => {
      const ann = await user('slug-racer')
      const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(org(ann, 'wanted'))))
      expect(codes.filter((code) => code === 'ok')).toHaveLength(1)
      expect(codes.filter((code) => code === 'slug_taken')).toHaveLength(9)
    })
  })

  describe('renaming', () => {
    test('a former slug leads on, through several renamings, until the account takes it back', async () => {
      const ann = await user('renamer')
      await org(ann, 'one')
      await accounts.update(ann, 'one', { slug: 'two' })
      await accounts.update(ann, 'two', { slug: 'three', displayName: 'Three' })
      expect(await codeOf(accounts.profile('one'))).toBe('moved three')
      expect(await codeOf(accounts.profile('two'))).toBe('moved three')
      await expect(accounts.update(ann, 'one', {})).rejects.toBeInstanceOf(MovedError)
      expect((await accounts.profile('three')).displayName).toBe('Three')
      expect(await codeOf(org(ann, 'one'))).toBe('slug_kept')
      await accounts.update(ann, 'three', { slug: 'two' })
      expect((await accounts.profile('two')).displayName).toBe('Three')
      expect(await codeOf(accounts.profile('three'))).toBe('moved two')
    })

    test('a slug that is taken or reserved is refused, and nothing else is changed', async () => {
      const ann = await user('stayer')
      await org(ann, 'stays')
      await org(ann, 'taken')
      expect(await codeOf(accounts.update(ann, 'stays', { slug: 'taken', displayName: 'No' }))).toBe(
        'slug_taken',
      )
      expect(await codeOf(accounts.update(ann, 'stays', { slug: 'api' }))).toBe('reserved_slug')
      expect((await accounts.profile('stays')).displayName).toBe('stays')
    })

    test('users rename themselves, admins their organization, others neither', async () => {
      const [ann, ben] = [await user('self-namer'), await user('other-namer')]
      await accounts.update(ann, ann.accountSlug, { displayName: 'Me' })
      expect(await codeOf(accounts.update(ben, ann.accountSlug, { displayName: 'Him' }))).toBe('not_a_member')
      await org(ann, 'named')
      await members.set(ann, { slug: 'named', user: ben.accountSlug }, 'member')
      expect(await codeOf(accounts.update(ben, 'named', { displayName: 'X' }))).toBe('insufficient_role')
      await members.set(ann, { slug: 'named', user: ben.accountSlug }, 'admin')
      expect(await codeOf(accounts.update(ben, 'named', { displayName: 'X' }))).toBe('ok')
      expect(await codeOf(accounts.update(ben, 'nowhere', { displayName: 'X' }))).toBe('account_not_found')
      expect(await codeOf(accounts.update(ben, 'a\0b', { displayName: 'X' }))).toBe('account_not_found')
    })
  })

  describe('deleting', () => {
    test('owners only, not with collections, not the last owner of an organization', async () => {
      const [ann, ben] = [await user('deleter'), await user('helper')]
      await org(ann, 'doomed')
      await members.set(ann, { slug: 'doomed', user: ben.accountSlug }, 'admin')
      expect(await codeOf(accounts.remove(ben, 'doomed'))).toBe('insufficient_role')
      await collections.create(ann, 'doomed', { slug: 'c' })
      expect(await codeOf(accounts.remove(ann, 'doomed'))).toBe('has_collections')
      expect(await codeOf(accounts.remove(ann, ann.accountSlug))).toBe('last_owner')
      await collections.remove(ann, { owner: 'doomed', slug: 'c' })
      expect(await codeOf(accounts.remove(ann, 'doomed'))).toBe('ok')
      expect(await codeOf(accounts.profile('doomed'))).toBe('account_not_found')
      expect(await codeOf(accounts.remove(ann, ann.accountSlug))).toBe('ok')
      expect(await codeOf(accounts.own(ann))).toBe('unauthenticated')
    })
  })

  describe('members', () => {
    test('the table of roles that each role may grant', async () => {
      const slug = 'club'
      const [owner, admin, member, stranger, guest] = [
        await user('c-owner'),
        await user('c-admin'),
        await user('c-member'),
        await user('c-stranger'),
        await user('c-guest'),
      ]
      await org(owner, slug)
      await members.set(owner, { slug, user: admin.accountSlug }, 'admin')
      await members.set(admin, { slug, user: member.accountSlug }, 'member')
      const path = { slug, user: guest.accountSlug }
      expect(await codeOf(members.set(stranger, path, 'member'))).toBe('not_a_member')
      expect(await codeOf(members.set(member, path, 'member'))).toBe('insufficient_role')
      expect(await codeOf(members.set(admin, path, 'owner'))).toBe('insufficient_role')
      expect(await codeOf(members.set(admin, { slug, user: admin.accountSlug }, 'owner'))).toBe(
        'insufficient_role',
      )
      expect(await codeOf(members.remove(admin, { slug, user: owner.accountSlug }))).toBe('insufficient_role')
      expect(await codeOf(members.set(admin, { slug, user: owner.accountSlug }, 'member'))).toBe(
        'insufficient_role',
      )
      expect(await codeOf(members.remove(member, { slug, user: admin.accountSlug }))).toBe(
        'insufficient_role',
      )
      expect(await codeOf(members.set(admin, path, 'admin'))).toBe('ok')
      expect(await codeOf(members.set(admin, path, 'admin'))).toBe('ok')
      expect(await codeOf(members.set(admin, { slug, user: 'missing-account' }, 'member'))).toBe(
        'account_not_found',
      )
      expect(await codeOf(members.set(admin, { slug, user: slug }, 'member'))).toBe('not_a_user')
      expect(await codeOf(members.set(admin, { slug: admin.accountSlug, user: 'c-guest' }, 'member'))).toBe(
        'not_an_org',
      )
      expect(await codeOf(members.remove(admin, { slug, user: stranger.accountSlug }))).toBe(
        'member_not_found',
      )
      expect(await codeOf(members.list(stranger, slug))).toBe('not_a_member')
      expect(await codeOf(members.list(anonymous, slug))).toBe('unauthenticated')
      expect(
        await codeOf(members.remove({ ...member, scope: 'write' }, { slug, user: member.accountSlug })),
      ).toBe('insufficient_scope')
      const { items } = await members.list(member, slug)
      expect(items.map(({ account, role }) => [account.slug, role])).toEqual([
        ['c-admin', 'admin'],
        ['c-guest', 'admin'],
        ['c-member', 'member'],
        ['c-owner', 'owner'],
      ])
      expect(await codeOf(members.remove(member, { slug, user: member.accountSlug }))).toBe('ok')
      expect(await codeOf(members.list(member, slug))).toBe('not_a_member')
    })

    test('pages reach every member once, forwards and back', async () => {
      const owner = await user('p-owner')
      await org(owner, 'paged')
      for (let i = 0; i < 6; i++)
        await members.set(owner, { slug: 'paged', user: (await user('p-user')).accountSlug }, 'member')
      const all = (await members.list(owner, 'paged')).items
      const seen = []
      let page = await members.list(owner, 'paged', { limit: 3 })
      const first = page.items
      for (;;) {
        seen.push(...page.items)
        if (page.links.next === undefined) break
        page = await members.list(owner, 'paged', {
          limit: 3,
          cursor: new URLSearchParams(page.links.next).get('cursor')!,
        })
      }
      expect(seen).toEqual(all)
      const second = await members.list(owner, 'paged', { limit: 3, offset: 3 })
      expect(second.items).toEqual(all.slice(3, 6))
      const back = await members.list(owner, 'paged', { limit: 3, offset: 0 })
      expect(back.items).toEqual(first)
    })

    test('two last owners who leave at once: one stays', async () => {
      for (let round = 0; round < 5; round++) {
        const [ann, ben] = [await user('l-one'), await user('l-two')]
        const slug = `pair-${round}`
        await org(ann, slug)
        await members.set(ann, { slug, user: ben.accountSlug }, 'owner')
        const codes = await Promise.all([
          codeOf(members.remove(ann, { slug, user: ann.accountSlug })),
          codeOf(
            round % 2
              ? accounts.remove(ben, ben.accountSlug)
              : members.set(ben, { slug, user: ben.accountSlug }, 'member'),
          ),
        ])
        expect(codes.sort()).toEqual(['last_owner', 'ok'])
      }
    })
  })
})
