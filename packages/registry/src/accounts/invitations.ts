/**
 * Invitations to organizations and to single collections. http-api §11, §15.
 *
 *     made ──▶ pending ── accepted by the invitee ──▶ member or collaborator, gone
 *                 └── declined, taken back, or 14 days later ──▶ gone
 *
 * The inviter passes the link on; the server also mails it, if it sends mail. Its token is returned once and works once, for any user who
 * signs in with it. An invitation of a user works only for that user, who may also answer it by its id.
 */

import { randomBytes } from 'node:crypto'
import { hashText } from '@ulmus/content'
import {
  type AccountRow,
  type CollectionRow,
  countCollaborators,
  deleteInvitation,
  findAccountById,
  findAccountNames,
  findCollectionById,
  findGrant,
  findInvitation,
  findMemberRole,
  type InvitationItem,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  listInvitationsOf,
  lockAccount,
  lockCollection,
  putCollaborator,
  putMember,
  type Tx,
} from '@ulmus/storage'
import type { AnsweredInvitation, Invitation, OwnInvitation } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { roleIn } from '../access/membership.ts'
import {
  grantCovers,
  mayChangeMember,
  mayEnter,
  mayManageAccount,
  type Role,
  roleCovers,
} from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
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
  /** Slug; null if the account is gone. */
  readonly invitedBy: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

/** Only this result contains the token. */
export type MadeInvitation = Invitation & { readonly token: string; readonly mailed: boolean }

const dayMilliseconds = 86_400_000
const invitationDays = 14
/** Maximum pending invitations of an organization, and of a collection, as in docs/limits.md. */
export const pendingMax = 100
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
      const invitation = await findFor(context, demandCaller(who), token)
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

/** Makes a permitted invitation and its mail, in the caller's transaction. @param to has a user, or else an e-mail address */
export async function makeInvitation(
  context: Context,
  tx: Tx,
  caller: Caller,
  {
    user,
    email,
    ...to
  }: Pick<InvitationRow, 'orgId' | 'role' | 'collectionId' | 'grant'> & {
    user: AccountRow | null
    email?: string | undefined
  },
): Promise<{ row: InvitationRow; token: string; mailed: boolean }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = context.now()
  const row: InvitationRow = {
    ...{ id: newId(), ...to, tokenHash: hashText(token) },
    ...{ userId: user?.id ?? null, email: user === null ? (email ?? '') : null },
    ...{ invitedBy: caller.accountId, createdAt },
    expiresAt: new Date(createdAt.getTime() + invitationDays * dayMilliseconds),
  }
  await onMissingRow('account_not_found', { slug: user?.slug ?? '' }, () => insertInvitation(tx, row))
  return { row, token, mailed: await mailInvitation(context, tx, row, token) }
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

async function answer(
  context: Context,
  who: Principal,
  token: string,
  accept: boolean,
): Promise<AnsweredInvitation> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  const found = await findFor(context, caller, token)
  return audited(context, who, async (tx, tell) => {
    const org = await lockOrg(tx, { id: found.orgId, slug: '' })
    const collection = found.collectionId && (await lockCollection(tx, found.collectionId, 'update'))
    await demandCredential(context, tx, caller)
    if (!(await deleteInvitation(tx, found.id))) throw new RegistryError('invitation_not_found')
    if (collection) return answerForCollection(context, tx, { caller, org, collection, found, accept }, tell)
    const role = roleOf(found)
    const current = await findMemberRole(tx, org.id, caller.accountId)
    const about = { account: org.id, target: caller.accountSlug }
    if (!accept) tell({ action: 'invitation.declined', ...about, details: { role } })
    else {
      if (roleCovers(current, role))
        throw new RegistryError('already_member', { say: { user: caller.accountSlug, org: org.slug } })
      const since = context.now()
      await putMember(tx, { orgId: org.id, userId: caller.accountId, role, since })
      tell({ action: 'member.set', ...about, details: { role, before: current, invited: true } })
    }
    return { org: org.slug, collection: null }
  })
}

/** Answers an invitation to a collection, which is locked. */
async function answerForCollection(
  context: Context,
  tx: Tx,
  about: {
    caller: Caller
    org: AccountRow
    collection: CollectionRow
    found: InvitationRow
    accept: boolean
  },
  tell: Tell,
): Promise<AnsweredInvitation> {
  const { caller, org, collection, found, accept } = about
  const { accountId: userId, accountSlug: user } = caller
  const path = `${org.slug}/${collection.slug}`
  const grant = found.grant!
  if (!accept) {
    const details = { collection: path, grant }
    tell({ action: 'invitation.declined', account: org.id, target: user, details })
  } else {
    const before = await findGrant(tx, collection.id, userId)
    if (grantCovers(before, grant))
      throw new RegistryError('already_collaborator', { say: { user, collection: path } })
    if (before === null) await demandRoomFor(tx, collection.id)
    const row = {
      collectionId: collection.id,
      userId,
      grant,
      since: context.now(),
      invitedBy: found.invitedBy,
    }
    await putCollaborator(tx, row)
    const details = { user, grant, before, invited: true }
    tell({ action: 'collaborator.set', account: org.id, target: path, details })
  }
  return { org: org.slug, collection: path }
}

/** Collaborators of a collection, as in docs/limits.md. */
const collaboratorsMax = 100

/** Requires that a locked collection may have another collaborator. @throws too_many_collaborators */
export async function demandRoomFor(tx: Tx, collectionId: string): Promise<void> {
  if ((await countCollaborators(tx, collectionId)) >= collaboratorsMax)
    throw new RegistryError('too_many_collaborators', { say: { max: collaboratorsMax } })
}

/** Role in the organization that an invitation to one gives. */
function roleOf({ role }: InvitationRow): Role {
  if (role === 'collaborator') throw new Error('This invitation is to a collection.')
  return role
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
