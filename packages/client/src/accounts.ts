/** Accounts, organizations and their members, API keys. interface.md "Accounts and keys"; http-api §3, §11. */
import type {
  CreatedInvitation,
  CreateInvitation,
  CreateKey,
  CreateOrg,
  Done,
  OrgSettings,
  Role,
  UpdateAccount,
} from '@ulmus/wire'
import { type AuditFilters, type AuditOptions, streamAudit } from './audit.ts'
import { call, readPage } from './calls.ts'
import { everyItem } from './lists.ts'
import type { Transport } from './transport.ts'

export const accountCalls = (transport: Transport) => ({
  /** The account of this client's credential, with its e-mail address. @throws unauthenticated */
  me: () => call(transport, 'GET /api/accounts/me', {}),
  /** The public profile of any account. @throws account_not_found */
  get: (slug: string) => call(transport, 'GET /api/accounts/:slug', { slug }),
  /** Everything that is stored about the account, except the content of its collections. */
  export: () => call(transport, 'GET /api/accounts/me/export', {}),
  /** Organizations of the account, with its role in each. */
  memberships: () => everyItem(readPage(transport, 'GET /api/accounts/me/memberships', {})),
  /** Collections of the account and of its organizations, and those that it has a grant on; last changed first. */
  collections: () => everyItem(readPage(transport, 'GET /api/accounts/me/collections', {})),
  /** Changes the given fields; a former slug redirects until another account takes it. */
  update: (slug: string, changes: UpdateAccount) =>
    call(transport, 'PATCH /api/accounts/:slug', { slug }, { json: changes }),
  /** Deletes an account that owns no collections. @throws has_collections */
  remove: (slug: string) => call(transport, 'DELETE /api/accounts/:slug', { slug }),
  /** Invitations to organizations and collections that name the account by its slug, newest first. */
  invitations: () => everyItem(readPage(transport, 'GET /api/accounts/me/invitations', {})),
  /**
   * Joins an organization or a collection, or declines. Both consume the invitation.
   * @throws invitation_not_found, already_member, already_collaborator, too_many_collaborators
   * @param invitation the token of its link, or the id of an invitation that names the account
   */
  answerInvitation: (invitation: string, accept: boolean) =>
    call(transport, 'POST /api/invitations/:token', { token: invitation }, { json: { accept } }),
  /** A page of the audit log of an organization or user, newest first. @throws insufficient_role */
  audit: (slug: string, options: AuditOptions = {}) =>
    readPage(transport, 'GET /api/accounts/:slug/audit', { slug }, { query: options }),
  /** The whole audit log, page by page. */
  auditAll: (slug: string, filters: AuditFilters = {}) =>
    everyItem(
      readPage(transport, 'GET /api/accounts/:slug/audit', { slug }, { query: { limit: 100, ...filters } }),
    ),
  /** The whole audit log as one streamed answer, for logs of any length. */
  auditStream: (slug: string, filters: AuditFilters = {}, signal?: AbortSignal) =>
    streamAudit(transport, slug, filters, signal),
  /** Storage usage of an account, for its members. @throws account_not_found, not_a_member */
  usage: (slug: string) => call(transport, 'GET /api/accounts/:slug/usage', { slug }),
})

export const orgCalls = (transport: Transport) => ({
  /** Creates an organization owned by the caller. @throws slug_taken, invalid_slug, reserved_slug */
  create: (org: CreateOrg) => call(transport, 'POST /api/accounts', {}, { json: org }),
  /** Members of the organization. The caller must be one of them. */
  members: (org: string) => everyItem(readPage(transport, 'GET /api/accounts/:slug/members', { slug: org })),
  /**
   * Adds a member or changes its role. If the registry requires consent, a new member gets an invitation instead.
   * @throws insufficient_role, last_owner, not_a_user
   */
  setMember: (org: string, user: string, role: Role): Promise<Done | CreatedInvitation> =>
    call(transport, 'PUT /api/accounts/:slug/members/:user', { slug: org, user }, { json: { role } }),
  removeMember: (org: string, user: string) =>
    call(transport, 'DELETE /api/accounts/:slug/members/:user', { slug: org, user }),
  /** Invites a user, or anyone with the link. Only this answer contains the link. @throws already_member */
  invite: (org: string, invitation: CreateInvitation) =>
    call(transport, 'POST /api/accounts/:slug/invitations', { slug: org }, { json: invitation }),
  /** Open invitations, newest first. Admins only. */
  invitations: (org: string) =>
    everyItem(readPage(transport, 'GET /api/accounts/:slug/invitations', { slug: org })),
  /** Revokes an invitation. @throws invitation_not_found */
  removeInvitation: (org: string, id: string) =>
    call(transport, 'DELETE /api/accounts/:slug/invitations/:id', { slug: org, id }),
  /** Settings of the organization, for members. @throws not_an_org, not_a_member */
  settings: (org: string) => call(transport, 'GET /api/accounts/:slug/settings', { slug: org }),
  /** Changes the given settings, for owners. @throws insufficient_role */
  changeSettings: (org: string, settings: Partial<OrgSettings>) =>
    call(transport, 'PATCH /api/accounts/:slug', { slug: org }, { json: { settings } }),
})

export const keyCalls = (transport: Transport) => ({
  /** Creates a key no stronger than this client's credential. Only this answer contains the raw key. */
  create: (key: CreateKey) => call(transport, 'POST /api/accounts/keys', {}, { json: key }),
  list: () => everyItem(readPage(transport, 'GET /api/accounts/keys', {})),
  revoke: (id: string) => call(transport, 'DELETE /api/accounts/keys/:id', { id }),
})
