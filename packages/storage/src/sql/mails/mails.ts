/**
 * Table of mails: a row for each event that a person gets a mail about, which is the queue, too. A row names its subject; the text is
 * written when it is sent. A mail whose process ended while it was sent may have arrived, so it counts as failed.
 */
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { invitations } from '../access/invitations.ts'
import { apiKeys } from '../access/keys.ts'
import { accounts } from '../accounts/accounts.ts'
import { reports } from '../collections/reports.ts'
import { bytes, instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['invitation', 'key_expiry', 'report'] }).notNull(),
    /** The reader; null: the reader of the address of the invitation, or the operators. */
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /** The row outlives its invitation, so that limits count it. */
    invitationId: uuid('invitation_id')
      .unique()
      .references(() => invitations.id, { onDelete: 'set null' }),
    /** The row lives as long as its key, so that there is one mail about it. */
    keyId: uuid('key_id')
      .unique()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    reportId: uuid('report_id')
      .unique()
      .references(() => reports.id, { onDelete: 'cascade' }),
    /** The user whose act it tells of. */
    madeBy: uuid('made_by').references(() => accounts.id, { onDelete: 'set null' }),
    /** Id of the account, or the SHA-256 of an address in lower case, by which mails are limited. */
    recipient: text('recipient').notNull(),
    /** Token of an invitation for an address, encrypted (packages/registry/src/secrets); null once it is sent. */
    token: bytes('token'),
    state: text('state', { enum: ['waiting', 'sending', 'done', 'failed'] }).notNull(),
    createdAt: instant('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When the next attempt is due. */
    nextAt: instant('next_at').notNull(),
    /** While `sending`: when another process may take its process for dead. */
    leaseUntil: instant('lease_until'),
    /** Of the last attempt, without addresses. */
    error: text('error'),
  },
  (t) => [
    index('mails_waiting').on(t.nextAt).where(sql`${t.state} = 'waiting'`),
    index('mails_sending').on(t.leaseUntil).where(sql`${t.state} = 'sending'`),
    index('mails_failed').on(t.createdAt).where(sql`${t.state} = 'failed'`),
    index('mails_account').on(t.accountId),
    index('mails_made_by').on(t.madeBy, t.createdAt),
    index('mails_recipient').on(t.recipient, t.createdAt),
    check('mails_kind', sql`${t.kind} in ('invitation', 'key_expiry', 'report')`),
    check('mails_state', sql`${t.state} in ('waiting', 'sending', 'done', 'failed')`),
  ],
)

export type MailRow = typeof mails.$inferSelect

/** Mails about invitations that were made since an instant: by a user, and to a recipient. */
export async function countMails(
  tx: Tx,
  { madeBy, recipient, since }: { madeBy: string; recipient: string; since: Date },
): Promise<{ byUser: number; toRecipient: number }> {
  const { rows } = await tx.query<{ byUser: number; toRecipient: number }>(
    `select (select count(*) from mails where made_by = $1 and created_at > $3) as "byUser",
       (select count(*) from mails where recipient = $2 and kind = 'invitation' and created_at > $3) as "toRecipient"`,
    [madeBy, recipient, since],
  )
  return rows[0]!
}

/** Mails about reports that were made since an instant. */
export async function countReportMails(tx: Tx, since: Date): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from mails where kind = 'report' and created_at > $1`,
    [since],
  )
  return rows[0]!.count
}

export async function insertMail(tx: Tx, row: typeof mails.$inferInsert): Promise<void> {
  await tx.query(...insertInto(mails, row))
}

/** Makes the mails about keys that expire until an instant; each key has one. Keys that never lived longer get none. */
export async function insertKeyMails(
  tx: Tx,
  { now, until, longest }: { now: Date; until: Date; longest: number },
): Promise<number> {
  const { rows } = await tx.query(
    `insert into mails (id, kind, account_id, key_id, recipient, state, created_at, next_at)
     select gen_random_uuid(), 'key_expiry', account_id, id, account_id::text, 'waiting', $1, $1 from api_keys
     where publisher_id is null and expires_at > $1 and expires_at <= $2
       and expires_at - created_at > make_interval(secs => $3::double precision)
     on conflict (key_id) do nothing returning 1`,
    [now, until, longest],
  )
  return rows.length
}

/** @param now placeholder of the time */
export const isMailDue = (now: string): string =>
  `(exists (select from mails where state = 'waiting' and next_at <= ${now})
    or exists (select from mails where state = 'sending' and lease_until <= ${now}))`

/** Reason for rows whose process ended. */
const endedError = 'The server ended while it sent this mail, so it may have arrived.'

/** Takes due mails, and gives up those that a dead process was sending. */
export async function claimMails(
  tx: Tx,
  { most, leaseUntil, now }: { most: number; leaseUntil: Date; now: Date },
): Promise<MailRow[]> {
  await tx.query(
    "update mails set state = 'failed', error = $2, lease_until = null where state = 'sending' and lease_until <= $1",
    [now, endedError],
  )
  const { rows } = await tx.query<MailRow>(
    `update mails set state = 'sending', attempts = attempts + 1, lease_until = $3
     where id in (select id from mails where state = 'waiting' and next_at <= $1
       order by next_at, id limit $2 for update skip locked)
     returning ${columnsOf(mails)}`,
    [now, most, leaseUntil],
  )
  return rows
}

/** Content of a mail, with the address of its reader. */
export interface MailContent {
  readonly address: string
  /** Of an invitation. */
  readonly organization: string | null
  readonly inviter: string | null
  readonly role: string | null
  /** Of an invitation to a collection: its slug, and the grant. */
  readonly collection: string | null
  readonly grant: string | null
  readonly expiresAt: Date
  /** Of a key. */
  readonly label: string | null
  readonly start: string | null
}

/**
 * Reads the present content of a mail. The address of an account is used only if its identity provider verified it, and the reader is not
 * suspended and takes mail; the address of an invitation as it is, unless an account with it takes none.
 * @returns undefined: its subject is gone, or the reader gets no mail
 */
export async function findMailContent(at: Queries, id: string, now: Date): Promise<MailContent | undefined> {
  const { rows } = await at.query<MailContent>(
    `select coalesce(reader.email, i.email) as address, org.slug as organization, inviter.slug as inviter, i.role,
       c.slug as collection, i.level as "grant",
       coalesce(i.expires_at, k.expires_at) as "expiresAt", k.label, k.start
     from mails m left join accounts reader on reader.id = m.account_id
       left join invitations i on i.id = m.invitation_id left join accounts org on org.id = i.org_id
       left join collections c on c.id = i.collection_id
       left join accounts inviter on inviter.id = i.invited_by left join api_keys k on k.id = m.key_id
     where m.id = $1 and coalesce(i.expires_at, k.expires_at) > $2
       and (inviter.id is null or inviter.suspended_at is null)
       and (case when m.account_id is not null
         then reader.email_verified and reader.takes_mail and reader.suspended_at is null and reader.email is not null
         else i.email is not null and not exists (
           select from accounts a where lower(a.email) = lower(i.email) and a.email_verified and not a.takes_mail) end)`,
    [id, now],
  )
  return rows[0]
}

/** Collection and reason of a report, for the mail to the operators. Undefined: the report is closed. */
export async function findReportMail(
  at: Queries,
  id: string,
): Promise<{ collection: string; reason: string } | undefined> {
  const { rows } = await at.query<{ collection: string; reason: string }>(
    `select o.slug || '/' || c.slug as collection, r.reason from mails m join reports r on r.id = m.report_id
       join collections c on c.id = r.collection_id join accounts o on o.id = c.owner_id
     where m.id = $1 and r.closed_at is null`,
    [id],
  )
  return rows[0]
}

export async function endMail(
  tx: Tx,
  { id, attempts }: Pick<MailRow, 'id' | 'attempts'>,
  changes: Pick<MailRow, 'state' | 'error'> & { nextAt?: Date },
): Promise<void> {
  await tx.query(
    `update mails set state = $3, error = $4, next_at = coalesce($5, next_at), lease_until = null,
       token = case when $3 = 'done' then null else token end
     where id = $1 and attempts = $2 and state = 'sending'`,
    [id, attempts, changes.state, changes.error, changes.nextAt ?? null],
  )
}

/** Drops mails that were made before an instant, except those that mark a key. Returns their number. */
export async function dropOldMails(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from mails where id in (
       select id from mails where created_at < $1 and key_id is null limit $2) returning 1`,
    [before, max],
  )
  return rows.length
}

/** Encrypted link of an invitation that is still to be sent, with the slug of the organization. */
export interface SealedMail {
  readonly id: string
  readonly token: Uint8Array
  readonly organization: string
}

/** Encrypted links, to encrypt them with another key: mails after an id, in its order. Mails without their invitation are never sent. */
export async function listSealedMails(tx: Tx, after: string, limit: number): Promise<SealedMail[]> {
  const { rows } = await tx.query<SealedMail>(
    `select m.id, m.token, org.slug as organization from mails m
     join invitations i on i.id = m.invitation_id join accounts org on org.id = i.org_id
     where m.id > $1 and m.token is not null order by m.id limit $2 for update of m`,
    [after, limit],
  )
  return rows
}

export async function countSealedMails(at: Queries): Promise<number> {
  const { rows } = await at.query<{ count: number }>(
    'select count(*)::int as count from mails where token is not null and invitation_id is not null',
  )
  return rows[0]!.count
}

export async function updateMailToken(tx: Tx, id: string, token: Uint8Array): Promise<void> {
  await tx.query('update mails set token = $2 where id = $1', [id, token])
}
