/**
 * Invitations to organizations and to single collections. http-api §11, §16.
 *
 *     made ──▶ pending ── accepted by the invitee ──▶ member or collaborator, gone
 *                 └── declined, taken back, or 14 days later ──▶ gone
 *
 * The inviter passes the link on; the server also mails it, if it sends mail. Its token is returned once and works once, for any user who
 * signs in with it. An invitation of a user works only for that user, who may also answer it by its id.
 */

import {
  type AccountRow,
  deleteInvitation,
  findAccountById,
  findAccountNames,
  findCollectionById,
  findInvitation,
  findMemberRole,
  type InvitationItem,
  type InvitationRow,
  listInvitations,
  listInvitationsOf,
} from '@ulmus/storage'
import type { AnsweredInvitation, Invitation, OwnInvitation } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { roleIn } from '../access/membership.ts'
import { mayChangeMember, mayManageAccount, type Role } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { profileOf } from './accounts.ts'
import { answerInvitation, findInvitationFor, lockOrg, roleOf } from './invitation-answers.ts'
import { makeInvitation, pendingMax } from './invitation-making.ts'
import { demandOrg, demandUser } from './organizations.ts'

/** Invitation to make. Has either `user` or `email`. */
export interface NewInvitation {
  /** Slug of the invited user. Alternative: `email`. */
  user?: string | undefined
  email?: string | undefined
  role: Role
}

interface Common {
  readonly id: string
  /** Slug; null if the account is gone. */
  readonly invitedBy: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

/** Only this result contains the token. */
export type MadeInvitation = Invitation & { readonly token: string; readonly mailed: boolean }

export type Invitations = ReturnType<typeof invitationsOf>

export function invitationsOf(context: Context) {
  const { database } = context
  return {
    /**
     * Invites a user, or anyone with an e-mailed link. Replaces an earlier invitation of the same user or address.
     * @throws account_not_found, MovedError, not_an_org, not_a_member, insufficient_role, not_a_user, already_member, too_many_invitations
     */
    create: (who: Principal, slug: string, wanted: NewInvitation): Promise<MadeInvitation> =>
      invite(context, who, slug, wanted),

    /**
     * Lists the pending invitations, the newest first; at most 100.
     * @throws account_not_found, MovedError, not_an_org, insufficient_role
     */
    async list(who: Principal, slug: string): Promise<Invitation[]> {
      const { account, role } = await findVisibleAccount(context, who, slug)
      demandOrg(account)
      demand(mayManageAccount(who, role), { owner: slug, needed: 'admin' })
      const items = await listInvitations(database, account.id, context.now())
      const slugOf = await slugsOf(context, inviters(items))
      return items.map((item) => invitationOf(item, slugOf))
    },

    /** Withdraws an invitation. @throws account_not_found, MovedError, not_an_org, insufficient_role, invitation_not_found */
    remove: (who: Principal, slug: string, id: string): Promise<void> => takeBack(context, who, slug, id),

    /** The caller's invitations. An invitation by e-mail belongs to no user until a user follows its link. */
    async own(who: Principal): Promise<OwnInvitation[]> {
      const { accountId } = demandCaller(who)
      const items = await listInvitationsOf(database, accountId, context.now())
      const slugOf = await slugsOf(context, inviters(items))
      return Promise.all(
        items.map(({ invitation, account }) => ownInvitationOf(context, invitation, account!, slugOf)),
      )
    },

    /** The invitation behind a link, for a user who may answer it. @throws unauthenticated, invitation_not_found */
    async find(who: Principal, token: string): Promise<OwnInvitation> {
      const invitation = await findInvitationFor(context, demandCaller(who), token)
      const org = await findAccountById(database, invitation.orgId)
      if (org === undefined) throw new RegistryError('invitation_not_found')
      return ownInvitationOf(context, invitation, org, await slugsOf(context, [invitation.invitedBy]))
    },

    /**
     * Joins the organization or the collection, or declines. Both use the invitation up, except that accepting is refused if the user
     * already has its role or grant or a higher one.
     * @param token of the link, or the id of an invitation of the caller
     * @throws insufficient_scope, key_limited, invitation_not_found, already_member, already_collaborator, too_many_collaborators
     */
    answer: (who: Principal, token: string, accept: boolean): Promise<AnsweredInvitation> =>
      answerInvitation(context, who, token, accept),
  }
}

/** Makes an invitation, which replaces an earlier one for the same user or address. `members.ts` calls it, too. */
export async function invite(
  context: Context,
  who: Principal,
  slug: string,
  { user, email, role }: NewInvitation,
): Promise<MadeInvitation> {
  const seen = await findVisibleAccount(context, who, slug)
  demandOrg(seen.account)
  const caller = demandCaller(who)
  const made = await audited(context, who, async (tx, tell) => {
    const org = await lockOrg(tx, seen.account)
    await demandCredential(context, tx, caller)
    const change = { target: role, self: false, removal: false }
    const needed = role === 'owner' ? 'owner' : 'admin'
    demand(mayChangeMember(who, await roleIn(tx, who, org), change), { owner: org.slug, needed })
    const invited = user === undefined ? null : await demandUser(tx, user)
    if (invited !== null && (await findMemberRole(tx, org.id, invited.id)) !== null)
      throw new RegistryError('already_member', { say: { user, org: org.slug } })
    const pending = await listInvitations(tx, org.id, context.now())
    for (const { invitation } of pending)
      if (isSame(invitation, invited, email)) demandMayEnd(who, await roleIn(tx, who, org), invitation)
    if (pending.length >= pendingMax)
      throw new RegistryError('too_many_invitations', { say: { max: pendingMax } })
    const to = { orgId: org.id, role, collectionId: null, grant: null }
    const { row, token, mailed } = await makeInvitation(context, tx, caller, { ...to, user: invited, email })
    tell({ action: 'member.invited', account: org.id, target: nameOf(invited), details: { role } })
    return { ...invitationOf({ invitation: row, account: invited }, () => caller.accountSlug), token, mailed }
  })
  if (made.mailed) context.jobs.wake('mails')
  return made
}

/** True if a new invitation for this user or address replaces `invitation`. */
const isSame = (invitation: InvitationRow, invited: AccountRow | null, email: string | undefined): boolean =>
  invited === null ? invitation.email === email : invitation.userId === invited.id

/** Requires that the caller could make this invitation, before it is withdrawn or replaced. @throws insufficient_role */
function demandMayEnd(who: Principal, role: Role | null, invitation: InvitationRow): void {
  const target = roleOf(invitation)
  const needed = target === 'owner' ? 'owner' : 'admin'
  demand(mayChangeMember(who, role, { target, self: false, removal: true }), { needed })
}

/** Name for the audit log, without e-mail addresses, which are private. */
const nameOf = (invited: Pick<AccountRow, 'slug'> | null | undefined): string =>
  invited?.slug ?? 'whoever has the link'

async function takeBack(context: Context, who: Principal, slug: string, id: string): Promise<void> {
  const seen = await findVisibleAccount(context, who, slug)
  demandOrg(seen.account)
  await audited(context, who, async (tx, tell) => {
    const org = await lockOrg(tx, seen.account)
    await demandCredential(context, tx, demandCaller(who))
    const role = await roleIn(tx, who, org)
    demand(mayManageAccount(who, role), { owner: org.slug, needed: 'admin' })
    const row = isUuid(id) ? await findInvitation(tx, { id }, context.now()) : undefined
    if (row?.orgId !== org.id || row.collectionId !== null) throw new RegistryError('invitation_not_found')
    demandMayEnd(who, role, row)
    const invited = row.userId === null ? null : await findAccountById(tx, row.userId)
    await deleteInvitation(tx, row.id)
    tell({
      action: 'invitation.removed',
      account: org.id,
      target: nameOf(invited),
      details: { role: row.role },
    })
  })
}

const inviters = (items: readonly Pick<InvitationItem, 'invitation'>[]): string[] =>
  items.map(({ invitation }) => invitation.invitedBy)

/** Current slugs of accounts, by id; null: deleted. */
export async function slugsOf(
  { database }: Context,
  ids: readonly string[],
): Promise<(id: string) => string | null> {
  const names = await findAccountNames(database, [...new Set(ids)])
  return (id) => names.get(id)?.slug ?? null
}

const commonOf = (row: InvitationRow, slugOf: (id: string) => string | null): Common => ({
  ...{ id: row.id, invitedBy: slugOf(row.invitedBy) },
  ...{ createdAt: instantText(row.createdAt), expiresAt: instantText(row.expiresAt) },
})

const invitationOf = (
  { invitation, account }: InvitationItem,
  slugOf: (id: string) => string | null,
): Invitation => ({
  ...commonOf(invitation, slugOf),
  role: roleOf(invitation),
  user: account && profileOf(account),
  email: invitation.email,
})

async function ownInvitationOf(
  { database }: Context,
  invitation: InvitationRow,
  owner: AccountRow,
  slugOf: (id: string) => string | null,
): Promise<OwnInvitation> {
  const { collectionId, grant } = invitation
  const found = collectionId === null ? undefined : await findCollectionById(database, collectionId, null)
  return {
    ...commonOf(invitation, slugOf),
    ...{ role: invitation.role, org: profileOf(owner) },
    collection:
      found === undefined
        ? null
        : { owner: owner.slug, slug: found.collection.slug, name: found.collection.name, grant: grant! },
  }
}
