/**
 * Authority of a request, checked again by the transaction that records its result. A request is checked on arrival, but its body may take
 * hours: meanwhile its key may be revoked, or its account may lose its membership or grant. The checked rows stay locked until the transaction ends,
 * so a revocation waits for it, and nothing is recorded after a revocation was acknowledged.
 *
 * Locks are taken in this order everywhere: the account, the collection, the membership, the grant, the credential.
 */
import type { Queries, Tx } from '../../database/database.ts'
import type { MemberRow } from '../accounts/members.ts'
import type { GrantLevel } from './collaborators.ts'

type Role = MemberRow['role']

/** A request's credential: an API key, or a browser session. */
export type Credential = { readonly key: string } | { readonly session: string }

/** Conditions that the recording transaction checks again. */
export interface Authority {
  readonly accountId: string
  /** Credential that must still be valid. Null: none, the account acts by itself. */
  readonly credential: Credential | null
  /** Account that owns the recorded data. */
  readonly ownerId: string
  /** Roles in the owner that are sufficient. */
  readonly roles: readonly Role[]
  /** Collection, and grants on it that are sufficient, too. Undefined: only roles are. */
  readonly granted?: { readonly collectionId: string; readonly grants: readonly GrantLevel[] } | undefined
  readonly now: Date
}

const keyOf = (credential: Credential | null) =>
  credential !== null && 'key' in credential ? credential.key : null
const sessionOf = (credential: Credential | null) =>
  credential !== null && 'session' in credential ? credential.session : null

/** Argument of `hold_authority` (authority.sql), which locks the rows that it checks. */
export const authorityAsJson = ({ ownerId, accountId, roles, granted, credential, now }: Authority): string =>
  JSON.stringify({
    ...{ ownerId, accountId, roles, ...granted, now },
    ...{ key: keyOf(credential), session: sessionOf(credential) },
  })

/** A caller's relation to a collection. */
export interface Standing {
  /** True if the credential is valid. */
  isGood: boolean
  /** Undefined if the collection is gone. */
  collection: { id: string; ownerId: string; public: boolean } | undefined
  /** Role of the caller's account in the owner. */
  role: Role | null
  /** Grant of the caller's account on the collection. */
  grant: GrantLevel | null
}

/** Runs a single statement. The result holds until the transaction ends. */
export async function lockStanding(
  tx: Tx,
  asked: { collectionId: string } & Pick<Authority, 'accountId' | 'credential' | 'now'>,
): Promise<Standing> {
  const { rows } = await tx.query<{
    ownerId: string | null
    public: boolean
    own: boolean
    role: Role | null
    grant: GrantLevel | null
    good: boolean
  }>(
    `with place as (select id, owner_id, public from collections where id = $1 for key share),
       membership as (
         select role from place, members where org_id = owner_id and user_id = $2 for share of members),
       granted as (
         select level from place, collaborators where collection_id = place.id and user_id = $2 for share of collaborators)
     select place.owner_id as "ownerId", place.public, place.owner_id = $2 as own, (select role from membership) as role, (select level from granted) as "grant",
       hold_credential($2, $3, $4, $5) as good
     from (values (1)) as one left join place on true`,
    [asked.collectionId, asked.accountId, keyOf(asked.credential), sessionOf(asked.credential), asked.now],
    'lock_standing',
  )
  const { ownerId, good, own, role, grant, ...row } = rows[0]!
  return {
    isGood: good,
    collection: ownerId === null ? undefined : { id: asked.collectionId, ownerId, public: row.public },
    role: own ? 'owner' : role,
    grant,
  }
}

/** Checks whether a credential is valid, and locks it, so that it stays valid until the transaction ends. Runs a single statement. */
export async function lockCredential(
  at: Queries,
  { accountId, credential }: Pick<Authority, 'accountId' | 'credential'>,
  now: Date,
): Promise<boolean> {
  const { rows } = await at.query<{ good: boolean }>(
    'select hold_credential($1, $2, $3, $4) as good',
    [accountId, keyOf(credential), sessionOf(credential), now],
    'lock_credential',
  )
  return rows[0]!.good
}
