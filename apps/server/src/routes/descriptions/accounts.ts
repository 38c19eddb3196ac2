/** Accounts and their members, in words. */
import type { Description } from '../../openapi/routes.ts'

export const createOrg: Description = {
  operationId: 'createOrganization',
  summary: 'Create an organization',
  description:
    'Creates an organization with the caller as its first owner. It needs a session or a key with the scope `admin`. The slug is shared with users and may have 39 characters; some words are reserved. A user may own 100 organizations unless the operator set another number. Next, add members with `PUT /api/accounts/{slug}/members/{user}`.',
  answers: { 201: 'The new organization.' },
  codes: ['too_many_organizations', 'slug_taken', 'slug_kept', 'invalid_slug', 'reserved_slug'],
}

export const ownAccount: Description = {
  operationId: 'getOwnAccount',
  summary: 'The caller’s account',
  description:
    'Answers the account that the session or the key belongs to. Any scope works. No other call answers an e-mail address. Use it to find out whether a credential is good, and what the slug of its account is.',
}

export const memberships: Description = {
  operationId: 'listMemberships',
  summary: 'The organizations of the caller',
  description:
    'Lists the organizations that the caller is a member of, with its role in each, by slug. Any scope works. A page has 50 organizations unless `limit` says otherwise, and 100 at most.',
  answers: { 200: 'A page of organizations. It is empty for who is a member of none.' },
}

export const profile: Description = {
  operationId: 'getAccount',
  summary: 'The public profile of an account',
  description:
    'Answers the public profile of a user or an organization. It needs no credential, since every account is public. The profile has no e-mail address. Its collections are at `GET /api/accounts/{owner}/collections`.',
  codes: ['account_not_found'],
}

export const updateAccount: Description = {
  operationId: 'updateAccount',
  summary: 'Change an account',
  description:
    'Changes the display name or the slug of an account; what the body leaves out stays. It needs a session or a key with the scope `admin`, of the user itself or of an admin of the organization. After a change of the slug the former one answers 308, and is kept for its owner: for 90 days, and for good if a version was public below it. The caller’s account can be changed by its own slug. `settings` are those of an organization, and for its owners.',
  codes: [
    'account_not_found',
    'not_an_org',
    'not_a_member',
    'insufficient_role',
    'slug_taken',
    'slug_kept',
    'invalid_slug',
    'reserved_slug',
  ],
}

export const settings: Description = {
  operationId: 'getSettings',
  summary: 'Settings of an organization',
  description:
    'Answers whether members may make a private collection public, and how collections begin. Only members may ask, with a credential of any scope that is not limited to a collection. Owners change them with `PATCH /api/accounts/{slug}`.',
  codes: ['account_not_found', 'not_a_member', 'not_an_org'],
}

export const accountUsage: Description = {
  operationId: 'getAccountUsage',
  summary: 'What an account has stored',
  description:
    'Answers the bytes that versions and files of the account take, those that push sessions have received, what both may come to, and the collections that take most. A version takes what it added to the store, compressed; a fork nothing as long as its source is there. What an organization stores counts against the quota of the user who made it until an operator gives it one of its own. Only members of an organization and the user itself may ask, with a credential of any scope that is not limited to a collection.',
  codes: ['account_not_found', 'not_a_member'],
}

export const removeAccount: Description = {
  operationId: 'deleteAccount',
  summary: 'Delete an account that owns nothing',
  description:
    'Deletes an account with its keys, sessions and memberships. It needs a session or a key with the scope `admin`, of the user itself or of an owner of the organization. An account that still owns collections is refused: delete them first. A user who is the only owner of an organization is refused, too. Its slug is kept as after a change of the slug, for the same person who signs in again or the owners of the organization; collections that it transferred before are still found by their former paths.',
  codes: ['account_not_found', 'not_a_member', 'insufficient_role', 'has_collections', 'last_owner'],
}

export const listMembers: Description = {
  operationId: 'listMembers',
  summary: 'Members of an organization',
  description:
    'Lists the members of an organization by slug, with their roles and since when they have been members. Only members may ask, with a credential of any scope that is not limited to a collection. A page has 50 members unless `limit` says otherwise, and 100 at most.',
  answers: { 200: 'A page of members.' },
  codes: ['account_not_found', 'not_a_member', 'not_an_org'],
}

export const setMember: Description = {
  operationId: 'setMember',
  summary: 'Add a member or change its role',
  description:
    'Makes a user a member of an organization, or gives a member another role. Admins may do so up to the role `admin`; only owners make owners or change them. The same request again changes nothing. The last owner cannot be given a lower role. Where the operator set `MEMBERS=invited`, who is not a member yet is invited instead (202).',
  answers: { 202: 'The user was invited, and is no member before accepting.' },
  codes: [
    'account_not_found',
    'not_a_member',
    'insufficient_role',
    'last_owner',
    'not_an_org',
    'not_a_user',
    'too_many_invitations',
  ],
}

export const removeMember: Description = {
  operationId: 'removeMember',
  summary: 'Remove a member, or leave',
  description:
    'Ends a membership. Admins may remove members and admins, owners anyone, and every member may leave. The last owner cannot leave: make another member owner first, or delete the organization. It needs a session or a key with the scope `admin`.',
  codes: [
    'account_not_found',
    'member_not_found',
    'not_a_member',
    'insufficient_role',
    'last_owner',
    'not_an_org',
    'not_a_user',
  ],
}
