/** Webhooks: signed requests that the registry sends when something happened. http-api §13, docs/webhooks.md. */
import type { ChangeWebhook, CreatedWebhook, CreateWebhook, Delivery, Webhook } from '@ulmus/wire'
import { call } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Source of the events of a webhook: a collection, or all collections of an account. */
export type WebhookSource = CollectionRef | { readonly account: string }

/** Filters of deliveries. */
export interface DeliveriesOptions {
  /** Only events with smaller numbers: `seq` of the last delivery of the page before. */
  readonly before?: number
  readonly state?: Delivery['state']
}

export const webhookCalls = (transport: Transport) => ({
  /**
   * Makes a webhook. Only this answer contains the secret that signs its requests.
   * @throws url_refused, too_many_webhooks, webhooks_unavailable
   */
  create: (source: WebhookSource, webhook: CreateWebhook): Promise<CreatedWebhook> =>
    isAccount(source)
      ? call(transport, 'POST /api/accounts/:slug/webhooks', { slug: source.account }, { json: webhook })
      : call(transport, 'POST /api/collections/:owner/:slug/webhooks', partsOf(source), { json: webhook }),
  /** Webhooks that the caller can change, oldest first. An account’s include those of single collections. */
  list: (source: WebhookSource): Promise<Webhook[]> =>
    isAccount(source)
      ? call(transport, 'GET /api/accounts/:slug/webhooks', { slug: source.account })
      : call(transport, 'GET /api/collections/:owner/:slug/webhooks', partsOf(source)),
  /** @throws webhook_not_found */
  get: (id: string) => call(transport, 'GET /api/webhooks/:id', { id }),
  /** Changes the given fields. `enabled: true` also ends a disabling by the registry. @throws webhook_not_found, url_refused */
  update: (id: string, changes: ChangeWebhook) =>
    call(transport, 'PATCH /api/webhooks/:id', { id }, { json: changes }),
  /** Deletes a webhook with its deliveries. @throws webhook_not_found */
  remove: (id: string) => call(transport, 'DELETE /api/webhooks/:id', { id }),
  /** Sends a request of type `webhook.test` and waits up to 15 seconds for its result. @throws rate_limited */
  test: (id: string) => call(transport, 'POST /api/webhooks/:id/test', { id }),
  /** Makes a new secret; for 24 hours requests are signed with both. Only this answer contains it. */
  rotate: (id: string) => call(transport, 'POST /api/webhooks/:id/rotate', { id }),
  /** Up to 100 deliveries, newest first. @throws webhook_not_found */
  deliveries: (id: string, options: DeliveriesOptions = {}) =>
    call(transport, 'GET /api/webhooks/:id/deliveries', { id }, { query: options }),
  /** Sends an event again at once. @param seq number of the event. @throws delivery_not_found */
  retry: (id: string, seq: number) =>
    call(transport, 'POST /api/webhooks/:id/deliveries/:seq/retry', { id, seq: String(seq) }),
  /**
   * Sends the events after a number again, at most 1,000; `next` of the answer is the `after` of the rest.
   * @throws events_gone
   */
  replay: (id: string, after: number) =>
    call(transport, 'POST /api/webhooks/:id/replay', { id }, { json: { after } }),
})

const isAccount = (source: WebhookSource): source is { readonly account: string } =>
  typeof source !== 'string' && 'account' in source
