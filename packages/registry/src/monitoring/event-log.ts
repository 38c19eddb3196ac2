/** Logs the events that change who may do what, one line each, after their transaction. Lines hold names, ids and roles, no secrets and no content. */

import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'

const sentences = {
  signed_in: 'Somebody signed in.',
  key_made: 'An API key was made.',
  key_revoked: 'An API key was revoked.',
  sessions_ended: 'Browsers were signed out by their account.',
  member_set: 'A member was added, or has another role.',
  member_removed: 'A member was removed.',
  organization_made: 'An organization was made.',
  account_renamed: 'An account has another slug.',
  account_deleted: 'An account was deleted.',
  collection_visibility: 'A collection was made public or private.',
  collection_renamed: 'A collection has another slug.',
  collection_deleted: 'A collection was deleted with all its versions.',
}

/** Call it after the transaction that made the change. @param who made the change */
export function logEvent(
  { log }: Pick<Context, 'log'>,
  event: keyof typeof sentences,
  who: Principal,
  facts: Readonly<Record<string, string | boolean | null>>,
): void {
  const actor = who.kind === 'anonymous' ? null : who.accountSlug
  const key =
    who.kind !== 'anonymous' && who.credential !== null && 'key' in who.credential ? who.credential.key : null
  log.info({ event, actor, ...(key !== null && { byKey: key }), ...facts }, sentences[event])
}
