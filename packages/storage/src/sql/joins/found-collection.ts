/** A collection as a request finds it: by its path or id, with its owner, its head and the caller's role. */
import { and, eq, inArray, or, type Placeholder, sql } from 'drizzle-orm'
import type { Queries } from '../../database/database.ts'
import { prepared } from '../../database/look-ups.ts'
import type { Orm } from '../../database/orm.ts'
import { type AccountRow, accounts, noAccount } from '../accounts/accounts.ts'
import { formerAccountSlugs, slugHash } from '../accounts/former-slugs.ts'
import { members, roleOf } from '../accounts/members.ts'
import { type CollectionRow, collections } from '../collections/collections.ts'
import { formerCollectionSlugs } from '../collections/former-slugs.ts'
import { wholeRow, wholeRowIfAny } from '../columns/whole-row.ts'
import { type VersionRow, versions } from '../versions/versions.ts'

/** A collection by its path with everything a request about it starts from, in one look-up. */
export interface FoundCollection {
  collection: CollectionRow
  owner: AccountRow
  head: VersionRow | null
  /** Role of `accountId` in the owner: `owner` in its own account, its membership in an org, else null. */
  role: 'owner' | 'admin' | 'member' | null
}

const startingPointIn = (orm: Orm, accountId: string | Placeholder) =>
  orm
    .select({
      collection: wholeRow(collections),
      owner: wholeRow(accounts),
      head: wholeRowIfAny(versions),
      memberRole: members.role,
    })
    .from(collections)
    .innerJoin(accounts, eq(accounts.id, collections.ownerId))
    .leftJoin(versions, eq(versions.id, collections.headId))
    .leftJoin(members, and(eq(members.orgId, accounts.id), eq(members.userId, accountId)))

const startingPoint = (at: Queries, accountId: string | null) =>
  startingPointIn(at.orm, accountId ?? noAccount)

type StartingPoint = Awaited<ReturnType<typeof startingPoint>>[number]

function foundIn(rows: StartingPoint[], accountId: string | null): FoundCollection | undefined {
  const row = rows[0]
  if (row === undefined) return undefined
  const role = roleOf(accountId, row.owner.id, row.memberRole)
  return { collection: row.collection, owner: row.owner, head: row.head, role }
}

export async function findCollectionByPath(
  at: Queries,
  path: { owner: string; slug: string },
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  return foundIn(await collectionByPath(at, { ...path, accountId: accountId ?? noAccount }), accountId)
}

const collectionByPath = prepared((orm) =>
  startingPointIn(orm, sql.placeholder('accountId'))
    .where(and(eq(accounts.slug, sql.placeholder('owner')), eq(collections.slug, sql.placeholder('slug'))))
    .prepare('collection_by_path'),
)

export async function findCollectionById(
  at: Queries,
  id: string,
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  return foundIn(await startingPoint(at, accountId).where(eq(collections.id, id)).limit(1), accountId)
}

/**
 * The collection that a path led to before its owner or itself was renamed. Two look-ups, whatever there is, so that the time they
 * take tells nothing of a collection that the caller may not see.
 */
export async function findFormerCollection(
  at: Queries,
  path: { owner: string; slug: string },
  accountId: string | null,
): Promise<FoundCollection | undefined> {
  const owners = at.orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.slug, path.owner))
  const formerOwners = at.orm
    .select({ id: formerAccountSlugs.accountId })
    .from(formerAccountSlugs)
    // Once it is kept no longer, an account that takes it has nothing to do with the former one.
    .where(
      sql`${formerAccountSlugs.slugHash} = ${slugHash(path.owner)} and (coalesce(${formerAccountSlugs.keptUntil} > now(), true)
        or not exists (select from accounts taken where taken.slug = ${path.owner}))`,
    )
  const ofFormerOwner = await startingPoint(at, accountId)
    .where(and(inArray(collections.ownerId, formerOwners), eq(collections.slug, path.slug)))
    .limit(1)
  const formerIds = at.orm
    .select({ id: formerCollectionSlugs.collectionId })
    .from(formerCollectionSlugs)
    .where(
      and(
        or(
          inArray(formerCollectionSlugs.ownerId, owners),
          inArray(formerCollectionSlugs.ownerId, formerOwners),
        ),
        eq(formerCollectionSlugs.slug, path.slug),
      ),
    )
  const renamed = await startingPoint(at, accountId).where(inArray(collections.id, formerIds)).limit(1)
  return foundIn([...ofFormerOwner, ...renamed], accountId)
}
