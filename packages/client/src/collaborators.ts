/** Collaborators of collections: users with a grant on one collection, and all readers of its full view. http-api §16. */
import type { Done, Grant, InvitedCollaborator } from '@ulmus/wire'
import { call } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

export const collaboratorCalls = (transport: Transport) => ({
  /** The collaborators by slug, without pending invitations. @throws not_a_member, insufficient_grant, key_limited */
  list: async (ref: CollectionRef) =>
    call(transport, 'GET /api/collections/:owner/:slug/collaborators', partsOf(ref)),
  /**
   * Everybody who can read all of the collection: members of the owner, collaborators and pending invitations.
   * @throws not_a_member, insufficient_grant, key_limited
   */
  access: async (ref: CollectionRef) =>
    call(transport, 'GET /api/collections/:owner/:slug/access', partsOf(ref)),
  /**
   * Gives a user a grant on the collection, or changes it. If the registry requires consent, a new collaborator gets an invitation instead.
   * @throws insufficient_role, insufficient_grant, account_not_found, not_a_user, already_member for the owner, too_many_collaborators, too_many_invitations
   */
  set: async (ref: CollectionRef, user: string, grant: Grant): Promise<Done | InvitedCollaborator> =>
    call(
      transport,
      'PUT /api/collections/:owner/:slug/collaborators/:user',
      { ...partsOf(ref), user },
      { json: { grant } },
    ),
  /** Ends the grant of a user, or its invitation; collaborators may end their own. @throws collaborator_not_found, insufficient_grant */
  remove: async (ref: CollectionRef, user: string) =>
    call(transport, 'DELETE /api/collections/:owner/:slug/collaborators/:user', { ...partsOf(ref), user }),
})
