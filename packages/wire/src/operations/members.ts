/** Members of organizations and invitations to them. http-api §3, §11. */
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
    summary: 'Members of an organization',
    description:
      'Lists the members of an organization by slug, with their roles and since when they have been members. Only members may ask, with a credential of any scope that is not limited to a collection. A page has 50 members unless `limit` says otherwise, and 100 at most.',
    entrance: { scope: 'any', unlimited: true },
    params: OrgPath,
    query: ListQuery,
    answers: { 200: z.array(Member) },
    answerWords: { 200: 'A page of members.' },
    refusals: ['account_not_found', 'not_a_member', 'not_an_org'],
  }),
  'PUT /api/accounts/:slug/members/:user': operation({
    id: 'setMember',
    tag: 'members',
    summary: 'Add a member or change its role',
    description:
      'Makes a user a member of an organization, or gives a member another role. Admins may do so up to the role `admin`; only owners make owners or change them. The same request again changes nothing. The last owner cannot be given a lower role. Where the operator set `MEMBERS=invited`, who is not a member yet is invited instead (202).',
    entrance: { scope: 'admin', unlimited: true },
    params: MemberPath,
    body: SetMember,
    answers: { 200: Done, 202: CreatedInvitation },
    answerWords: { 202: 'The user was invited, and is no member before accepting.' },
    refusals: [
      'account_not_found',
      'not_a_member',
      'insufficient_role',
      'last_owner',
      'not_an_org',
      'not_a_user',
      'too_many_invitations',
    ],
  }),
  'DELETE /api/accounts/:slug/members/:user': operation({
    id: 'removeMember',
    tag: 'members',
    summary: 'Remove a member, or leave',
    description:
      'Ends a membership. Admins may remove members and admins, owners anyone, and every member may leave. The last owner cannot leave: make another member owner first, or delete the organization. It needs a session or a key with the scope `admin`.',
    entrance: { scope: 'admin', unlimited: true },
    params: MemberPath,
    answers: { 200: Done },
    refusals: [
      'account_not_found',
      'member_not_found',
      'not_a_member',
      'insufficient_role',
      'last_owner',
      'not_an_org',
      'not_a_user',
    ],
  }),
  'POST /api/accounts/:slug/invitations': operation({
    id: 'createInvitation',
    tag: 'members',
    summary: 'Invite a user to an organization',
    description:
      'Creates an invitation: for a user by slug, or, with an e-mail address, for any holder of the link. Nothing is mailed: pass on the link of the answer, which is shown only once. It works once, expires after 14 days, and replaces an earlier invitation of the same user or address. It needs a session or a key with the scope `admin`, of an admin of the organization, or of an owner to invite owners. An organization can have 100 pending invitations.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    body: CreateInvitation,
    answers: { 201: CreatedInvitation },
    answerWords: { 201: 'The invitation, and its link.' },
    refusals: [
      'account_not_found',
      'not_a_member',
      'insufficient_role',
      'not_an_org',
      'not_a_user',
      'already_member',
      'too_many_invitations',
    ],
  }),
  'GET /api/accounts/:slug/invitations': operation({
    id: 'listInvitations',
    tag: 'members',
    summary: 'Pending invitations',
    description:
      'Lists the pending invitations of an organization, the newest first, 100 at most. It needs a session or a key with the scope `admin`, of an admin of the organization. Their links are not shown again: create a new invitation instead.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    answers: { 200: z.array(Invitation) },
    answerWords: { 200: 'The invitations.' },
    refusals: ['account_not_found', 'not_a_member', 'insufficient_role', 'not_an_org'],
  }),
  'DELETE /api/accounts/:slug/invitations/:id': operation({
    id: 'removeInvitation',
    tag: 'members',
    summary: 'Revoke an invitation',
    description:
      'Revokes an invitation: its link stops working. It needs a session or a key with the scope `admin`, of an admin of the organization.',
    entrance: { scope: 'admin', unlimited: true },
    params: InvitationPath,
    answers: { 200: Done },
    refusals: [
      'account_not_found',
      'invitation_not_found',
      'not_a_member',
      'insufficient_role',
      'not_an_org',
    ],
  }),
  'GET /api/accounts/me/invitations': operation({
    id: 'listOwnInvitations',
    tag: 'members',
    summary: 'The invitations of the caller',
    description:
      'Lists the invitations that were made for the caller by its slug, the newest first. Any scope works; a key that is limited to a collection is refused. Invitations by e-mail are not listed before their link is followed. Answer one with `POST /api/invitations/{token}` and its id in place of the token.',
    entrance: { scope: 'any', unlimited: true },
    answers: { 200: z.array(OwnInvitation) },
    answerWords: { 200: 'The invitations; empty if there are none.' },
  }),
  'POST /api/invitations/:token': operation({
    id: 'answerInvitation',
    tag: 'members',
    summary: 'Join an organization, or decline',
    description:
      'Answers an invitation by the token of its link, or by its id if it is of the caller. Either answer uses it up. A caller who already has that role or a higher one gets 409 `already_member`, and the invitation stays valid for its invitee. It needs a session or a key with the scope `admin`. An invitation of another user is 404, as is an expired one.',
    entrance: { scope: 'admin', unlimited: true },
    params: InvitationTokenPath,
    body: AnswerInvitation,
    answers: { 200: AnsweredInvitation },
    refusals: ['invitation_not_found', 'already_member'],
  }),
}
