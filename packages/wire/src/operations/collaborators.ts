/** Operations on collaborators of a collection. docs/design/http-api.md §16. */
import { z } from 'zod'
import { Access, Collaborator, InvitedCollaborator, SetCollaborator } from '../collaborators.ts'
import { operation } from '../operation.ts'
import { CollaboratorPath, CollectionPath } from '../paths.ts'
import { Done } from '../text.ts'

const tag = 'collaborators'
const change = { scope: 'admin' } as const

export const collaboratorOperations = {
  'GET /api/collections/:owner/:slug/access': operation({
    id: 'getAccess',
    tag,
    summary: 'List who can read all of a collection',
    description:
      'Lists members of the owner, collaborators and pending invitations. For members, and collaborators with the grant `admin`, with a credential of any scope that is not limited to a collection.',
    entrance: { scope: 'read', unlimited: true },
    params: CollectionPath,
    answers: { 200: Access },
    refusals: ['insufficient_grant'],
  }),
  'GET /api/collections/:owner/:slug/collaborators': operation({
    id: 'listCollaborators',
    tag,
    summary: 'List collaborators',
    description:
      'Lists the collaborators of a collection by slug, at most 100. For members of the owner, and collaborators with the grant `admin`, with a credential of any scope that is not limited to a collection.',
    entrance: { scope: 'read', unlimited: true },
    params: CollectionPath,
    answers: { 200: z.array(Collaborator) },
    answerWords: { 200: 'The collaborators; empty if there are none.' },
    refusals: ['insufficient_grant'],
  }),
  'PUT /api/collections/:owner/:slug/collaborators/:user': operation({
    id: 'setCollaborator',
    tag,
    summary: 'Add a collaborator or change a grant',
    description:
      'Gives a user a grant on this collection alone. A grant never takes away what a role in the owner gives. Repeating the request changes nothing. If the operator set `MEMBERS=invited`, a user who is not yet a collaborator is invited instead (202). A collection can have 100 collaborators, and 100 pending invitations. Requires the `admin` scope, and the role admin or owner or the grant `admin`.',
    entrance: change,
    params: CollaboratorPath,
    body: SetCollaborator,
    answers: { 200: Done, 202: InvitedCollaborator },
    answerWords: { 202: 'The user is invited and becomes a collaborator by accepting.' },
    refusals: [
      'account_not_found',
      'not_a_user',
      'already_member',
      'too_many_collaborators',
      'too_many_invitations',
    ],
  }),
  'DELETE /api/collections/:owner/:slug/collaborators/:user': operation({
    id: 'removeCollaborator',
    tag,
    summary: 'Remove a collaborator, or leave',
    description:
      'Ends a grant, or a pending invitation of this user. Every collaborator can leave. Requires the `admin` scope, and the role admin or owner or the grant `admin`, except to leave.',
    entrance: change,
    params: CollaboratorPath,
    answers: { 200: Done },
    refusals: ['account_not_found', 'not_a_user', 'collaborator_not_found'],
  }),
}
