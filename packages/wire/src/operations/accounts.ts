/**
 * Operations on accounts, which are users and organizations: create, read, change, delete, read usage. The work is in
 * packages/registry/src/accounts. docs/design/http-api.md §3.
 */
import { z } from 'zod'
import { AccountExport } from '../account-export.ts'
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
      'Creates an organization with the caller as its first owner. Requires a session or a key with the `admin` scope. The slug has at most 39 characters, must not be in use by a user or an organization, and must not be a reserved word. A user can own 100 organizations by default. Next, add members with `PUT /api/accounts/{slug}/members/{user}`.',
    entrance: { scope: 'admin', unlimited: true },
    body: CreateOrg,
    answers: { 201: Account },
    answerWords: { 201: 'The new organization.' },
    refusals: ['too_many_organizations', 'slug_taken', 'slug_kept', 'invalid_slug', 'reserved_slug'],
  }),
  'GET /api/accounts/me': operation({
    id: 'getOwnAccount',
    tag: 'accounts',
    summary: 'Get the authenticated account',
    description:
      'Returns the account of the session or key, including its e-mail address, which only this call and those of operators return. Requires any scope. Use it to check a credential and to learn the slug of its account.',
    entrance: { scope: 'any' },
    answers: { 200: OwnAccount },
  }),
  'GET /api/accounts/me/export': operation({
    id: 'exportAccount',
    tag: 'accounts',
    summary: 'Export everything stored about the authenticated account',
    description:
      'Streams one JSON document with everything that is stored about the caller: profile, e-mail address, identities, sessions, keys, memberships, grants, collections, versions, events, audit events. Requires a session or a key with the `admin` scope. Secrets are stored as hashes only, and left out; of others it contains slugs only. The content of collections is at the paths in `collections`. [Personal data](/docs/personal-data) describes each part.',
    entrance: { scope: 'admin', unlimited: true },
    tagged: false,
    answers: { 200: AccountExport },
    answerWords: { 200: 'The document, with a file name in `Content-Disposition`.' },
    refusals: ['busy'],
  }),
  'GET /api/accounts/me/memberships': operation({
    id: 'listMemberships',
    tag: 'accounts',
    summary: 'List organizations of the authenticated account',
    description:
      'Lists the organizations that the caller is a member of, with the caller’s role in each, by slug. Requires any scope.',
    entrance: { scope: 'any' },
    query: ListQuery,
    answers: { 200: z.array(Membership) },
    answerWords: { 200: 'A page of organizations; empty if the caller is a member of none.' },
  }),
  'GET /api/accounts/:slug': operation({
    id: 'getAccount',
    tag: 'accounts',
    summary: 'Get an account',
    description:
      'Returns the public profile of a user or an organization, without its e-mail address. No credential is required. List its collections with `GET /api/accounts/{owner}/collections`.',
    params: AccountPath,
    answers: { 200: Account },
  }),
  'PATCH /api/accounts/:slug': operation({
    id: 'updateAccount',
    tag: 'accounts',
    summary: 'Update an account',
    description:
      'Changes the display name, the slug or the settings of an account; omitted fields stay as they are. Requires a session or a key with the `admin` scope, of the user itself or of an admin of the organization. `settings` exist for organizations only, and only owners can change them; `takesMail` exists for users only. After a change of the slug, the former slug answers 308. It stays reserved for its owner for 90 days, or for good if a version was public under it.',
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: UpdateAccount,
    answers: { 200: Done },
    refusals: ['not_an_org', 'slug_taken', 'slug_kept', 'invalid_slug', 'reserved_slug'],
  }),
  'GET /api/accounts/:slug/settings': operation({
    id: 'getSettings',
    tag: 'accounts',
    summary: 'Get the settings of an organization',
    description:
      'Returns whether members can make a private collection public, and the visibility of new collections. Requires membership and a credential of any scope that is not limited to a collection. Owners change the settings with `PATCH /api/accounts/{slug}`.',
    entrance: { scope: 'any', unlimited: true },
    params: OrgPath,
    answers: { 200: OrgSettings },
    refusals: ['not_an_org'],
  }),
  'DELETE /api/accounts/:slug': operation({
    id: 'deleteAccount',
    tag: 'accounts',
    summary: 'Delete an account',
    description:
      'Deletes an account with its keys, sessions and memberships. Requires a session or a key with the `admin` scope, of the user itself or of an owner of the organization. Delete or transfer its collections first: an account that owns any is refused, and so is a user who is the only owner of an organization. The slug stays reserved as after a change of the slug, for the same person who signs in again or for the owners of the organization. Former paths of collections that it transferred still lead to them.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    answers: { 200: Done },
    refusals: ['has_collections', 'last_owner'],
  }),
  'GET /api/accounts/:slug/usage': operation({
    id: 'getAccountUsage',
    tag: 'accounts',
    summary: 'Get the storage usage of an account',
    description:
      'Returns the bytes stored in versions and files, the bytes received by open push sessions, the quota, and the largest collections. A version counts the compressed bytes that it added to the store; a fork counts nothing while its source exists. Until an operator sets a quota for an organization, its storage counts against the quota of the user who created it. Requires membership of the organization, or to be the user itself, and a credential of any scope that is not limited to a collection.',
    entrance: { scope: 'any', unlimited: true },
    params: AccountPath,
    answers: { 200: AccountUsage },
  }),
}
