/** Resolves a collection for a request, by path or id, with its owner, its head, and the caller's role and grant. */
import type { Queries } from '../../database/database.ts'
import type { GrantLevel } from '../access/collaborators.ts'
import { type AccountRow, accounts, noAccount } from '../accounts/accounts.ts'
import { slugHash } from '../accounts/former-slugs.ts'
import { roleOf } from '../accounts/members.ts'
import { type CollectionRow, collections } from '../collections/collections.ts'
import { wholeRow } from '../columns/rows.ts'
import { type VersionRow, versions } from '../versions/versions.ts'

/** A collection found by path, with the data that every request about it needs, in one look-up. */
export interface FoundCollection {
  collection: CollectionRow
  owner: AccountRow
  head: VersionRow | null
  /** Role of `accountId` in the owner: `owner` in its own account, its membership in an org, else null. */
  role: 'owner' | 'admin' | 'member' | null
  /** Grant of `accountId` on the collection. */
  grant: GrantLevel | null
  /** `accountId` opened it as an operator for its present owner; perhaps the time is over. */
  opening: { reason: string; until: Date } | null
}

const whole = { collection: wholeRow(collections), owner: wholeRow(accounts), head: wholeRow(versions) }

/** $1: `accountId` */
const startingPoint = `select ${whole.collection.text} as collection, ${whole.owner.text} as owner, ${whole.head.text} as head, role, level as "grant", opening.reason, opening.until
  from collections join accounts on accounts.id = collections.owner_id
    left join versions on versions.id = collections.head_id
    left join members on org_id = accounts.id and user_id = $1
    left join collaborators on collaborators.collection_id = collections.id and collaborators.user_id = $1
    left join operator_openings opening on opening.collection_id = collections.id and opening.account_id = $1
      and opening.owner_id = collections.owner_id`

type StartingPoint = Record<keyof typeof whole, unknown> &
  Pick<FoundCollection, 'role' | 'grant'> & { reason: string | null; until: Date | null }

function foundIn(rows: StartingPoint[], accountId: string | null): FoundCollection | undefined {
  const row = rows[0]
  if (row === undefined) return undefined
  const owner = whole.owner.read(row.owner)!
  const role = roleOf(accountId, owner.id, row.role)
  const { reason, until, grant } = row
  const opening = reason === null || until === null ? null : { reason, until }
  return {
    ...{ collection: whole.collection.read(row.collection)!, owner, head: whole.head.read(row.head) },
    ...{ role, grant, opening },
  }
}

/** Finds a collection by its current path; for former ones see `findFormerCollection`. */
export async function findCollectionByPath(
  at: Queries,
  { owner, slug }: { owner: string; slug: string },
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  const { rows } = await at.lookUp<StartingPoint>(
    collectionByPath,
    [accountId ?? noAccount, owner, slug],
    'collection_by_path',
  )
  return foundIn(rows, accountId)
}

const collectionByPath = `${startingPoint} where accounts.slug = $2 and collections.slug = $3`

export async function findCollectionById(
  at: Queries,
  id: string,
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  const { rows } = await at.query<StartingPoint>(`${startingPoint} where collections.id = $2`, [
    accountId ?? noAccount,
    id,
  ])
  return foundIn(rows, accountId)
}

/** `owner/slug` by id, of those collections that are public or that the account has a role in or a grant on. */
export async function visibleNames(
  at: Queries,
  ids: readonly string[],
  accountId: string,
): Promise<Map<string, string>> {
  const { rows } = await at.query<{ id: string; name: string }>(
    `select c.id, o.slug || '/' || c.slug as name from collections c join accounts o on o.id = c.owner_id
     where c.id = any($1) and (c.public or c.owner_id = $2
       or exists (select from members where org_id = c.owner_id and user_id = $2)
       or exists (select from collaborators g where g.collection_id = c.id and g.user_id = $2))`,
    [ids, accountId],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** $2: slug of the owner; $3: its hash. After the reservation of a slug has ended, a new account with the slug replaces the former one. */
const formerOwners = `select former.account_id from former_account_slugs former
  where former.slug_hash = $3 and (coalesce(former.kept_until > now(), true)
    or not exists (select from accounts taken where taken.slug = $2))`

/** $4: slug of the collection */
const ofFormerOwner = `${startingPoint}
  where collections.owner_id in (${formerOwners}) and collections.slug = $4 limit 1`

const renamed = `${startingPoint}
  where collections.id in (
    select known.collection_id from former_collection_slugs known
    where (known.owner_id in (select id from accounts where slug = $2) or known.owner_id in (${formerOwners}))
      and known.slug = $4)
  limit 1`

/**
 * The collection that a path referred to before the collection or its owner was renamed. Always makes two look-ups, so that the
 * response time reveals nothing about a collection that the caller may not see.
 */
export async function findFormerCollection(
  at: Queries,
  { owner, slug }: { owner: string; slug: string },
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  const values = [accountId ?? noAccount, owner, slugHash(owner), slug]
  const first = await at.query<StartingPoint>(ofFormerOwner, values)
  const second = await at.query<StartingPoint>(renamed, values)
  return foundIn([...first.rows, ...second.rows], accountId)
}
