/**
 * Collaborators: users with a grant on one collection. http-api §16. Every change locks the collection, and ends the invitations that the
 * change makes invalid.
 */
import {
  type AccountRow,
  countCollaborators,
  countMembers,
  deleteCollaborator,
  deleteGrantsIn,
  dropInvitationsIn,
  dropInvitationsTo,
  findGrant,
  findInvitationTo,
  findMemberRole,
  type InvitationRow,
  listCollaborators,
  listInvitationsTo,
  listMembers,
  putCollaborator,
  type Tx,
} from '@ulmus/storage'
import type {
  Access,
  Collaborator,
  CollaboratorInvitation,
  CollaboratorPath,
  CollectionPath,
} from '@ulmus/wire'
import { onMissingRow } from '../access/authority.ts'
import { findCollectionTo, findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { roleIn } from '../access/membership.ts'
import { type Grant, grantCovers, mayEndGrant } from '../access/policy.ts'
import type { Tell } from '../audit/acts.ts'
import { auditedIn } from '../audit/collection-acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { profileOf } from './accounts.ts'
import { demandRoomFor } from './invitation-answers.ts'
import { makeInvitation, pendingMax } from './invitation-making.ts'
import { type MadeInvitation, slugsOf } from './invitations.ts'
import { demandUser } from './organizations.ts'

/** Members in an answer about access. */
const listedMembersMax = 100

/** Only this result contains the token. */
export type MadeCollaboratorInvitation = CollaboratorInvitation & Pick<MadeInvitation, 'token' | 'mailed'>

export type Collaborators = ReturnType<typeof collaboratorsOf>

export function collaboratorsOf(context: Context) {
  const { database } = context
  return {
    /** By slug, at most 100. @throws collection_not_found, MovedError; key_limited, not_a_member, insufficient_grant */
    async list(who: Principal, path: CollectionPath): Promise<Collaborator[]> {
      const { collection } = await findCollectionTo('seeAccess', context, who, path)
      return collaboratorsIn(context, collection.id)
    },

    /** Everybody who reads the full view, and why. @throws the errors of `list` */
    async access(who: Principal, path: CollectionPath): Promise<Access> {
      const { collection, owner } = await findCollectionTo('seeAccess', context, who, path)
      const isOrg = owner.type === 'org'
      const slice = { limit: listedMembersMax, offset: 0, backwards: false }
      const [members, memberCount, collaborators, invitations] = await Promise.all([
        isOrg ? listMembers(database, owner.id, slice) : [{ account: owner, role: 'owner' as const }],
        isOrg ? countMembers(database, owner.id) : 1,
        collaboratorsIn(context, collection.id),
        invitationsIn(context, collection.id),
      ])
      return {
        ...{ public: collection.public, owner: profileOf(owner), memberCount },
        members: members.map(({ account, role }) => ({ account: profileOf(account), role })),
        ...{ collaborators, invitations },
      }
    },

    /**
     * How many read the full view, for every reader of it.
     * @returns undefined for a reader of the public view
     */
    async counts(who: Principal, path: CollectionPath): Promise<AccessCounts | undefined> {
      const { collection, owner, view } = await findVisibleCollection(context, who, path)
      if (view === 'public') return undefined
      const [members, collaborators] = await Promise.all([
        owner.type === 'org' ? countMembers(database, owner.id) : 1,
        countCollaborators(database, collection.id),
      ])
      return { owner: owner.type, members, collaborators }
    },

    /**
     * Makes a user a collaborator, or changes a grant; the same grant again changes nothing. Ends invitations of that user; after a
     * reduction, also those that the user made.
     * @returns the invitation, if the operator requires the consent of new collaborators
     * @throws the errors of `findCollectionTo`; account_not_found, not_a_user, already_member for the owner, too_many_collaborators,
     * too_many_invitations
     */
    set: (
      who: Principal,
      path: CollaboratorPath,
      grant: Grant,
    ): Promise<MadeCollaboratorInvitation | undefined> => setGrant(context, who, path, grant),

    /**
     * Removes a collaborator, or an invitation of this user; a collaborator may leave. Ends also the invitations that the user made.
     * @throws the errors of `findCollectionTo`; account_not_found, not_a_user, collaborator_not_found
     */
    async remove(who: Principal, path: CollaboratorPath): Promise<void> {
      const seen = await findVisibleCollection(context, who, path)
      const isSelf = who.kind !== 'anonymous' && who.accountSlug === path.user
      demandEnding(who, seen, isSelf)
      await auditedIn(context, who, seen, 'poll', async (tx, tell) => {
        const user = await demandUser(tx, path.user)
        const standing = await standingIn(tx, who, seen)
        demandEnding(who, standing, who.kind !== 'anonymous' && who.accountId === user.id)
        const before = await findGrant(tx, seen.collection.id, user.id)
        const invitation = await findInvitationTo(tx, seen.collection.id, user.id, context.now())
        if (before === null && invitation === undefined)
          throw new RegistryError('collaborator_not_found', {
            say: { user: user.slug, collection: nameOf(seen) },
          })
        await deleteCollaborator(tx, seen.collection.id, user.id)
        await dropInvitationsTo(tx, seen.collection.id, user.id)
        const about = { account: seen.owner.id, target: nameOf(seen) }
        if (before !== null)
          tell({ action: 'collaborator.removed', ...about, details: { user: user.slug, before } })
        else
          tell({
            ...{ action: 'invitation.removed', account: seen.owner.id, target: user.slug },
            details: { collection: nameOf(seen), grant: invitation!.grant },
          })
      })
    },
  }
}

/** Readers of the full view. */
export interface AccessCounts {
  /** Kind of the owning account. */
  readonly owner: AccountRow['type']
  readonly members: number
  readonly collaborators: number
}

const nameOf = ({ owner, collection }: VisibleCollection): string => `${owner.slug}/${collection.slug}`

/** @throws the refusal of ending a grant */
function demandEnding(
  who: Principal,
  at: Pick<VisibleCollection, 'collection' | 'owner' | 'role' | 'grant'>,
  isSelf: boolean,
): void {
  demand(mayEndGrant(who, at, isSelf), { owner: at.owner.slug, needed: 'admin', held: at.grant })
}

/** Role and grant of the caller, read in the transaction. */
async function standingIn(tx: Tx, who: Principal, seen: VisibleCollection) {
  const { accountId } = demandCaller(who)
  const [role, grant] = [
    await roleIn(tx, who, seen.owner),
    await findGrant(tx, seen.collection.id, accountId),
  ]
  return { ...seen, role, grant }
}

async function setGrant(
  context: Context,
  who: Principal,
  path: CollaboratorPath,
  grant: Grant,
): Promise<MadeCollaboratorInvitation | undefined> {
  const seen = await findCollectionTo('administer', context, who, path)
  const { collection, owner } = seen
  const made = await auditedIn(context, who, seen, 'administer', async (tx, tell) => {
    const user = await demandUser(tx, path.user)
    if (user.id === owner.id)
      throw new RegistryError('already_member', { say: { user: user.slug, isOwner: true } })
    const before = await findGrant(tx, collection.id, user.id)
    const about = { account: owner.id, target: nameOf(seen) }
    const role = owner.type === 'org' ? await findMemberRole(tx, owner.id, user.id) : null
    if (before === null && role === null && context.limits.newMembers === 'invited')
      return inviteCollaborator(context, tx, who, { seen, user, grant }, tell)
    if (before === null) await demandRoomFor(tx, collection.id)
    const row = { collectionId: collection.id, userId: user.id, grant, since: context.now() }
    await onMissingRow('account_not_found', { slug: user.slug }, () =>
      putCollaborator(tx, { ...row, invitedBy: demandCaller(who).accountId }),
    )
    if (before === null || !grantCovers(grant, before)) await dropInvitationsTo(tx, collection.id, user.id)
    if (before !== grant)
      tell({ action: 'collaborator.set', ...about, details: { user: user.slug, grant, before } })
    return undefined
  })
  if (made?.mailed === true) context.jobs.wake('mails')
  return made
}

async function inviteCollaborator(
  context: Context,
  tx: Tx,
  who: Principal,
  { seen, user, grant }: { seen: VisibleCollection; user: AccountRow; grant: Grant },
  tell: Tell,
): Promise<MadeCollaboratorInvitation> {
  const { collection, owner } = seen
  const pending = await listInvitationsTo(tx, collection.id, context.now())
  if (pending.length >= pendingMax)
    throw new RegistryError('too_many_invitations', { say: { max: pendingMax, isCollection: true } })
  const caller = demandCaller(who)
  const to = { orgId: owner.id, role: 'collaborator', collectionId: collection.id, grant } as const
  const { row, token, mailed } = await makeInvitation(context, tx, caller, { ...to, user })
  const details = { user: user.slug, grant }
  tell({ action: 'collaborator.invited', account: owner.id, target: nameOf(seen), details })
  return { ...invitationTo(row, user, caller.accountSlug), token, mailed }
}

const invitationTo = (
  { id, grant, createdAt, expiresAt }: InvitationRow,
  user: AccountRow,
  invitedBy: string | null,
): CollaboratorInvitation => ({
  ...{ id, user: profileOf(user), grant: grant!, invitedBy },
  ...{ createdAt: instantText(createdAt), expiresAt: instantText(expiresAt) },
})

async function invitationsIn(context: Context, collectionId: string): Promise<CollaboratorInvitation[]> {
  const items = await listInvitationsTo(context.database, collectionId, context.now())
  const slugOf = await slugsOf(
    context,
    items.map(({ invitation }) => invitation.invitedBy),
  )
  return items.map(({ invitation, account }) =>
    invitationTo(invitation, account!, slugOf(invitation.invitedBy)),
  )
}

async function collaboratorsIn(context: Context, collectionId: string): Promise<Collaborator[]> {
  const items = await listCollaborators(context.database, collectionId)
  const slugOf = await slugsOf(
    context,
    items.map(({ invitedBy }) => invitedBy),
  )
  return items.map(({ account, grant, since, invitedBy }) => ({
    ...{ account: profileOf(account), grant, since: instantText(since), invitedBy: slugOf(invitedBy) },
  }))
}

/** Ends a former member's grants on collections of the organization, and the invitations to them. */
export async function endGrantsIn(tx: Tx, org: AccountRow, user: AccountRow, tell: Tell): Promise<void> {
  await dropInvitationsIn(tx, org.id, user.id)
  for (const { collection, grant: before } of await deleteGrantsIn(tx, org.id, user.id))
    tell({
      ...{ action: 'collaborator.removed', account: org.id, target: `${org.slug}/${collection}` },
      details: { user: user.slug, before },
    })
}
