/**
 * Acts in the audit log. Each is written in its own transaction, and to the process log after the commit. http-api §11. An act
 * names slugs, ids and roles; it contains no secrets and no content.
 */
import { type AuditDetails, type AuditEventRow, insertAuditEvents, type Tx } from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import type { Context } from '../context.ts'
import { meansOf, type Principal } from '../principal.ts'

/**
 * All actions, with their messages for the process log; undefined for frequent acts, which are not logged. Stored rows name the
 * actions, so never rename one. List a new one in docs/organizations.md.
 */
const sentences = {
  'account.signed_in': 'A user signed in.',
  'account.renamed': 'An account has another slug.',
  'account.deleted': 'An account was deleted.',
  'account.suspended': 'An account was suspended by an operator, or is so no longer.',
  'account.quota': 'An operator changed what an account may have stored.',
  'identity.linked': 'An operator linked an identity to an account.',
  'account.exported': 'An administrator of the server exported what is stored of a user.',
  'account.erased': 'A person was erased by an operator.',
  'session.ended': 'Browsers were signed out by their account.',
  'key.made': 'An API key was made.',
  'key.first_used': 'An API key was used for the first time.',
  'key.revoked': 'An API key was revoked.',
  'key.exchanged': 'A trusted publisher exchanged a token for an API key.',
  'organization.made': 'An organization was made.',
  'settings.changed': 'An organization has other settings.',
  'member.invited': 'A user or an address was invited to an organization.',
  'invitation.declined': 'An invitation was declined.',
  'invitation.removed': 'An invitation was taken back.',
  'member.set': 'A member was added, or has another role.',
  'member.removed': 'A member was removed.',
  'collaborator.invited': 'A user was invited to a collection.',
  'collaborator.set': 'A collection has another collaborator, or one has another grant.',
  'collaborator.removed': 'A collection has one collaborator less.',
  'collection.made': undefined,
  'collection.renamed': 'A collection has another slug.',
  'collection.transferred': 'A collection has another owner.',
  'collection.visibility': 'A collection was made public or private.',
  'collection.hidden': 'An operator hid a collection, or shows it again.',
  'collection.opened': 'An operator opened a collection, to read it for an hour.',
  'collection.reported': 'A reader reported a collection to the operators.',
  'report.closed': 'An operator closed a report about a collection.',
  'collection.forked': 'A member forked a collection into another organization.',
  'collection.deleted': 'A collection was deleted with all its versions.',
  'webhook.made': 'A webhook was made.',
  'webhook.changed': 'A webhook was changed.',
  'webhook.rotated': 'A webhook has another secret.',
  'webhook.removed': 'A webhook was removed.',
  'webhook.disabled': 'A webhook was disabled by the registry.',
  'question.saved': undefined,
  'question.removed': undefined,
  'publisher.made': 'A collection has another trusted publisher.',
  'publisher.changed': 'A trusted publisher was changed.',
  'publisher.removed': 'A collection has one trusted publisher less.',
  'collection.publishing': 'A collection takes versions of trusted publishers alone, or of others again.',
  'version.made': undefined,
  'version.withdrawn': 'A version was withdrawn.',
  'record.erased': 'A record was removed from all versions.',
  'version.deprecated': 'Readers of a version are warned, or are no longer.',
} as const

export type Action = keyof typeof sentences
export const actions = Object.keys(sentences) as readonly Action[]

/** An act to record. */
export interface Act {
  readonly action: Action
  /** Id of the account whose log receives the act. */
  readonly account: string
  /** Subject of the act by its usual name: `owner/slug`, or a user's slug. */
  readonly target: string
  readonly details?: AuditDetails
  /** The actor. Default: the caller. */
  readonly by?: Principal
}

/** Records an act in the current transaction. */
export type Tell = (act: Act) => void

/**
 * Runs `work` in a transaction that also writes the acts it records.
 * @param who the actor
 */
export async function audited<Result>(
  context: Pick<Context, 'database' | 'jobs' | 'log' | 'now'>,
  who: Principal,
  work: (tx: Tx, tell: Tell) => Promise<Result>,
): Promise<Result> {
  let recorded: Act[] = []
  const result = await context.database.transact(async (tx) => {
    // The transaction may run again after a conflict.
    recorded = []
    const done = await work(tx, (act) => recorded.push(act))
    const rows = recorded.map((act) => auditRow(act.by ?? who, act, context.now()))
    await insertAuditEvents(tx, rows)
    return done
  })
  for (const act of recorded) logAct(context, act.by ?? who, act)
  // Most acts are changes that events tell.
  if (recorded.length > 0) context.jobs.wake('events')
  return result
}

/** Row of an act in the audit log. */
export const auditRow = (
  who: Principal,
  { action, account, target, details = {} }: Act,
  at: Date,
): AuditEventRow => ({
  ...{ id: newId(), at, accountId: account, action, target, details },
  actorId: who.kind === 'anonymous' ? null : who.accountId,
  means: meansOf(who),
})

function logAct({ log }: Pick<Context, 'log'>, who: Principal, { action, target, details }: Act): void {
  const sentence = sentences[action]
  if (sentence === undefined) return
  const actor = who.kind === 'anonymous' ? null : who.accountSlug
  const { key } = meansOf(who)
  // Leave out texts written by users.
  const { label: _, reason: __, message: ___, ...facts } = details ?? {}
  log.info({ event: action, actor, ...(key && { byKey: key.id }), target, ...facts }, sentence)
}
