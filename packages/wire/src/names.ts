/**
 * Names that programs show or accept as values, and their words. Without zod, which the rest of this package brings: the command line
 * imports only this file.
 */

/** Kinds of events, with labels. Triggers of packages/storage (events.sql) note them. A newer registry may have more. */
export const eventLabels = {
  'version.made': 'New version',
  'version.withdrawn': 'Version withdrawn',
  'version.deprecated': 'Version deprecated, or no longer',
  'question.changed': 'Answer to a saved question changed',
  'collection.made': 'Collection made',
  'collection.renamed': 'Collection renamed',
  'collection.transferred': 'Collection transferred',
  'collection.visibility': 'Collection made public or private',
  'collection.deleted': 'Collection deleted',
} as const
export type EventKind = keyof typeof eventLabels
export const eventKinds = Object.keys(eventLabels) as readonly EventKind[]

/** Parts of a version's number. */
export const bumps = ['major', 'minor', 'patch'] as const

export const disabledReasons = ['gone', 'failing', 'maker_gone', 'behind'] as const

/** Reasons why a request got no good answer. The answer itself is never shown. */
export const failureReasons = [
  'refused_address',
  'tls',
  'timeout',
  'connection',
  'malformed',
  'proxy',
  'status',
  'secret',
] as const

export const deliveryStates = ['waiting', 'done', 'failed'] as const

type Failure = (typeof failureReasons)[number]
type Disabled = (typeof disabledReasons)[number]

const failures: Record<Failure, string> = {
  refused_address: 'its name has no address, or one that the registry sends nothing to',
  tls: 'its TLS certificate is not valid',
  timeout: 'no answer within 15 seconds',
  connection: 'the connection failed',
  malformed: 'the answer is not HTTP',
  proxy: 'the proxy of the registry did not connect',
  status: 'the receiver did not accept it',
  secret: 'the server cannot read the secret of the webhook',
}

const disabled: Record<Disabled, string> = {
  gone: 'The receiver answered 410 Gone.',
  failing: 'All requests failed for 5 days.',
  maker_gone: 'The user whose rights it used is suspended, no longer exists, or left the organization.',
  behind: 'More than 5,000 events waited. Enable it when the receiver is faster, and replay what it needs.',
}

/** Result of a request, as `204` or `500: the receiver did not accept it`. Empty: nothing was sent yet. */
export function resultText({ status, why }: { status: number | null; why: Failure | null }): string {
  const words = why === null ? [] : [failures[why]]
  return [...(status === null ? [] : [String(status)]), ...words].join(': ')
}

/** Why the registry disabled a webhook, as sentences. */
export const disabledText = (why: Disabled): string => disabled[why]
