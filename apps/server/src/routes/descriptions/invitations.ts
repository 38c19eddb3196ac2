/** Invitations, in words. */
import type { Description } from '../../openapi/routes.ts'

export const createInvitation: Description = {
  operationId: 'createInvitation',
  summary: 'Invite a user to an organization',
  description:
    'Creates an invitation: for a user by slug, or, with an e-mail address, for any holder of the link. Nothing is mailed: pass on the link of the answer, which is shown only once. It works once, expires after 14 days, and replaces an earlier invitation of the same user or address. It needs a session or a key with the scope `admin`, of an admin of the organization, or of an owner to invite owners. An organization can have 100 pending invitations.',
  answers: { 201: 'The invitation, and its link.' },
  codes: [
    'account_not_found',
    'not_a_member',
    'insufficient_role',
    'not_an_org',
    'not_a_user',
    'already_member',
    'too_many_invitations',
  ],
}

export const listInvitations: Description = {
  operationId: 'listInvitations',
  summary: 'Pending invitations',
  description:
    'Lists the pending invitations of an organization, the newest first, 100 at most. It needs a session or a key with the scope `admin`, of an admin of the organization. Their links are not shown again: create a new invitation instead.',
  answers: { 200: 'The invitations.' },
  codes: ['account_not_found', 'not_a_member', 'insufficient_role', 'not_an_org'],
}

export const removeInvitation: Description = {
  operationId: 'removeInvitation',
  summary: 'Revoke an invitation',
  description:
    'Revokes an invitation: its link stops working. It needs a session or a key with the scope `admin`, of an admin of the organization.',
  codes: ['account_not_found', 'invitation_not_found', 'not_a_member', 'insufficient_role', 'not_an_org'],
}

export const ownInvitations: Description = {
  operationId: 'listOwnInvitations',
  summary: 'The invitations of the caller',
  description:
    'Lists the invitations that were made for the caller by its slug, the newest first. Any scope works; a key that is limited to a collection is refused. Invitations by e-mail are not listed before their link is followed. Answer one with `POST /api/invitations/{token}` and its id in place of the token.',
  answers: { 200: 'The invitations; empty if there are none.' },
}

export const answerInvitation: Description = {
  operationId: 'answerInvitation',
  summary: 'Join an organization, or decline',
  description:
    'Answers an invitation by the token of its link, or by its id if it is of the caller. Either answer uses it up. A caller who already has that role or a higher one gets 409 `already_member`, and the invitation stays valid for its invitee. It needs a session or a key with the scope `admin`. An invitation of another user is 404, as is an expired one.',
  codes: ['invitation_not_found', 'already_member'],
}
