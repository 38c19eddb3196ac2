/**
 * Statements for operators: list all accounts, end a suspended user's sessions, erase a person, count the registry. They touch the tables
 * of several rooms; a new table with personal data needs a line in `erasePerson`.
 */
import type { Queries, Tx } from '../../database/database.ts'
import { type AccountRow, accounts, type IdentityKey, passOnQuotas } from '../accounts/accounts.ts'
import { forgetFormerSlugs, keepAccountSlug } from '../accounts/former-slugs.ts'
import { type SlugSlice, sliceBySlug } from '../accounts/members.ts'
import { suspensionReasonText } from '../audit/audit-events.ts'
import { columnsOf, Values } from '../columns/rows.ts'
import { forgetLogNames } from '../version-log/version-log.ts'

/** An account in the list for operators. */
export interface AccountItem {
  account: AccountRow
  collections: number
  /** Stored bytes. */
  usedBytes: number
  identities: IdentityKey[]
  /** Of its suspension. Null: none was given, or the account is not suspended. */
  suspendedReason: string | null
  /** True for an organization whose owners are all erased or suspended. */
  lacksOwner: boolean
}

/** Names of erased people: only the registry gives slugs with this prefix. */
const isErased = "accounts.slug like 'erased-%'"

/** Accounts by slug, of erased people those that own collections. @param search part of the slug, the name or the e-mail address, ignoring case; undefined: all */
export async function listAccounts(
  at: Queries,
  search: string | undefined,
  slice: SlugSlice,
): Promise<AccountItem[]> {
  const values = new Values()
  const like = search && values.of(`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`)
  const isFound = like ? `(slug ilike ${like} or display_name ilike ${like} or email ilike ${like})` : 'true'
  const { rows } = await at.query<AccountRow & Omit<AccountItem, 'account'>>(
    `select ${columnsOf(accounts)}, used_bytes(accounts.id) as "usedBytes",
       (select coalesce(json_agg(json_build_object('issuer', i.issuer, 'subject', i.subject)), '[]')
        from identities i where i.account_id = accounts.id) as identities,
       (select count(*) from collections c where c.owner_id = accounts.id) as collections,
       case when suspended_at is not null then (${suspensionReasonText('accounts.id')}) end as "suspendedReason",
       type = 'org' and not exists (select from members m join accounts owner on owner.id = m.user_id
         where m.org_id = accounts.id and m.role = 'owner' and owner.suspended_at is null) as "lacksOwner"
     from accounts where ${isFound} and (not ${isErased} or exists (select from collections c where c.owner_id = accounts.id))
     ${sliceBySlug(slice, values)}`,
    values.given,
  )
  return rows.map(({ usedBytes, identities, collections, suspendedReason, lacksOwner, ...account }) => ({
    account,
    ...{ usedBytes, identities, collections, suspendedReason, lacksOwner },
  }))
}

/** Identities that an account signs in with. */
export async function identitiesOf(at: Queries, accountId: string): Promise<IdentityKey[]> {
  const { rows } = await at.query<IdentityKey>(
    'select issuer, subject from identities where account_id = $1',
    [accountId],
  )
  return rows
}

/**
 * Ends all browser sessions of an account, after waiting for transactions that record with a credential; keys stay. The account must be
 * locked.
 */
export async function endCredentials(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from browser_sessions where account_id = $1', [accountId])
  await tx.query('select from api_keys where account_id = $1 for update', [accountId])
}

/**
 * Erases a person, leaving an account under another name that owns the person's work: no name, e-mail address, identity,
 * readable slug, membership or credential remains; audit logs lose addresses, labels of keys and slugs.
 */
export async function erasePerson(
  tx: Tx,
  { id, slug, email }: Pick<AccountRow, 'id' | 'slug' | 'email'>,
  anonymous: Pick<AccountRow, 'slug' | 'displayName'> & { at: Date },
): Promise<void> {
  for (const table of ['browser_sessions', 'api_keys', 'identities', 'webhooks', 'webhook_requests', 'mails'])
    await tx.query(`delete from ${table} where account_id = $1`, [id])
  await tx.query('update mails set made_by = null where made_by = $1', [id])
  for (const table of ['members', 'collaborators'])
    await tx.query(`delete from ${table} where user_id = $1`, [id])
  await passOnQuotas(tx, id)
  await tx.query('delete from invitations where user_id = $1 or lower(email) = lower($2)', [id, email])
  await tx.query(
    'update accounts set slug = $2, display_name = $3, email = null, email_verified = false, suspended_at = $4 where id = $1',
    [id, anonymous.slug, anonymous.displayName, anonymous.at],
  )
  await tx.query("update audit_events set means = '{}', details = details - 'label' where actor_id = $1", [
    id,
  ])
  // Operators wrote about the person.
  await tx.query(
    "update audit_events set details = details - 'reason' where account_id = $1 and action like 'account.%'",
    [id],
  )
  // Jobs of trusted publishers act without an account.
  await tx.query(
    `update audit_events set means = '{}', details = details - 'label' - 'subject' - 'claims'
     where account_id = $1 and (action = 'key.exchanged' or action like 'publisher.%')`,
    [id],
  )
  await tx.query('update versions set made_with_key = null, workload = null where made_by = $1', [id])
  await tx.query('update trusted_publishers set made_by = null where made_by = $1', [id])
  await tx.query(
    'delete from trusted_publishers where collection_id in (select id from collections where owner_id = $1)',
    [id],
  )
  await tx.query('delete from device_logins where account_id = $1', [id])
  await tx.query('update reports set contact = null where reporter_id = $1', [id])
  await tx.query("update metadata_jobs set means = '{}' where account_id = $1", [id])
  await tx.query('update pushes set committer_means = null where committer_id = $1', [id])
  await keepAccountSlug(tx, { id, slug }, anonymous.at)
  await forgetNames(tx, id, anonymous.slug)
  await forgetLogNames(tx, id, anonymous.slug)
  await forgetFormerSlugs(tx, id)
}

/** Tables of acts, and their columns with paths. Events move from `outbox` to `events`, so this order meets each. */
const acts = { audit_events: 'target', outbox: 'name', events: 'name' }

/** Renames the account in all acts about it and its collections, under each name that it had at the time. */
async function forgetNames(tx: Tx, id: string, name: string): Promise<void> {
  for (const [table, path] of Object.entries(acts)) {
    const isNamed = (text: string) => `exists (select from former_account_slugs f where f.account_id = $1
      and f.slug = split_part(${text}, '/', 1) and ${table}.at < f.since + interval '1 day')`
    const renamed = (text: string) => `$2 || substr(${text}, length(split_part(${text}, '/', 1)) + 1)`
    await tx.query(`update ${table} set ${path} = ${renamed(path)} where ${isNamed(path)}`, [id, name])
    for (const member of ['formerly', 'collection']) {
      const text = `details->>'${member}'`
      await tx.query(
        `update ${table} set details = details || jsonb_build_object('${member}', ${renamed(text)}) where ${isNamed(text)}`,
        [id, name],
      )
    }
  }
}

/** Slugs of the organizations whose only owner is this user. */
export async function soleOwnerOf(tx: Tx, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ slug: string }>(
    `select a.slug from members m join accounts a on a.id = m.org_id
     where m.user_id = $1 and m.role = 'owner'
       and not exists (select from members o where o.org_id = m.org_id and o.role = 'owner' and o.user_id <> $1)
     order by a.slug`,
    [userId],
  )
  return rows.map(({ slug }) => slug)
}

/** Totals of the registry, without erased people. Counts rows. */
export async function countAll(at: Queries): Promise<RegistryCounts> {
  const { rows } = await at.query<RegistryCounts>(
    `select (select count(*) from accounts where type = 'user' and not ${isErased}) as users,
       (select count(*) from accounts where type = 'org') as organizations,
       (select count(*) from accounts where suspended_at is not null and not ${isErased}) as suspended,
       (select count(*) from collections) as collections,
       (select count(*) from collections where public) as "publicCollections",
       (select count(*) from versions) as versions`,
  )
  return rows[0]!
}

/** Totals that operators and monitoring read. */
interface RegistryCounts {
  users: number
  organizations: number
  suspended: number
  collections: number
  publicCollections: number
  versions: number
}

/** Slugs of an account's collections with public versions, or hidden ones that may be public again; ordered by slug. */
export async function publicSlugsOf(tx: Tx, ownerId: string, max: number): Promise<string[]> {
  const { rows } = await tx.query<{ slug: string }>(
    `select slug from collections where owner_id = $1 and (public or public_once_shown)
       and (head_id is not null or newest_withdrawn is not null)
     order by slug limit $2`,
    [ownerId, max],
  )
  return rows.map(({ slug }) => slug)
}

/** A collection that operators hid, without the suspension of its owner. */
export interface HiddenCollection {
  readonly owner: string
  readonly slug: string
  readonly hiddenAt: Date
  readonly hiddenReason: string
}

/** The last hidden first. */
export async function listHiddenCollections(at: Queries, max: number): Promise<HiddenCollection[]> {
  const { rows } = await at.query<HiddenCollection>(
    `select a.slug as owner, c.slug, hidden_at as "hiddenAt", hidden_reason as "hiddenReason"
     from collections c join accounts a on a.id = owner_id where hidden_at is not null and hidden_reason is not null
     order by hidden_at desc, c.id limit $1`,
    [max],
  )
  return rows
}
