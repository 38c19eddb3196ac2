/** Answers to invitations: joining an organization or a collection, or declining. */
import { hashText } from '@ulmus/content'
import {
  type AccountRow,
  type CollectionRow,
  countCollaborators,
  deleteInvitation,
  findGrant,
  findInvitation,
  findMemberRole,
  type InvitationRow,
  lockAccount,
  lockCollection,
  putCollaborator,
  putMember,
  type Tx,
} from '@ulmus/storage'
import type { AnsweredInvitation } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { grantCovers, mayEnter, type Role, roleCovers } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { type Caller, demandCaller, type Principal } from '../principal.ts'

const tokenShape = /^[\w-]{43}$/

/** @param token of the link, or the id of an invitation of the caller. @throws the errors of `answer` in invitations.ts */
export async function answerInvitation(
  context: Context,
  who: Principal,
  token: string,
  accept: boolean,
): Promise<AnsweredInvitation> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  const found = await findInvitationFor(context, caller, token)
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
export function roleOf({ role }: InvitationRow): Role {
  if (role === 'collaborator') throw new Error('This invitation is to a collection.')
  return role
}

/** @throws invitation_not_found, also if it is for another user */
export async function findInvitationFor(
  { database, now }: Context,
  caller: Caller,
  token: string,
): Promise<InvitationRow> {
  const row = isUuid(token)
    ? await findInvitation(database, { id: token }, now())
    : tokenShape.test(token)
      ? await findInvitation(database, { tokenHash: hashText(token) }, now())
      : undefined
  const isFor = row?.userId === caller.accountId || (row?.userId === null && !isUuid(token))
  if (row === undefined || !isFor) throw new RegistryError('invitation_not_found')
  return row
}

export async function lockOrg(tx: Tx, { id, slug }: Pick<AccountRow, 'id' | 'slug'>): Promise<AccountRow> {
  const org = await lockAccount(tx, id)
  if (org === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  return org
}
