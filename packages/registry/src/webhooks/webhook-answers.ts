/** Webhooks and deliveries in the form of answers. */
import type { DeliveryItem, WebhookItem } from '@ulmus/storage'
import type { Delivery, EventKind, Webhook } from '@ulmus/wire'
import { instantText, instantTextOrNull } from '../clock.ts'
import { pathOf } from '../events/event-answers.ts'
import { messageId } from './signing.ts'

export const webhookAnswer = ({ webhook, account, place, madeBy }: WebhookItem): Webhook => ({
  ...{ id: webhook.id, account, url: webhook.url, label: webhook.label },
  collection:
    webhook.collectionId === null
      ? null
      : { id: webhook.collectionId, ...(place ?? { owner: null, slug: null }) },
  kinds: webhook.kinds as Webhook['kinds'],
  bumps: webhook.bumps as Webhook['bumps'],
  ...{ enabled: webhook.enabled, disabledWhy: webhook.disabledWhy, madeBy },
  failingSince: instantTextOrNull(webhook.failingSince),
  createdAt: instantText(webhook.createdAt),
})

export const deliveryAnswer = (item: DeliveryItem): Delivery => ({
  ...{ seq: item.seq, messageId: messageId(item.webhookId, item.seq) },
  kind: item.kind as EventKind,
  at: instantText(item.at),
  collection: { id: item.collectionId, ...pathOf(item.name) },
  ...(item.details.semver !== undefined && { semver: item.details.semver }),
  ...{ state: item.state, attempts: item.attempts },
  attemptedAt: instantTextOrNull(item.attemptedAt),
  nextAt: instantTextOrNull(item.nextAt),
  ...{ status: item.status, why: item.why as Delivery['why'], milliseconds: item.milliseconds },
})
