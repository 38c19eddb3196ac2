/**
 * Shapes of webhooks: addresses that the registry sends a request to when something happened, and what came of each request. The requests
 * follow Standard Webhooks (https://www.standardwebhooks.com). docs/design/http-api.md §13.
 */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { bumps, deliveryStates, disabledReasons, eventKinds, failureReasons } from './names.ts'
import { Id, Instant, line } from './text.ts'

/** Filters: an event must match both. */
const Kinds = z.array(z.enum(eventKinds)).max(eventKinds.length).meta({
  description: 'Kinds of events. Empty: all.',
})
const Bumps = z.array(z.enum(bumps)).max(bumps.length).meta({
  description: 'Of `version.made`: only versions that raise one of these parts of the number. Empty: all.',
})
const Url = z.string().min(1).max(2_048)
const WebhookLabel = line(100, 0)

/** `POST …/webhooks` */
export const CreateWebhook = z
  .strictObject({
    url: Url.meta({
      description:
        'Where requests are sent: `https` on port 443, at a public address, unless the operator allows others.',
    }),
    kinds: Kinds.optional(),
    bumps: Bumps.optional(),
    label: WebhookLabel.optional().meta({ description: 'Purpose, in your own words.' }),
  })
  .meta({
    id: 'CreateWebhook',
    description: 'A new webhook.',
    examples: [{ url: 'https://ci.example/ulmus', kinds: ['version.made'] }],
  })
export type CreateWebhook = z.infer<typeof CreateWebhook>

/** `PATCH /api/webhooks/:id` */
export const ChangeWebhook = z
  .strictObject({
    url: Url.optional(),
    kinds: Kinds.optional(),
    bumps: Bumps.optional(),
    label: WebhookLabel.optional(),
    enabled: z.boolean().optional().meta({
      description: '`false`: nothing is sent. `true` also ends a disabling by the registry.',
    }),
  })
  .meta({ id: 'ChangeWebhook', description: 'Changes of a webhook.', examples: [{ enabled: true }] })
export type ChangeWebhook = z.infer<typeof ChangeWebhook>

const place = z.object({ id: Id, owner: z.string(), slug: z.string() })

const exampleWebhook = {
  id: exampleId,
  account: 'ada',
  collection: { id: exampleId, owner: 'ada', slug: 'cities' },
  url: 'https://ci.example/ulmus',
  kinds: ['version.made'],
  bumps: [],
  label: '',
  enabled: true,
  disabledWhy: null,
  failingSince: null,
  madeBy: 'ada',
  createdAt: exampleInstant,
}

const webhook = z.object({
  id: Id,
  account: z.string().meta({ description: 'Slug of the account that the webhook belongs to.' }),
  collection: z
    .object({ id: Id, owner: z.string().nullable(), slug: z.string().nullable() })
    .nullable()
    .meta({
      description:
        'Null: all collections of the account. `owner` and `slug` are null if you may not see the collection now, or it was deleted.',
    }),
  url: z.string(),
  kinds: z.array(z.enum(eventKinds)),
  bumps: z.array(z.enum(bumps)),
  label: z.string(),
  enabled: z.boolean(),
  disabledWhy: z.enum(disabledReasons).nullable().meta({
    description:
      'Why the registry disabled it. `gone`: the receiver answered 410. `failing`: all requests failed for 5 days. `maker_gone`: the user of `madeBy` is suspended, no longer exists, or left the organization that the webhook belongs to. `behind`: more than 5,000 events waited.',
  }),
  failingSince: Instant.nullable().meta({
    description: 'When requests began to fail; null: the last one succeeded.',
  }),
  madeBy: z.string().nullable().meta({
    description:
      'User who made it, or who last changed its address or enabled it. It receives the changes that this user may see.',
  }),
  createdAt: Instant,
})

export const Webhook = webhook.meta({
  id: 'Webhook',
  description: 'A webhook, without its secret.',
  examples: [exampleWebhook],
})
export type Webhook = z.infer<typeof Webhook>

const exampleSecret = 'whsec_QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI='
const secret = z.string().meta({
  description: 'Signs the requests: `whsec_` and 32 bytes in base64. Only this answer contains it.',
})

export const CreatedWebhook = webhook.extend({ secret }).meta({
  id: 'CreatedWebhook',
  description: 'The new webhook. Only this answer contains the secret.',
  examples: [{ ...exampleWebhook, secret: exampleSecret }],
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

/** `POST /api/webhooks/:id/rotate` */
export const WebhookSecret = z
  .object({
    secret,
    formerUntil: Instant.nullable().meta({
      description: 'Until then requests are also signed with the former secret; null: it is lost.',
    }),
  })
  .meta({
    id: 'WebhookSecret',
    description: 'The new secret. Only this answer contains it.',
    examples: [{ secret: exampleSecret, formerUntil: exampleInstant }],
  })
export type WebhookSecret = z.infer<typeof WebhookSecret>

const why = z.enum(failureReasons).nullable().meta({
  description:
    'Why the last request failed. `status`: the receiver answered with another status than 2xx. `secret`: the server has not the key that encrypted the secret of the webhook. The other reasons are in docs/webhooks.md. Null: it did not fail.',
})
const status = z.int().nullable().meta({ description: 'Status of the receiver’s last answer.' })
const milliseconds = z.int().nullable().meta({ description: 'Duration of the last request.' })

/** `POST /api/webhooks/:id/test` */
export const WebhookTest = z.object({ delivered: z.boolean(), status, why, milliseconds: z.int() }).meta({
  id: 'WebhookTest',
  description: 'Result of a test request.',
  examples: [{ delivered: true, status: 204, why: null, milliseconds: 84 }],
})
export type WebhookTest = z.infer<typeof WebhookTest>

export const Delivery = z
  .object({
    seq: z.int().meta({ description: 'Number of the event.' }),
    messageId: z.string().meta({
      description: '`webhook-id` of the requests: the same at each attempt, and after a replay.',
    }),
    kind: z.enum(eventKinds),
    at: Instant.meta({ description: 'Time of the event.' }),
    collection: place,
    semver: z.string().optional(),
    state: z.enum(deliveryStates).meta({
      description: '`waiting`: another attempt follows at `nextAt`. `failed`: all ten attempts failed.',
    }),
    attempts: z.int(),
    attemptedAt: Instant.nullable(),
    nextAt: Instant.nullable(),
    status,
    why,
    milliseconds,
  })
  .meta({
    id: 'Delivery',
    description: 'An event for a webhook, and what came of its requests.',
    examples: [
      {
        seq: 4711,
        messageId: 'msg_5f1c0a7d93b64e8fa1d2c3b4a5968778',
        kind: 'version.made',
        at: exampleInstant,
        collection: { id: exampleId, owner: 'ada', slug: 'cities' },
        semver: 'v1.1.0',
        state: 'done',
        attempts: 1,
        attemptedAt: exampleInstant,
        nextAt: null,
        status: 204,
        why: null,
        milliseconds: 84,
      },
    ],
  })
export type Delivery = z.infer<typeof Delivery>

/** `GET /api/webhooks/:id/deliveries` */
export const DeliveriesQuery = z.strictObject({
  before: z.coerce
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({
      description: 'Only events with smaller numbers: the `seq` of the last item before.',
      examples: [4711],
    }),
  state: z
    .enum(deliveryStates)
    .optional()
    .meta({ description: 'Only deliveries in this state.', examples: ['failed'] }),
})

/** `POST /api/webhooks/:id/replay` */
export const ReplayWebhook = z
  .strictObject({
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
      description: 'Number of an event: all later ones are sent again. 0: all that are kept.',
    }),
  })
  .meta({ id: 'ReplayWebhook', description: 'The events to send again.', examples: [{ after: 4711 }] })
export type ReplayWebhook = z.infer<typeof ReplayWebhook>

export const Replayed = z
  .object({
    events: z
      .int()
      .meta({ description: 'Events that are sent again; at most 1,000, and fewer if others wait already.' }),
    next: z.int().nullable().meta({
      description:
        'Not null: there may be more events. Replay again with it as `after`, when fewer deliveries wait.',
    }),
  })
  .meta({ id: 'Replayed', description: 'Result of a replay.', examples: [{ events: 12, next: null }] })
export type Replayed = z.infer<typeof Replayed>
