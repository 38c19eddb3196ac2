/**
 * Invitations to organizations. http-api §11.
 *
 *     made ──▶ pending ── accepted by the invitee ──▶ member, gone
 *                 └── declined, taken back, or 14 days later ──▶ gone
 *
 * The inviter passes the link on; the server also mails it, if it sends mail. Its token is returned once and works once, for any user who
 * signs in with it. An invitation of a user works only for that user, who may also answer it by its id.
 */

import { randomBytes } from 'node:crypto'
import { hashText } from '@ulmus/content'
import {
  type AccountRow,
  deleteInvitation,
  findAccountById,
  findAccountNames,
  findInvitation,
  findMemberRole,
  type InvitationItem,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  listInvitationsOf,
  lockAccount,
  putMember,
  type Tx,
} from '@ulmus/storage'
import type { Invitation, OwnInvitation } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { roleIn } from '../access/membership.ts'
import { mayChangeMember, mayEnter, mayManageAccount, type Role, roleCovers } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { mailInvitation } from '../mails/mails.ts'
import { type Caller, demandCaller, type Principal } from '../principal.ts'
import { profileOf } from './accounts.ts'
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
  readonly role: Role
  /** Slug; null if the account is gone. */
  readonly invitedBy: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

/** Only this result contains the token. */
export type MadeInvitation = Invitation & { readonly token: string; readonly mailed: boolean }

const dayMilliseconds = 86_400_000
const invitationDays = 14
/** Maximum pending invitations of an organization, as in docs/limits.md. */
const pendingMax = 100
const tokenShape = /^[\w-]{43}$/

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
      const slugOf = await inviters(context, items)
      return items.map((item) => invitationOf(item, slugOf))
    },

    /** Withdraws an invitation. @throws account_not_found, MovedError, not_an_org, insufficient_role, invitation_not_found */
    remove: (who: Principal, slug: string, id: string): Promise<void> => takeBack(context, who, slug, id),

    /** The caller's invitations. An invitation by e-mail belongs to no user until a user follows its link. */
    async own(who: Principal): Promise<OwnInvitation[]> {
      const { accountId } = demandCaller(who)
      const items = await listInvitationsOf(database, accountId, context.now())
      const slugOf = await inviters(context, items)
      return items.map(({ invitation, account }) => ownInvitationOf(invitation, account!, slugOf))
    },

    /** The invitation behind a link, for a user who may answer it. @throws unauthenticated, invitation_not_found */
    async find(who: Principal, token: string): Promise<OwnInvitation> {
      const invitation = await findFor(context, demandCaller(who), token)
      const org = await findAccountById(database, invitation.orgId)
      if (org === undefined) throw new RegistryError('invitation_not_found')
      return ownInvitationOf(invitation, org, await inviters(context, [{ invitation }]))
    },

    /**
     * Joins the organization or declines. Both use the invitation up, except that accepting is refused if the user already has
     * its role or a higher one.
     * @param token of the link, or the id of an invitation of the caller
     * @returns the slug of the organization
     * @throws insufficient_scope, key_limited, invitation_not_found, already_member
     */
    answer: (who: Principal, token: string, accept: boolean): Promise<{ org: string }> =>
      answer(context, who, token, accept),
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
  const token = randomBytes(32).toString('base64url')
  const made = await audited(context, who, async (tx, tell) => {
    const org = await lockOrg(tx, seen.account)
    await demandCredential(context, tx, caller)
    const change = { target: role, self: false, removal: false }
    const needed = role === 'owner' ? 'owner' : 'admin'
    demand(mayChangeMember(who, await roleIn(tx, who, org), change), { owner: org.slug, needed })
    const invited = user === undefined ? null : await demandUser(tx, user)
    if (invited !== null && (await findMemberRole(tx, org.id, invited.id)) !== null)
      throw new RegistryError('already_member', { say: { user, org: org.slug } })
    const createdAt = context.now()
    const pending = await listInvitations(tx, org.id, createdAt)
    for (const { invitation } of pending)
      if (isSame(invitation, invited, email)) demandMayEnd(who, await roleIn(tx, who, org), invitation)
    if (pending.length >= pendingMax)
      throw new RegistryError('too_many_invitations', { say: { max: pendingMax } })
    const row: InvitationRow = {
      ...{ id: newId(), orgId: org.id, role, tokenHash: hashText(token) },
      ...{ userId: invited?.id ?? null, email: invited === null ? (email ?? '') : null },
      ...{ invitedBy: caller.accountId, createdAt },
      expiresAt: new Date(createdAt.getTime() + invitationDays * dayMilliseconds),
    }
    await onMissingRow('account_not_found', { slug: user ?? '' }, () => insertInvitation(tx, row))
    tell({ action: 'member.invited', account: org.id, target: nameOf(invited), details: { role } })
    const mailed = await mailInvitation(context, tx, row, token)
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
  const needed = invitation.role === 'owner' ? 'owner' : 'admin'
  demand(mayChangeMember(who, role, { target: invitation.role, self: false, removal: true }), { needed })
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
    if (row?.orgId !== org.id) throw new RegistryError('invitation_not_found')
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

async function answer(
  context: Context,
  who: Principal,
  token: string,
  accept: boolean,
): Promise<{ org: string }> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  const found = await findFor(context, caller, token)
  return audited(context, who, async (tx, tell) => {
    const org = await lockOrg(tx, { id: found.orgId, slug: '' })
    await demandCredential(context, tx, caller)
    if (!(await deleteInvitation(tx, found.id))) throw new RegistryError('invitation_not_found')
    const current = await findMemberRole(tx, org.id, caller.accountId)
    const about = { account: org.id, target: caller.accountSlug }
    if (!accept) tell({ action: 'invitation.declined', ...about, details: { role: found.role } })
    else {
      if (roleCovers(current, found.role))
        throw new RegistryError('already_member', { say: { user: caller.accountSlug, org: org.slug } })
      const since = context.now()
      await putMember(tx, { orgId: org.id, userId: caller.accountId, role: found.role, since })
      tell({ action: 'member.set', ...about, details: { role: found.role, before: current, invited: true } })
    }
    return { org: org.slug }
  })
}

/** @throws invitation_not_found, also if it is for another user */
async function findFor({ database, now }: Context, caller: Caller, token: string): Promise<InvitationRow> {
  const row = isUuid(token)
    ? await findInvitation(database, { id: token }, now())
    : tokenShape.test(token)
      ? await findInvitation(database, { tokenHash: hashText(token) }, now())
      : undefined
  const isFor = row?.userId === caller.accountId || (row?.userId === null && !isUuid(token))
  if (row === undefined || !isFor) throw new RegistryError('invitation_not_found')
  return row
}

async function lockOrg(tx: Tx, { id, slug }: Pick<AccountRow, 'id' | 'slug'>): Promise<AccountRow> {
  const org = await lockAccount(tx, id)
  if (org === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  return org
}

/** Current slugs of the inviters, by account id. */
async function inviters(
  { database }: Context,
  items: readonly Pick<InvitationItem, 'invitation'>[],
): Promise<(id: string) => string | null> {
  const ids = [...new Set(items.map(({ invitation }) => invitation.invitedBy))]
  const names = await findAccountNames(database, ids)
  return (id) => names.get(id)?.slug ?? null
}

const commonOf = (row: InvitationRow, slugOf: (id: string) => string | null): Common => ({
  ...{ id: row.id, role: row.role, invitedBy: slugOf(row.invitedBy) },
  ...{ createdAt: instantText(row.createdAt), expiresAt: instantText(row.expiresAt) },
})

const invitationOf = (
  { invitation, account }: InvitationItem,
  slugOf: (id: string) => string | null,
): Invitation => ({
  ...commonOf(invitation, slugOf),
  user: account && profileOf(account),
  email: invitation.email,
})

const ownInvitationOf = (
  invitation: InvitationRow,
  org: AccountRow,
  slugOf: (id: string) => string | null,
): OwnInvitation => ({ ...commonOf(invitation, slugOf), org: profileOf(org) })
