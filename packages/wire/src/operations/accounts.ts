/** Accounts: users and organizations. http-api §3. */
import { z } from 'zod'
import { Account, AccountUsage, CreateOrg, OrgSettings, OwnAccount, UpdateAccount } from '../accounts.ts'
import { ListQuery } from '../lists.ts'
import { Membership } from '../members.ts'
import { operation } from '../operation.ts'
import { AccountPath, OrgPath } from '../paths.ts'
import { Done } from '../text.ts'

export const accountOperations = {
  'POST /api/accounts': operation({
    id: 'createOrganization',
    tag: 'accounts',
    summary: 'Create an organization',
    description:
      'Creates an organization with the caller as its first owner. It needs a session or a key with the scope `admin`. The slug is shared with users and may have 39 characters; some words are reserved. A user may own 100 organizations unless the operator set another number. Next, add members with `PUT /api/accounts/{slug}/members/{user}`.',
    entrance: { scope: 'admin', unlimited: true },
    body: CreateOrg,
    answers: { 201: Account },
    answerWords: { 201: 'The new organization.' },
    refusals: ['too_many_organizations', 'slug_taken', 'slug_kept', 'invalid_slug', 'reserved_slug'],
  }),
  'GET /api/accounts/me': operation({
    id: 'getOwnAccount',
    tag: 'accounts',
    summary: 'The caller’s account',
    description:
      'Answers the account that the session or the key belongs to. Any scope works. No other call answers an e-mail address. Use it to find out whether a credential is good, and what the slug of its account is.',
    entrance: { scope: 'any' },
    answers: { 200: OwnAccount },
  }),
  'GET /api/accounts/me/memberships': operation({
    id: 'listMemberships',
    tag: 'accounts',
    summary: 'The organizations of the caller',
    description:
      'Lists the organizations that the caller is a member of, with its role in each, by slug. Any scope works. A page has 50 organizations unless `limit` says otherwise, and 100 at most.',
    entrance: { scope: 'any' },
    query: ListQuery,
    answers: { 200: z.array(Membership) },
    answerWords: { 200: 'A page of organizations. It is empty for who is a member of none.' },
  }),
  'GET /api/accounts/:slug': operation({
    id: 'getAccount',
    tag: 'accounts',
    summary: 'The public profile of an account',
    description:
      'Answers the public profile of a user or an organization. It needs no credential, since every account is public. The profile has no e-mail address. Its collections are at `GET /api/accounts/{owner}/collections`.',
    params: AccountPath,
    answers: { 200: Account },
    refusals: ['account_not_found'],
  }),
  'PATCH /api/accounts/:slug': operation({
    id: 'updateAccount',
    tag: 'accounts',
    summary: 'Change an account',
    description:
      'Changes the display name or the slug of an account; what the body leaves out stays. It needs a session or a key with the scope `admin`, of the user itself or of an admin of the organization. After a change of the slug the former one answers 308, and is kept for its owner: for 90 days, and for good if a version was public below it. The caller’s account can be changed by its own slug. `settings` are those of an organization, and for its owners.',
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: UpdateAccount,
    answers: { 200: Done },
    refusals: [
      'account_not_found',
      'not_an_org',
      'not_a_member',
      'insufficient_role',
      'slug_taken',
      'slug_kept',
      'invalid_slug',
      'reserved_slug',
    ],
  }),
  'GET /api/accounts/:slug/settings': operation({
    id: 'getSettings',
    tag: 'accounts',
    summary: 'Settings of an organization',
    description:
      'Answers whether members may make a private collection public, and how collections begin. Only members may ask, with a credential of any scope that is not limited to a collection. Owners change them with `PATCH /api/accounts/{slug}`.',
    entrance: { scope: 'any', unlimited: true },
    params: OrgPath,
    answers: { 200: OrgSettings },
    refusals: ['account_not_found', 'not_a_member', 'not_an_org'],
  }),
  'DELETE /api/accounts/:slug': operation({
    id: 'deleteAccount',
    tag: 'accounts',
    summary: 'Delete an account that owns nothing',
    description:
      'Deletes an account with its keys, sessions and memberships. It needs a session or a key with the scope `admin`, of the user itself or of an owner of the organization. An account that still owns collections is refused: delete them first. A user who is the only owner of an organization is refused, too. Its slug is kept as after a change of the slug, for the same person who signs in again or the owners of the organization; collections that it transferred before are still found by their former paths.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    answers: { 200: Done },
    refusals: ['account_not_found', 'not_a_member', 'insufficient_role', 'has_collections', 'last_owner'],
  }),
  'GET /api/accounts/:slug/usage': operation({
    id: 'getAccountUsage',
    tag: 'accounts',
    summary: 'What an account has stored',
    description:
      'Answers the bytes that versions and files of the account take, those that push sessions have received, what both may come to, and the collections that take most. A version takes what it added to the store, compressed; a fork nothing as long as its source is there. What an organization stores counts against the quota of the user who made it until an operator gives it one of its own. Only members of an organization and the user itself may ask, with a credential of any scope that is not limited to a collection.',
    entrance: { scope: 'any', unlimited: true },
    params: AccountPath,
    answers: { 200: AccountUsage },
    refusals: ['account_not_found', 'not_a_member'],
  }),
}
