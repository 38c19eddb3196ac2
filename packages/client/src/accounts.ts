/** Accounts, organizations and their members, API keys. interface.md "Accounts and keys"; http-api §3, §11. */
import type {
  Account,
  AccountUsage,
  AnsweredInvitation,
  AuditEvent,
  CreatedInvitation,
  CreatedKey,
  CreateInvitation,
  CreateKey,
  CreateOrg,
  Done,
  Invitation,
  Key,
  Member,
  Membership,
  MyCollection,
  OrgSettings,
  OwnAccount,
  OwnInvitation,
  Role,
  UpdateAccount,
} from '@ulmus/wire'
import { type AuditFilters, type AuditOptions, streamAudit } from './audit.ts'
import { everyItem, readPage } from './lists.ts'
import { accountPlace } from './places.ts'
import type { Transport } from './transport.ts'

export const accountCalls = (transport: Transport) => ({
  /** The account of this client's credential, with its e-mail address. @throws unauthenticated */
  me: async () => (await transport.json<OwnAccount>({ path: '/api/accounts/me' })).body,
  /** The public profile of any account. @throws account_not_found */
  get: async (slug: string) => (await transport.json<Account>({ path: accountPlace(slug) })).body,
  /** The organizations that the account is a member of, with its role in each. */
  memberships: () => everyItem(readPage<Membership>(transport, '/api/accounts/me/memberships', {})),
  /** The collections of the account and of its organizations, the latest change first. */
  collections: () => everyItem(readPage<MyCollection>(transport, '/api/accounts/me/collections', {})),
  /** Changes the given fields; a former slug redirects until another account takes it. */
  update: async (slug: string, changes: UpdateAccount) =>
    (await transport.json<Done>({ method: 'PATCH', path: accountPlace(slug), json: changes })).body,
  /** Deletes an account that owns no collections. @throws has_collections */
  remove: async (slug: string) =>
    (await transport.json<Done>({ method: 'DELETE', path: accountPlace(slug) })).body,
  /** The invitations that were made for the account by its slug, the newest first. */
  invitations: () => everyItem(readPage<OwnInvitation>(transport, '/api/accounts/me/invitations', {})),
  /**
   * Joins an organization, or declines. Either uses the invitation up. @throws invitation_not_found
   * @param invitation the token of its link, or the id of one's own
   */
  answerInvitation: async (invitation: string, accept: boolean) => {
    const path = `/api/invitations/${encodeURIComponent(invitation)}`
    return (await transport.json<AnsweredInvitation>({ method: 'POST', path, json: { accept } })).body
  },
  /** A page of the acts in an organization, or by and on a user, newest first. @throws insufficient_role */
  audit: (slug: string, options: AuditOptions = {}) =>
    readPage<AuditEvent>(transport, `${accountPlace(slug)}/audit`, { ...options }),
  /** All of it, page by page. */
  auditAll: (slug: string, filters: AuditFilters = {}) =>
    everyItem(readPage<AuditEvent>(transport, `${accountPlace(slug)}/audit`, { limit: 100, ...filters })),
  /** All of it as one answer, for logs of any length. */
  auditStream: (slug: string, filters: AuditFilters = {}, signal?: AbortSignal) =>
    streamAudit(transport, slug, filters, signal),
  /** Storage usage of an account, for its members. @throws account_not_found, not_a_member */
  usage: async (slug: string) =>
    (await transport.json<AccountUsage>({ path: `${accountPlace(slug)}/usage` })).body,
})

export const orgCalls = (transport: Transport) => {
  const member = (org: string, user: string) => `${accountPlace(org)}/members/${encodeURIComponent(user)}`
  const invitations = (org: string) => `${accountPlace(org)}/invitations`
  return {
    /** Makes an organization whose owner is the caller. @throws slug_taken, invalid_slug, reserved_slug */
    create: async (org: CreateOrg) =>
      (await transport.json<Account>({ method: 'POST', path: '/api/accounts', json: org })).body,
    /** Its members, to members. */
    members: (org: string) => everyItem(readPage<Member>(transport, `${accountPlace(org)}/members`, {})),
    /**
     * Adds a member or changes its role. If the registry requires consent, a new member gets an invitation instead.
     * @throws insufficient_role, last_owner, not_a_user
     */
    setMember: async (org: string, user: string, role: Role) => {
      const call = { method: 'PUT', path: member(org, user), json: { role } } as const
      return (await transport.json<Done | CreatedInvitation>(call)).body
    },
    removeMember: async (org: string, user: string) =>
      (await transport.json<Done>({ method: 'DELETE', path: member(org, user) })).body,
    /** Invites a user, or anyone with the link. Only this answer contains the link. @throws already_member */
    invite: async (org: string, invitation: CreateInvitation) => {
      const call = { method: 'POST', path: invitations(org), json: invitation } as const
      return (await transport.json<CreatedInvitation>(call)).body
    },
    /** Open invitations, newest first. Admins only. */
    invitations: (org: string) => everyItem(readPage<Invitation>(transport, invitations(org), {})),
    /** Takes an invitation back. @throws invitation_not_found */
    removeInvitation: async (org: string, id: string) => {
      const path = `${invitations(org)}/${encodeURIComponent(id)}`
      return (await transport.json<Done>({ method: 'DELETE', path })).body
    },
    /** Its settings, to members. @throws not_an_org, not_a_member */
    settings: async (org: string) =>
      (await transport.json<OrgSettings>({ path: `${accountPlace(org)}/settings` })).body,
    /** Changes the given fields, for owners. @throws insufficient_role */
    changeSettings: async (org: string, settings: Partial<OrgSettings>) =>
      (await transport.json<Done>({ method: 'PATCH', path: accountPlace(org), json: { settings } })).body,
  }
}

export const keyCalls = (transport: Transport) => ({
  /** Makes a key no stronger than this client's credential. The raw key is in this answer and nowhere else. */
  create: async (key: CreateKey) =>
    (await transport.json<CreatedKey>({ method: 'POST', path: '/api/accounts/keys', json: key })).body,
  list: () => everyItem(readPage<Key>(transport, '/api/accounts/keys', {})),
  revoke: async (id: string) =>
    (await transport.json<Done>({ method: 'DELETE', path: `/api/accounts/keys/${encodeURIComponent(id)}` }))
      .body,
})
