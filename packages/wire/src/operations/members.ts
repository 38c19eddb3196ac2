/** Operations on members of organizations, and on invitations from both sides. docs/design/http-api.md §3, §11. */
import { z } from 'zod'
import {
  AnsweredInvitation,
  AnswerInvitation,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  OwnInvitation,
} from '../invitations.ts'
import { ListQuery } from '../lists.ts'
import { Member, SetMember } from '../members.ts'
import { operation } from '../operation.ts'
import { InvitationPath, InvitationTokenPath, MemberPath, OrgPath } from '../paths.ts'
import { Done } from '../text.ts'

export const memberOperations = {
  'GET /api/accounts/:slug/members': operation({
    id: 'listMembers',
    tag: 'members',
    summary: 'List members of an organization',
    description:
      'Lists members by slug, with their roles and the dates they joined. Requires membership and a credential of any scope that is not limited to a collection.',
    entrance: { scope: 'any', unlimited: true },
    params: OrgPath,
    query: ListQuery,
    answers: { 200: z.array(Member) },
    answerWords: { 200: 'A page of members.' },
    refusals: ['not_an_org'],
  }),
  'PUT /api/accounts/:slug/members/:user': operation({
    id: 'setMember',
    tag: 'members',
    summary: 'Add a member or change a role',
    description:
      'Adds a user to an organization, or changes the role of a member. Admins can give roles up to `admin`; only owners can appoint or change owners. The last owner cannot be given a lower role. Repeating the request changes nothing. If the operator set `MEMBERS=invited`, a user who is not yet a member is invited instead (202).',
    entrance: { scope: 'admin', unlimited: true },
    params: MemberPath,
    body: SetMember,
    answers: { 200: Done, 202: CreatedInvitation },
    answerWords: { 202: 'The user is invited and becomes a member by accepting.' },
    refusals: ['last_owner', 'not_an_org', 'not_a_user', 'too_many_invitations'],
  }),
  'DELETE /api/accounts/:slug/members/:user': operation({
    id: 'removeMember',
    tag: 'members',
    summary: 'Remove a member or leave an organization',
    description:
      'Ends a membership. Requires a session or a key with the `admin` scope. Admins can remove members and admins, owners anyone, and every member can leave. The last owner cannot leave: appoint another owner first, or delete the organization.',
    entrance: { scope: 'admin', unlimited: true },
    params: MemberPath,
    answers: { 200: Done },
    refusals: ['member_not_found', 'last_owner', 'not_an_org', 'not_a_user'],
  }),
  'POST /api/accounts/:slug/invitations': operation({
    id: 'createInvitation',
    tag: 'members',
    summary: 'Invite a user to an organization',
    description:
      'Creates an invitation for a user (`user`), or for any holder of the link (`email`). Pass on the link, which only this answer contains; the registry mails it, too, if `mailed` is true. It works once, expires after 14 days, and replaces an earlier invitation of the same user or address. Requires a session or a key with the `admin` scope, of an admin of the organization, or of an owner to invite owners. An organization can have 100 pending invitations.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    body: CreateInvitation,
    answers: { 201: CreatedInvitation },
    answerWords: { 201: 'The invitation and its link.' },
    refusals: ['not_an_org', 'not_a_user', 'already_member', 'too_many_invitations'],
  }),
  'GET /api/accounts/:slug/invitations': operation({
    id: 'listInvitations',
    tag: 'members',
    summary: 'List pending invitations',
    description:
      'Lists the pending invitations of an organization, newest first, at most 100. Requires a session or a key with the `admin` scope, of an admin of the organization. Links are not included: create a new invitation if a link is lost.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    answers: { 200: z.array(Invitation) },
    answerWords: { 200: 'The invitations.' },
    refusals: ['not_an_org'],
  }),
  'DELETE /api/accounts/:slug/invitations/:id': operation({
    id: 'removeInvitation',
    tag: 'members',
    summary: 'Revoke an invitation',
    description:
      'Revokes an invitation, so that its link stops working. Requires a session or a key with the `admin` scope, of an admin of the organization.',
    entrance: { scope: 'admin', unlimited: true },
    params: InvitationPath,
    answers: { 200: Done },
    refusals: ['invitation_not_found', 'not_an_org'],
  }),
  'GET /api/accounts/me/invitations': operation({
    id: 'listOwnInvitations',
    tag: 'members',
    summary: 'List invitations of the authenticated account',
    description:
      'Lists invitations to organizations and collections that name the caller’s slug, newest first. Requires any scope and a key that is not limited to a collection. An invitation by e-mail is listed once its link has been opened. To answer one, use `POST /api/invitations/{token}` with its id in place of the token.',
    entrance: { scope: 'any', unlimited: true },
    answers: { 200: z.array(OwnInvitation) },
    answerWords: { 200: 'The invitations; empty if there are none.' },
  }),
  'POST /api/invitations/:token': operation({
    id: 'answerInvitation',
    tag: 'members',
    summary: 'Accept or decline an invitation',
    description:
      'Answers an invitation by the token of its link, or by its id if it names the caller. Requires a session or a key with the `admin` scope. Both answers use up the invitation. If the caller already has that role or grant or a higher one, the request gets 409 `already_member` or `already_collaborator` and the invitation stays valid. An expired invitation, or one of another user, gets 404.',
    entrance: { scope: 'admin', unlimited: true },
    params: InvitationTokenPath,
    body: AnswerInvitation,
    answers: { 200: AnsweredInvitation },
    refusals: ['invitation_not_found', 'already_member', 'already_collaborator'],
  }),
}
