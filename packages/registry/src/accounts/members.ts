/**
 * Members of organizations: user, role, and date of joining. http-api §3. Every change locks the organization, so that it keeps an
 * owner, and ends the invitations that the change makes invalid.
 */

import {
  type AccountRow,
  deleteMember,
  dropInvitationsBy,
  dropInvitationsOf,
  findAccountBySlug,
  findMemberRole,
  listMembers,
  listMemberships,
  lockAccount,
  type MemberItem,
  putMember,
  type SlugSlice,
  type Tx,
} from '@ulmus/storage'
import type { Member, MemberPath, Membership } from '@ulmus/wire'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { demandAnotherOwner, roleIn } from '../access/membership.ts'
import { actsAs, mayChangeMember, mayListMembers, type Role, roleCovers } from '../access/policy.ts'
import { isAccountSlug } from '../access/slugs.ts'
import { byText, mapPage, type Page, type PageAsk, pageOf } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { profileOf } from './accounts.ts'
import { endGrantsIn } from './collaborators.ts'
import { invite, type MadeInvitation } from './invitations.ts'
import { demandOrg, demandUser } from './organizations.ts'

const bySlug = byText('slug')
const placeOf = ({ account }: MemberItem) => ({ value: account.slug, id: account.id })

export type Members = ReturnType<typeof membersOf>

export function membersOf(context: Context) {
  const { database } = context
  return {
    /** The caller's organizations, by slug; for a limited key, only the owner of its collection. */
    async membershipsOf(who: Principal, ask: PageAsk = {}): Promise<Page<Membership>> {
      const { accountId, limitedTo } = demandCaller(who)
      const list = (slice: SlugSlice) => listMemberships(database, accountId, slice, limitedTo)
      const page = await pageOf(ask, bySlug, list, placeOf)
      return mapPage(page, ({ account, role }) => ({ account: profileOf(account), role }))
    },

    /** The caller's role in an account; null: none. @throws account_not_found, MovedError */
    async roleOf(who: Principal, slug: string): Promise<Role | null> {
      return (await findVisibleAccount(context, who, slug)).role
    },

    /** Lists the members by slug, for members. @throws account_not_found, MovedError, not_an_org, key_limited, not_a_member */
    async list(who: Principal, slug: string, ask: PageAsk = {}): Promise<Page<Member>> {
      const { account: org, role } = await findVisibleAccount(context, who, slug)
      demandOrg(org)
      demand(mayListMembers(who, role), { owner: slug })
      const page = await pageOf(ask, bySlug, (slice) => listMembers(database, org.id, slice), placeOf)
      return mapPage(page, (row) => ({
        account: profileOf(row.account),
        role: row.role,
        since: instantText(row.since),
      }))
    },

    /**
     * Makes a user a member, or changes a member's role; the same role again changes nothing. Ends invitations of that user;
     * after a demotion, also those that the user made.
     * @returns the invitation, if the operator requires the consent of new members
     * @throws account_not_found, MovedError, not_an_org, not_a_member, insufficient_role, not_a_user, last_owner, too_many_invitations
     */
    async set(who: Principal, path: MemberPath, role: Role): Promise<MadeInvitation | undefined> {
      const mustAsk = context.limits.newMembers === 'invited'
      const ask = () => invite(context, who, path.slug, { user: path.user, role })
      if (mustAsk && !(await isMember(context, path))) return ask()
      const changed = change(context, who, path, role, async (tx, { org, user, current }, tell) => {
        if (current === null && mustAsk) throw new GoneMeanwhileError()
        if (current === 'owner' && role !== 'owner') await demandAnotherOwner(tx, org)
        const member = { orgId: org.id, userId: user.id, role, since: context.now() }
        await onMissingRow('account_not_found', { slug: user.slug }, () => putMember(tx, member))
        // Membership replaces the user's pending invitations, except those to a role that the caller could not give.
        await dropInvitationsOf(tx, org.id, user, actsAs(who, await roleIn(tx, who, org), 'owner'))
        if (!roleCovers(role, current ?? 'member')) await dropInvitationsBy(tx, org.id, user.id)
        if (current !== role)
          tell({
            action: 'member.set',
            account: org.id,
            target: user.slug,
            details: { role, before: current },
          })
      })
      return changed.then(
        () => undefined,
        (error) => {
          if (error instanceof GoneMeanwhileError) return ask()
          throw error
        },
      )
    },

    /**
     * Removes a member; a member may leave. Ends invitations of that user and those that the user made, and the user's grants on
     * collections of the organization.
     * @throws account_not_found, MovedError, not_an_org, not_a_member, insufficient_role, not_a_user, member_not_found, last_owner
     */
    async remove(who: Principal, path: MemberPath): Promise<void> {
      await change(context, who, path, null, async (tx, { org, user, current }, tell) => {
        if (current === null)
          throw new RegistryError('member_not_found', { say: { user: user.slug, org: org.slug } })
        if (current === 'owner') await demandAnotherOwner(tx, org)
        await deleteMember(tx, org.id, user.id)
        // A removed member must not return through an earlier invitation or a link of their own.
        await dropInvitationsOf(tx, org.id, user, true)
        await dropInvitationsBy(tx, org.id, user.id)
        await endGrantsIn(tx, org, user, tell)
        tell({ action: 'member.removed', account: org.id, target: user.slug, details: { before: current } })
      })
    },
  }
}

/** The member left before the role could change. */
class GoneMeanwhileError extends Error {}

/** Locks the organization, so that roles cannot change and two owners cannot both leave as the last. */
async function change(
  context: Context,
  who: Principal,
  path: MemberPath,
  given: Role | null,
  work: (
    tx: Tx,
    about: { org: AccountRow; user: AccountRow; current: Role | null },
    tell: Tell,
  ) => Promise<void>,
): Promise<void> {
  const seen = await findVisibleAccount(context, who, path.slug)
  demandOrg(seen.account)
  await audited(context, who, async (tx, tell) => {
    const org = await lockAccount(tx, seen.account.id)
    if (org === undefined) throw new RegistryError('account_not_found', { say: { slug: path.slug } })
    await demandCredential(context, tx, demandCaller(who))
    const role = await roleIn(tx, who, org)
    const permitted = (target: Role, self: boolean) => {
      const needed = target === 'owner' ? 'owner' : 'admin'
      demand(mayChangeMember(who, role, { target, self, removal: given === null }), {
        owner: org.slug,
        needed,
      })
    }
    const self = who.kind !== 'anonymous' && who.accountSlug === path.user
    permitted(given ?? 'member', self)
    const user = await demandUser(tx, path.user)
    const current = await findMemberRole(tx, org.id, user.id)
    permitted(higher(current, given), who.kind !== 'anonymous' && who.accountId === user.id)
    await work(tx, { org, user, current }, tell)
  })
}

async function isMember({ database }: Context, path: MemberPath): Promise<boolean> {
  const find = async (slug: string) => (isAccountSlug(slug) ? findAccountBySlug(database, slug) : undefined)
  const [org, user] = await Promise.all([find(path.slug), find(path.user)])
  if (org === undefined || user === undefined) return false
  return (await findMemberRole(database, org.id, user.id)) !== null
}

const higher = (current: Role | null, given: Role | null): Role =>
  current !== null && (given === null || roleCovers(current, given)) ? current : (given ?? 'member')
