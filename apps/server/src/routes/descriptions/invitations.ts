/** Invitations, in words. */
import type { Description } from '../../openapi/routes.ts'

export const createInvitation: Description = {
  operationId: 'createInvitation',
  summary: 'Invite somebody to an organization',
  description:
    'Makes an invitation: of a user by its slug, or of whoever gets the link, by an e-mail address. Nothing is mailed: the answer has the link, once, to be passed on. It works once, ends after 14 days, and takes the place of an earlier invitation of the same user or address. It needs a session or a key with the scope `admin`, of an admin of the organization, or of an owner to invite owners. An organization has 100 invitations at once at most.',
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
  summary: 'Invitations that nobody has answered',
  description:
    'Lists the pending invitations of an organization, the newest first, 100 at most. It needs a session or a key with the scope `admin`, of an admin of the organization. Their links are not told again: make a new invitation instead.',
  answers: { 200: 'The invitations.' },
  codes: ['account_not_found', 'not_a_member', 'insufficient_role', 'not_an_org'],
}

export const removeInvitation: Description = {
  operationId: 'removeInvitation',
  summary: 'Take an invitation back',
  description:
    'Ends an invitation: its link leads nowhere from now on. It needs a session or a key with the scope `admin`, of an admin of the organization.',
  codes: ['account_not_found', 'invitation_not_found', 'not_a_member', 'insufficient_role', 'not_an_org'],
}

export const ownInvitations: Description = {
  operationId: 'listOwnInvitations',
  summary: 'The invitations of the account that is asking',
  description:
    'Lists the invitations that were made for the caller by its slug, the newest first. Any scope will do; a key that is limited to a collection is refused. One by e-mail is nobody’s until its link is followed. Answer one with `POST /api/invitations/{token}` and its id in place of the token.',
  answers: { 200: 'The invitations. It is empty for who has none.' },
}

export const answerInvitation: Description = {
  operationId: 'answerInvitation',
  summary: 'Join an organization, or decline',
  description:
    'Answers an invitation by the token of its link, or by its id if it is of the caller. Either answer uses it up. Who has that role or a higher one already is answered 409 `already_member`, and it stays good for whom it is meant. It needs a session or a key with the scope `admin`. An invitation of another user is answered 404, as one that has ended is.',
  codes: ['invitation_not_found', 'already_member'],
}
