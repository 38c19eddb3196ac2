/** Operations on webhooks: make, list, change, test, deliveries. docs/design/http-api.md §13. */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { AccountPath, CollectionPath, DeliveryPath, WebhookPath } from '../paths.ts'
import { Done } from '../text.ts'
import {
  ChangeWebhook,
  CreatedWebhook,
  CreateWebhook,
  DeliveriesQuery,
  Delivery,
  Replayed,
  ReplayWebhook,
  Webhook,
  WebhookSecret,
  WebhookTest,
} from '../webhooks.ts'

const entrance = { scope: 'admin', unlimited: true } as const
const ofOne = { tag: 'webhooks', entrance, params: WebhookPath } as const

export const webhookOperations = {
  'POST /api/collections/:owner/:slug/webhooks': operation({
    id: 'createWebhook',
    tag: 'webhooks',
    summary: 'Make a webhook of a collection',
    description:
      'Makes a webhook: when something happens to the collection, the registry sends a signed request to `url`. If an admin of the owner makes it, it belongs to the owner, and all admins can change it. Otherwise it belongs to the user who makes it. It receives the changes that its creator may see, so outsiders can make one for a public collection and receive public changes. An account can have 20 for a collection and 100 in all.',
    entrance,
    forOutsiders: true,
    params: CollectionPath,
    body: CreateWebhook,
    answers: { 201: CreatedWebhook },
    refusals: ['url_refused', 'too_many_webhooks', 'webhooks_unavailable'],
  }),
  'GET /api/collections/:owner/:slug/webhooks': operation({
    id: 'listWebhooks',
    tag: 'webhooks',
    summary: 'List webhooks of a collection',
    description:
      'Lists the caller’s webhooks of the collection, and, for admins of its owner, those of the owner. The oldest is first.',
    entrance,
    forOutsiders: true,
    params: CollectionPath,
    answers: { 200: z.array(Webhook) },
    answerWords: { 200: 'Webhooks that the caller can change.' },
  }),
  'POST /api/accounts/:slug/webhooks': operation({
    id: 'createAccountWebhook',
    tag: 'webhooks',
    summary: 'Make a webhook of an account',
    description:
      'Makes a webhook that receives events of all collections of the account, later ones included. Only the user, or an admin of the organization, may call this.',
    entrance,
    params: AccountPath,
    body: CreateWebhook,
    answers: { 201: CreatedWebhook },
    refusals: ['url_refused', 'too_many_webhooks', 'webhooks_unavailable'],
  }),
  'GET /api/accounts/:slug/webhooks': operation({
    id: 'listAccountWebhooks',
    tag: 'webhooks',
    summary: 'List webhooks of an account',
    description:
      'Lists all webhooks that belong to the account, those of single collections included; oldest first. Only the user, or an admin of the organization, may call this.',
    entrance,
    params: AccountPath,
    answers: { 200: z.array(Webhook) },
    answerWords: { 200: 'All webhooks of the account.' },
  }),
  'GET /api/webhooks/:id': operation({
    ...ofOne,
    id: 'getWebhook',
    summary: 'Get a webhook',
    description:
      'Returns a webhook of the caller, or of an organization whose admin the caller is. It never includes the secret.',
    answers: { 200: Webhook },
    refusals: ['webhook_not_found'],
  }),
  'PATCH /api/webhooks/:id': operation({
    ...ofOne,
    id: 'changeWebhook',
    summary: 'Change a webhook',
    description:
      'Changes a webhook. A new address, and enabling, make the caller its `madeBy`: from then on it receives the changes that the caller may see.',
    body: ChangeWebhook,
    answers: { 200: Webhook },
    refusals: ['webhook_not_found', 'url_refused', 'webhooks_unavailable'],
  }),
  'DELETE /api/webhooks/:id': operation({
    ...ofOne,
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook with its deliveries. Nothing further is sent.',
    answers: { 200: Done },
    refusals: ['webhook_not_found'],
  }),
  'POST /api/webhooks/:id/test': operation({
    ...ofOne,
    id: 'testWebhook',
    summary: 'Send a test request',
    description:
      'Sends a request of type `webhook.test` and waits for the answer, 15 seconds at most. Once in 6 seconds a webhook, and 10 times a minute a receiving host.',
    answers: { 200: WebhookTest },
    refusals: ['webhook_not_found', 'webhooks_unavailable'],
  }),
  'POST /api/webhooks/:id/rotate': operation({
    ...ofOne,
    id: 'rotateWebhookSecret',
    summary: 'Make a new secret',
    description:
      'Makes a new secret. For 24 hours requests are signed with both, so that receivers can change over.',
    answers: { 200: WebhookSecret },
    refusals: ['webhook_not_found', 'webhooks_unavailable'],
  }),
  'GET /api/webhooks/:id/deliveries': operation({
    ...ofOne,
    id: 'listDeliveries',
    summary: 'List deliveries of a webhook',
    description:
      'Lists up to 100 deliveries, newest first. They are kept as long as events, 30 days by default. Answers of receivers are not kept.',
    query: DeliveriesQuery,
    answers: { 200: z.array(Delivery) },
    answerWords: { 200: 'Deliveries of the webhook.' },
    refusals: ['webhook_not_found'],
  }),
  'POST /api/webhooks/:id/deliveries/:seq/retry': operation({
    ...ofOne,
    id: 'retryDelivery',
    summary: 'Send an event again',
    description: 'Resends the event now. Resets its attempts to ten.',
    params: DeliveryPath,
    answers: { 200: Delivery },
    refusals: ['webhook_not_found', 'delivery_not_found'],
  }),
  'POST /api/webhooks/:id/replay': operation({
    ...ofOne,
    id: 'replayWebhook',
    summary: 'Send events again',
    description:
      'Sends again all events after a number that the webhook would receive, also those from before it was made. At most 1,000 events wait then; if there are more, `next` says where to continue later. A receiver recognises those that it has by `webhook-id`.',
    body: ReplayWebhook,
    answers: { 200: Replayed },
    refusals: ['webhook_not_found', 'events_gone'],
  }),
}
