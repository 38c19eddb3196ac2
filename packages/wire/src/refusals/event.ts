/** Refusals of events and of webhooks, which send them. */
import type { Refusal } from './refusal.ts'

/** Rules for the address of a webhook, each with the end of a sentence. */
const refusedUrls = {
  not_a_url: 'it is not a URL',
  too_long: 'it is longer than 2,048 characters',
  scheme: 'it must begin with https://',
  port: 'it must have no port, so that requests go to port 443',
  user_info: 'it must have no user name and password',
  fragment: 'it must have no part after #',
  address: 'it is an address of an inner network, or of this machine',
}
/** Rule that the address of a webhook breaks. */
export type UrlRule = keyof typeof refusedUrls

export const eventRefusals = {
  events_gone: {
    kind: 'gone',
    sentence:
      'These events are no longer kept, or the registry was restored from a backup or moved. Compare versions, then ask with `after=latest`.',
    meaning: 'the events are no longer kept',
    explanation:
      'The events after this number are no longer kept (30 days by default, `oldest` is the oldest number), or the number is from before the registry was restored from a backup or moved.',
    remedy:
      'Compare the versions of your collections with those that you know, then ask with `after=latest`. See [React to new versions](events.md).',
    members: ({ z }) => ({ oldest: z.int().meta({ description: 'the oldest number that is kept.' }) }),
  },
  webhook_not_found: {
    kind: 'missing',
    sentence: 'You have no webhook with this id.',
    meaning: 'the caller has no such webhook',
    explanation:
      "The caller has no webhook with this id: unknown, deleted, another user's, or of an organization whose admin the caller is not.",
    remedy: 'List `/api/accounts/:slug/webhooks`.',
  },
  delivery_not_found: {
    kind: 'missing',
    sentence: (f) => `The webhook has no delivery of event ${f.seq}. It may be older than events are kept.`,
    meaning: 'the webhook has no delivery of this event',
    explanation:
      'The webhook has no delivery of this event: it was not for this webhook, or is older than [events are kept](events.md#after-a-long-pause).',
    remedy:
      'List `…/deliveries`. To send an event that the webhook did not get, replay from the number before it.',
    example: { say: { seq: 4711 } },
  },
  too_many_webhooks: {
    kind: 'conflict',
    sentence: (f) =>
      f.all
        ? `\`${f.account}\` has ${f.all} webhooks, the maximum. Delete one first.`
        : `\`${f.account}\` has ${f.max} webhooks for this collection, the maximum. Delete one first.`,
    meaning: 'the account has 100 webhooks, or 20 for this collection',
    remedy: 'Delete one. A webhook of the account receives events of all its collections.',
    example: { say: { account: 'ada', max: 20 } },
  },
  url_refused: {
    kind: 'unacceptable',
    sentence: (f) =>
      `Requests cannot be sent to this address: ${refusedUrls[f.rule as UrlRule]}. The operator can allow more addresses.`,
    meaning: 'requests cannot be sent to this address; `rule` names the reason',
    explanation:
      "The registry sends no requests to this address. `rule` says why: `not_a_url`, `too_long`, `scheme` (not `https`), `port`, `user_info`, `fragment`, or `address` (of an inner network, or of the registry's machine).",
    remedy:
      'Use a public `https` address on port 443. The operator can allow others: [`OUTSIDE_ALLOW`](configuration.md#requests-to-other-servers).',
    members: ({ z }) => ({ rule: z.string().meta({ description: 'the rule that the address breaks.' }) }),
    example: { details: { rule: 'scheme' } },
  },
  webhooks_unavailable: {
    kind: 'unsupported',
    sentence: (f) => `This server has no webhooks: ${f.reason}. Ask for \`/api/events\` instead.`,
    meaning: 'the server has no webhooks',
    explanation:
      'The operator switched requests to other servers off (`OUTSIDE=off`), or the server has no key to encrypt secrets with (`SECRETS_KEY_FILE`). The message says which.',
    remedy:
      'Ask for [events](events.md). The operator sets them: [Requests to other servers](configuration.md#requests-to-other-servers).',
    example: { say: { reason: 'its operator switched requests to other servers off' } },
  },
} satisfies Readonly<Record<string, Refusal>>
