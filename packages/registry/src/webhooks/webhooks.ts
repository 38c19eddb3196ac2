/** Webhooks: made, changed, tested, and their deliveries. http-api §13. `sending.ts` sends the requests. */
import {
  countWaiting,
  deleteWebhook,
  eventBounds,
  listDeliveries,
  listWebhooks,
  replayEvents,
  retryDelivery,
} from '@ulmus/storage'
import type {
  ChangeWebhook,
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  Replayed,
  ReplayWebhook,
  Webhook,
  WebhookSecret,
  WebhookTest,
} from '@ulmus/wire'
import { findVisibleAccount } from '../access/find-account.ts'
import { findVisibleCollection } from '../access/find-collection.ts'
import { mayManageAccount, webhookBelongsToOwner } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { changeWebhook, rotateSecret, testWebhook } from './changing.ts'
import { createWebhook, type WebhookPlace } from './making.ts'
import { actOn, findOwn } from './own.ts'
import { type Sending, sendingOf } from './sending.ts'
import { deliveryAnswer, webhookAnswer } from './webhook-answers.ts'

export type { WebhookPlace } from './making.ts'

/** Events that wait after a replay: fewer than disable a webhook (`sending.ts`). */
const replayMax = 1_000
const deliveriesPage = 100

export type Webhooks = ReturnType<typeof webhooksOf>

/** Every method throws `unauthenticated` without a caller, and `webhook_not_found` for a webhook that the caller may not change. */
export function webhooksOf(context: Context) {
  const sending = sendingOf(context)
  return {
    /**
     * Makes a webhook. Only this result contains its secret.
     * @throws collection_not_found, account_not_found, MovedError, not_a_member, insufficient_role, url_refused, too_many_webhooks,
     * webhooks_unavailable
     */
    create: (who: Principal, place: WebhookPlace, wanted: CreateWebhook): Promise<CreatedWebhook> =>
      createWebhook(context, demandCaller(who), place, wanted),

    /** Webhooks that the caller may change, the oldest first. @throws as `create` does for the place */
    list: (who: Principal, place: WebhookPlace): Promise<Webhook[]> => listed(context, who, place),

    find: async (who: Principal, id: string): Promise<Webhook> =>
      webhookAnswer(await findOwn(context, who, id)),

    /** @throws url_refused, webhooks_unavailable */
    async change(who: Principal, id: string, wanted: ChangeWebhook): Promise<Webhook> {
      await changeWebhook(context, demandCaller(who), id, wanted)
      return webhookAnswer(await findOwn(context, who, id))
    },

    async remove(who: Principal, id: string): Promise<void> {
      await actOn(context, demandCaller(who), id, async (tx, { webhook }, tell) => {
        if (!(await deleteWebhook(tx, id))) throw new RegistryError('webhook_not_found')
        tell('webhook.removed', { host: webhook.host })
      })
    },

    /** Sends a test request and waits for its answer. @throws rate_limited, webhooks_unavailable */
    test: (who: Principal, id: string): Promise<WebhookTest> => testWebhook(context, demandCaller(who), id),

    /** Makes a new secret. Only this result contains it. @throws webhooks_unavailable */
    rotate: async (who: Principal, id: string): Promise<WebhookSecret> =>
      rotateSecret(context, demandCaller(who), id),

    ...deliveriesOf(context, sending),

    /** Sends all that is due, and waits for it. For tests: background work does so, without waiting. */
    sendAll: () => sending.sendAll(),

    /** Ends running requests; they are repeated later. */
    close: () => sending.close(),
  }
}

async function listed(context: Context, who: Principal, place: WebhookPlace): Promise<Webhook[]> {
  const caller = demandCaller(who)
  if ('collection' in place) {
    const { collection, owner, role } = await findVisibleCollection(context, caller, place.collection)
    const accountIds = [caller.accountId, ...(webhookBelongsToOwner(caller, role) ? [owner.id] : [])]
    return (
      await listWebhooks(context.database, caller.accountId, { accountIds, collectionId: collection.id })
    ).map(webhookAnswer)
  }
  const { account, role } = await findVisibleAccount(context, caller, place.account)
  demand(mayManageAccount(caller, role), { owner: account.slug, needed: 'admin' })
  return (await listWebhooks(context.database, caller.accountId, { accountIds: [account.id] })).map(
    webhookAnswer,
  )
}

function deliveriesOf(context: Context, sending: Sending) {
  const { database } = context
  return {
    /** At most 100, the newest first. */
    async deliveries(
      who: Principal,
      id: string,
      ask: { before?: number | undefined; state?: Delivery['state'] | undefined },
    ): Promise<Delivery[]> {
      await findOwn(context, who, id)
      return (await listDeliveries(database, id, { ...ask, limit: deliveriesPage })).map(deliveryAnswer)
    },

    /** @throws delivery_not_found */
    async retry(who: Principal, id: string, seq: number): Promise<Delivery> {
      await actOn(context, demandCaller(who), id, async (tx) => {
        const isThere = Number.isSafeInteger(seq) && (await retryDelivery(tx, id, seq, context.now()))
        if (!isThere) throw new RegistryError('delivery_not_found', { say: { seq } })
      })
      sending.poke()
      const [delivery] = await listDeliveries(database, id, { seq, limit: 1 })
      if (delivery === undefined) throw new RegistryError('delivery_not_found', { say: { seq } })
      return deliveryAnswer(delivery)
    },

    /** @param after 0: all events that are kept. @throws events_gone */
    async replay(who: Principal, id: string, { after }: ReplayWebhook): Promise<Replayed> {
      const { oldest } = await eventBounds(database, { accountIds: [] })
      const { seqs, most } = await actOn(context, demandCaller(who), id, async (tx) => {
        if (after !== 0 && after < oldest - 1) throw new RegistryError('events_gone', { details: { oldest } })
        const most = Math.max(0, replayMax - (await countWaiting(tx, id)))
        return { most, seqs: await replayEvents(tx, id, { after, most, now: context.now() }) }
      })
      sending.poke()
      return { events: seqs.length, next: seqs.length === most ? (seqs.at(-1) ?? after) : null }
    },
  }
}
