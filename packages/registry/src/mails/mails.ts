/**
 * Mails about invitations, expiring keys and reports, as background work: the row of a mail is written with its event, and sent at most once.
 * docs/mail.md. Another kind of mail: its name and what it refers to in `mails` of packages/storage/src/sql/mails, a function like
 * `mailInvitation` that notes it, its content in `findMailContent`, its text in texts.ts.
 */
import { createHash } from 'node:crypto'
import {
  claimMails,
  claimPeriodicTask,
  countMails,
  countReportMails,
  endMail,
  findMailContent,
  findReportMail,
  type InvitationRow,
  insertKeyMails,
  insertMail,
  type MailRow,
  type Tx,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'
import { LostSecretError } from '../secrets/sealing.ts'
import { MailError, type MailText, sendMail } from '../smtp/transport.ts'
import { type MailLog, mailLogOf } from './mail-log.ts'
import { invitationText, keyText, reportText } from './texts.ts'

/** Mails of one server at the same time. */
const sentAtOnce = 2
/** Longer than any attempt takes. Seconds. */
const leaseSeconds = 300
/** Pause after each failed attempt; after the last one, the mail has failed. Seconds. */
const pauses = [60, 300, 1_800, 7_200, 21_600, 43_200, 86_400]
const dayMilliseconds = 86_400_000
/** Before the expiry of a key. Days. */
const noticeDays = 7
/** Mails in a day, as in docs/limits.md: about invitations, and about reports. */
export const dailyMax = { byUser: 50, toRecipient: 5, reports: 50 }

/** Sends due mails, if this server can. */
export function scheduleMails(context: Context): void {
  const { database, jobs, mail, now } = context
  if (mail === null) return
  const mailLog = mailLogOf(context.log)
  jobs.take<MailRow>('mails', {
    atOnce: sentAtOnce,
    claim: (most) => {
      const leaseUntil = new Date(now().getTime() + leaseSeconds * 1_000)
      return database.transact((tx) => claimMails(tx, { most, leaseUntil, now: now() }))
    },
    run: (row) => attempt(context, row, mailLog),
  })
  jobs.repeat(schedule.keyMails, async () => {
    const isDue = await database.transact((tx) =>
      claimPeriodicTask(tx, 'key mails', schedule.keyMails.onceInSeconds),
    )
    if (isDue && (await noticeKeys(context)) > 0) jobs.wake('mails')
  })
}

/** Makes the mails about keys that expire soon. Returns their number. */
export const noticeKeys = ({ database, now }: Pick<Context, 'database' | 'now'>): Promise<number> => {
  const until = new Date(now().getTime() + noticeDays * dayMilliseconds)
  // A key of a week was made with its end in mind.
  const longest = (noticeDays + 1) * 86_400
  return database.transact((tx) => insertKeyMails(tx, { now: now(), until, longest }))
}

/**
 * Notes the mail about an invitation, in its transaction.
 * @returns false if none is sent: mail is off, or enough were sent today
 */
export async function mailInvitation(
  { mail, sealing, now }: Pick<Context, 'mail' | 'sealing' | 'now'>,
  tx: Tx,
  row: InvitationRow,
  token: string,
): Promise<boolean> {
  if (mail === null || (row.userId === null && sealing === null)) return false
  const createdAt = now()
  const recipient = row.userId ?? addressHash(row.email ?? '')
  const since = new Date(createdAt.getTime() - dayMilliseconds)
  const { byUser, toRecipient } = await countMails(tx, { madeBy: row.invitedBy, recipient, since })
  if (byUser >= dailyMax.byUser || toRecipient >= dailyMax.toRecipient) return false
  const id = newId()
  await insertMail(tx, {
    ...{ id, kind: 'invitation', accountId: row.userId, invitationId: row.id, madeBy: row.invitedBy },
    ...{ recipient, state: 'waiting', createdAt, nextAt: createdAt },
    token: row.userId === null ? sealing!.seal(token, placeOf(id)) : null,
  })
  return true
}

/**
 * Notes the mail about a report to the operators, in its transaction.
 * @returns false if none is sent: mail is off, `CONTACT` is no address of mail, or enough were sent today
 */
export async function mailReport(
  { mail, now }: Pick<Context, 'mail' | 'now'>,
  tx: Tx,
  reportId: string,
): Promise<boolean> {
  const address = operatorsOf(mail)
  const createdAt = now()
  if (address === undefined) return false
  if ((await countReportMails(tx, new Date(createdAt.getTime() - dayMilliseconds))) >= dailyMax.reports)
    return false
  await insertMail(tx, {
    ...{ id: newId(), kind: 'report', reportId, recipient: addressHash(address) },
    ...{ state: 'waiting', createdAt, nextAt: createdAt },
  })
  return true
}

/** Address of the operators. */
const operatorsOf = (mail: Context['mail']): string | undefined =>
  mail?.contact?.startsWith('mailto:') === true ? mail.contact.slice('mailto:'.length) : undefined

/** Of the row that a link is sealed for. */
export const placeOf = (id: string) => `mails:${id}` as const
const addressHash = (address: string): string =>
  createHash('sha256').update(address.toLowerCase()).digest('hex')

async function attempt(context: Context, row: MailRow, mailLog: MailLog): Promise<void> {
  const { database, mail, now } = context
  let failure: MailError | undefined
  try {
    const ready = await mailOf(context, row)
    if (ready !== undefined) {
      await sendMail(mail!, ready.address, ready.text)
      mailLog.sent()
    }
  } catch (error) {
    failure = failureOf(error)
  }
  const pause = failure?.mayRetry === true ? pauses[row.attempts - 1] : undefined
  const state = failure === undefined ? 'done' : pause === undefined ? 'failed' : 'waiting'
  if (failure !== undefined) mailLog.failed(failure, pause === undefined)
  const nextAt = pause === undefined ? {} : { nextAt: new Date(now().getTime() + pause * 1_000) }
  await database.transactOnce((tx) => endMail(tx, row, { state, error: failure?.message ?? null, ...nextAt }))
}

function failureOf(error: unknown): MailError {
  if (error instanceof MailError) return error
  if (error instanceof LostSecretError)
    return new MailError(error.message, { mayRetry: false, isOutage: false })
  throw error
}

/** Undefined: its subject is gone, or its reader gets no mail. @throws LostSecretError */
async function mailOf(
  context: Context,
  row: MailRow,
): Promise<{ address: string; text: MailText } | undefined> {
  const { database, mail, sealing, now } = context
  const site = { siteName: mail!.siteName, contact: mail!.contact, origin: context.origin() }
  if (row.kind === 'report') {
    const [address, report] = [operatorsOf(mail), await findReportMail(database, row.id)]
    return address === undefined || report === undefined
      ? undefined
      : { address, text: reportText(report, site) }
  }
  const content = await findMailContent(database, row.id, now())
  if (content === undefined) return undefined
  const { address } = content
  if (row.kind === 'key_expiry') return { address, text: keyText(content, site) }
  // The invitation of an account needs no token.
  if (row.token === null)
    return { address, text: invitationText(content, row.invitationId ?? '', site, true) }
  if (sealing === null) throw new LostSecretError('SECRETS_KEY_FILE is not set.')
  const token = sealing.open(Buffer.from(row.token), placeOf(row.id))
  return { address, text: invitationText(content, token, site, false) }
}
