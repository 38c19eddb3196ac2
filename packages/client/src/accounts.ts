/** Accounts, organizations and their members, API keys. interface.md "Accounts and keys"; http-api §3. */
import type {
  Account,
  CreatedKey,
  CreateKey,
  CreateOrg,
  Done,
  Key,
  Member,
  Membership,
  MyCollection,
  OwnAccount,
  Role,
  UpdateAccount,
} from '@ulmus/wire'
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
  /** Changes what is given; a former slug leads on until someone takes it. */
  update: async (slug: string, changes: UpdateAccount) =>
    (await transport.json<Done>({ method: 'PATCH', path: accountPlace(slug), json: changes })).body,
  /** Deletes an account that owns no collections. @throws has_collections */
  remove: async (slug: string) =>
    (await transport.json<Done>({ method: 'DELETE', path: accountPlace(slug) })).body,
})

export const orgCalls = (transport: Transport) => {
  const member = (org: string, user: string) => `${accountPlace(org)}/members/${encodeURIComponent(user)}`
  return {
    /** Makes an organization whose owner is the caller. @throws slug_taken, invalid_slug, reserved_slug */
    create: async (org: CreateOrg) =>
      (await transport.json<Account>({ method: 'POST', path: '/api/accounts', json: org })).body,
    /** Its members, to members. */
    members: (org: string) => everyItem(readPage<Member>(transport, `${accountPlace(org)}/members`, {})),
    /** Adds a member or changes its role. @throws insufficient_role, last_owner, not_a_user */
    setMember: async (org: string, user: string, role: Role) =>
      (await transport.json<Done>({ method: 'PUT', path: member(org, user), json: { role } })).body,
    removeMember: async (org: string, user: string) =>
      (await transport.json<Done>({ method: 'DELETE', path: member(org, user) })).body,
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
