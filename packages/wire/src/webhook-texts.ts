/** Reasons of webhooks in words, the same on pages and in the command line. docs/webhooks.md has them at length. */
import type { Delivery, Webhook } from './webhooks.ts'

type Failure = NonNullable<Delivery['why']>
type Disabled = NonNullable<Webhook['disabledWhy']>

const failures: Record<Failure, string> = {
  refused_address: 'the registry sends nothing to the address that its name leads to',
  dns: 'its name cannot be resolved',
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
  behind: 'More than 2,000 events waited. Enable it when the receiver is faster, and replay what it needs.',
}

/** Result of a request, as `204` or `500: the receiver did not accept it`. Empty: nothing was sent yet. */
export function resultText({ status, why }: { status: number | null; why: Failure | null }): string {
  const words = why === null ? [] : [failures[why]]
  return [...(status === null ? [] : [String(status)]), ...words].join(': ')
}

/** Why the registry disabled a webhook, as sentences. */
export const disabledText = (why: Disabled): string => disabled[why]
