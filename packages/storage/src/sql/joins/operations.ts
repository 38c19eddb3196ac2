/** Operator actions on accounts: list all of them, suspend, erase a person. */
import { asc, eq, gt, ilike, lt, or, sql } from 'drizzle-orm'
import type { Queries, Tx } from '../../database/database.ts'
import { apiKeys } from '../access/keys.ts'
import {
  type AccountRow,
  accounts,
  type IdentityKey,
  identities,
  passOnQuotas,
} from '../accounts/accounts.ts'
import { browserSessions } from '../accounts/browser-sessions.ts'
import { forgetFormerSlugs, keepAccountSlug } from '../accounts/former-slugs.ts'
import { members, type SlugSlice } from '../accounts/members.ts'

export interface AccountItem {
  account: AccountRow
  collections: number
  /** Stored. Bytes. */
  usedBytes: number
  identities: IdentityKey[]
}

/** Accounts by slug. @param search part of the slug, the name or the e-mail address, in any case; undefined: all */
export async function listAccounts(
  at: Queries,
  search: string | undefined,
  { beyond, backwards, limit, offset }: SlugSlice,
): Promise<AccountItem[]> {
  const slug = beyond === undefined ? undefined : String(beyond.value)
  const like = search === undefined ? undefined : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  const found =
    like === undefined
      ? undefined
      : or(ilike(accounts.slug, like), ilike(accounts.displayName, like), ilike(accounts.email, like))
  const within = slug === undefined ? undefined : (backwards ? lt : gt)(accounts.slug, slug)
  const rows = await at.orm
    .select({
      account: accounts,
      usedBytes: sql`used_bytes(${sql.raw('"accounts"."id"')})`.mapWith(Number),
      identities: sql<
        IdentityKey[]
      >`(select coalesce(json_agg(json_build_object('issuer', i.issuer, 'subject', i.subject)), '[]')
        from identities i where i.account_id = ${sql.raw('"accounts"."id"')})`,
      collections: sql<number>`(select count(*)::integer from collections c where c.owner_id = ${sql.raw('"accounts"."id"')})`,
    })
    .from(accounts)
    .where(found === undefined ? within : within === undefined ? found : sql`${found} and ${within}`)
    .orderBy(backwards ? sql`${accounts.slug} desc` : asc(accounts.slug))
    .limit(limit)
    .offset(offset)
  return rows
}

/** Identities that an account signs in with. */
export const identitiesOf = (at: Queries, accountId: string): Promise<IdentityKey[]> =>
  at.orm
    .select({ issuer: identities.issuer, subject: identities.subject })
    .from(identities)
    .where(eq(identities.accountId, accountId))

/** Ends every browser session of an account, after transactions that record with one; keys stay. The account is locked. */
export async function endCredentials(tx: Tx, accountId: string): Promise<void> {
  await tx.orm.delete(browserSessions).where(eq(browserSessions.accountId, accountId))
  await tx.query('select from api_keys where account_id = $1 for update', [accountId])
}

/**
 * Leaves nothing of a person but an account under another name, which owns what the person did: no name, e-mail address, identity, slug
 * in clear, membership, credential; in audit logs no address, no label of a key, and no slug.
 */
export async function erasePerson(
  tx: Tx,
  { id, slug, email }: Pick<AccountRow, 'id' | 'slug' | 'email'>,
  anonymous: Pick<AccountRow, 'slug' | 'displayName'> & { at: Date },
): Promise<void> {
  const of = (column: typeof members.userId | typeof identities.accountId) => eq(column, id)
  await tx.orm.delete(browserSessions).where(eq(browserSessions.accountId, id))
  await tx.orm.delete(apiKeys).where(eq(apiKeys.accountId, id))
  await tx.orm.delete(identities).where(of(identities.accountId))
  await tx.orm.delete(members).where(of(members.userId))
  await passOnQuotas(tx, id)
  await tx.query('delete from invitations where user_id = $1 or lower(email) = lower($2)', [id, email])
  await tx.orm
    .update(accounts)
    .set({ slug: anonymous.slug, displayName: anonymous.displayName, email: null, suspendedAt: anonymous.at })
    .where(eq(accounts.id, id))
  await tx.query("update audit_events set means = '{}', details = details - 'label' where actor_id = $1", [
    id,
  ])
  await tx.query('update versions set made_with_key = null where made_by = $1', [id])
  await tx.query('delete from device_logins where account_id = $1', [id])
  await tx.query("update metadata_jobs set means = '{}' where account_id = $1", [id])
  await tx.query('update pushes set committer_means = null where committer_id = $1', [id])
  await keepAccountSlug(tx, { id, slug }, anonymous.at)
  await forgetNames(tx, id, anonymous.slug)
  await forgetFormerSlugs(tx, id)
}

/** Events about an account, and about its collections, in every log, under each name and while it had it. */
async function forgetNames(tx: Tx, id: string, name: string): Promise<void> {
  const isNamed = (text: string) => `exists (select from former_account_slugs f where f.account_id = $1
    and f.slug = split_part(${text}, '/', 1) and audit_events.at < f.since + interval '1 day')`
  const renamed = (text: string) => `$2 || substr(${text}, length(split_part(${text}, '/', 1)) + 1)`
  const formerly = "details->>'formerly'"
  await tx.query(
    `update audit_events set
       target = case when ${isNamed('target')} then ${renamed('target')} else target end,
       details = case when ${isNamed(formerly)} then details || jsonb_build_object('formerly', ${renamed(formerly)}) else details end
     where ${isNamed('target')} or ${isNamed(formerly)}`,
    [id, name],
  )
}

/** Slugs of organizations that a user alone owns. */
export async function soleOwnerOf(tx: Tx, userId: string): Promise<string[]> {
  const { rows } = await tx.query(
    `select a.slug from members m join accounts a on a.id = m.org_id
     where m.user_id = $1 and m.role = 'owner'
       and not exists (select from members o where o.org_id = m.org_id and o.role = 'owner' and o.user_id <> $1)
     order by a.slug`,
    [userId],
  )
  return rows.map(({ slug }) => String(slug))
}

/** How many of everything there are. Counts rows. */
export async function countAll(at: Queries): Promise<{
  users: number
  organizations: number
  suspended: number
  collections: number
  publicCollections: number
  versions: number
}> {
  const { rows } = await at.query(
    `select (select count(*)::integer from accounts where type = 'user') as users,
       (select count(*)::integer from accounts where type = 'org') as organizations,
       (select count(*)::integer from accounts where suspended_at is not null) as suspended,
       (select count(*)::integer from collections) as collections,
       (select count(*)::integer from collections where public) as "publicCollections",
       (select count(*)::integer from versions) as versions`,
  )
  return rows[0] as never
}

/** Collections of an account that the public reads a version of, by slug. */
export async function publicSlugsOf(tx: Tx, ownerId: string, max: number): Promise<string[]> {
  const { rows } = await tx.query(
    `select slug from collections where owner_id = $1 and public and (head_id is not null or newest_withdrawn is not null)
     order by slug limit $2`,
    [ownerId, max],
  )
  return rows.map(({ slug }) => String(slug))
}
