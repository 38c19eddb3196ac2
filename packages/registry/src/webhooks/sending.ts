/** Sends requests to webhooks: finds events for them, and repeats requests that fail. http-api §13. */
import {
  type ClaimedDelivery,
  claimDeliveries,
  deleteDelivery,
  disableBehind,
  disableWebhook,
  fanOut,
  lockWebhook,
  type Tx,
  updateDelivery,
  updateWebhook,
  type WebhookRow,
} from '@ulmus/storage'
import type { WebhookTest } from '@ulmus/wire'
import { type Act, audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { messageOf } from '../events/event-answers.ts'
import type { Taken } from '../jobs.ts'
import { type AskOutcome, ask } from '../outside/ask.ts'
import { anonymous } from '../principal.ts'
import { schedule } from '../schedule.ts'
import { messageId, openSecrets, signatureHeaders } from './signing.ts'

/** Events that one transaction finds webhooks for. */
const fannedAtOnce = 100
/** Requests of one server at the same time. */
const sentAtOnce = 20
/**
 * Requests a minute to one host, in all, by webhooks on collections of others and those whose last request failed, and tests of one account:
 * the receiver may not want them.
 */
export const limitedPerMinute = 10
const claims = {
  /** Requests to one host at the same time, by all servers: a slow receiver must not take all places. */
  perHost: 2,
  /** The same for the webhooks of one account. */
  perAccount: 4,
  limitedPerMinute,
  /** Longer than any request takes. */
  leaseSeconds: 20,
}
/** From the end of a request to the next look for due deliveries. */
const pauseMilliseconds = 50
const askMilliseconds = 15_000
/** Before each attempt, as Standard Webhooks recommends. Seconds. */
const delays = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** Share by which delays vary, so that receivers that were down do not get all at once. */
const spread = 0.1
const retryAfterMax = 86_400
/** A webhook for which more events wait is disabled. */
const waitingMax = 5_000
/** A webhook whose requests all failed for so long is disabled. */
const failingDays = 5

export type Sending = ReturnType<typeof sendingOf>

export function sendingOf(context: Context) {
  const { database, jobs } = context
  const closing = new AbortController()
  const fanAll = async () => {
    let fanned = fannedAtOnce
    while (fanned === fannedAtOnce && !closing.signal.aborted)
      fanned = await database.transact((tx) => fanOut(tx, fannedAtOnce, context.now()))
    jobs.wake('deliveries')
  }
  const deliveries: Taken<ClaimedDelivery> = {
    atOnce: sentAtOnce,
    pauseMilliseconds,
    async claim(most) {
      // Another server may have what this one lacks.
      if (context.outside === null || context.sealing === null || closing.signal.aborted) return []
      return database.transact((tx) => claimDeliveries(tx, { most, ...claims, now: context.now() }))
    },
    run: (claimed) => deliver(context, claimed, closing.signal),
  }
  jobs.clear('fanOut', fanAll)
  jobs.take('deliveries', deliveries)
  jobs.repeat(schedule.webhooksBehind, () => disableAllBehind(context))
  return {
    /** Finds events for webhooks and sends all that is due, also beside background work. Resolves when nothing is due. */
    async sendAll(): Promise<void> {
      await fanAll()
      for (let claimed: readonly ClaimedDelivery[] = []; ; ) {
        claimed = await deliveries.claim(sentAtOnce)
        if (claimed.length === 0) return
        await Promise.all(claimed.map((one) => deliveries.run(one)))
      }
    },
    /** Sends due deliveries without waiting for the next look. */
    poke: () => jobs.wake('deliveries'),
    close: () => closing.abort(),
  }
}

/** Makes an attempt and notes what came of it. */
async function deliver(context: Context, claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { webhook, event, isHeard, isMakerGone } = claimed
  const row = { webhookId: webhook.id, seq: event.seq }
  if (isMakerGone || !isHeard) {
    await noting(context, webhook, async (tx, _, tell) => {
      if (isMakerGone) await disable(tx, webhook, 'maker_gone', tell)
      if (!isHeard) await deleteDelivery(tx, row)
    })
    return
  }
  const message = { id: messageId(webhook.id, event.seq), body: messageOf(event, context.origin()) }
  const sent = await send(context, webhook, message, signal)
  if (signal.aborted && !sent.delivered)
    return context.database.transact((tx) =>
      updateDelivery(tx, row, { claimedUntil: null, attempts: claimed.attempts - 1 }),
    )
  await noting(context, webhook, (tx, present, tell) =>
    noteResult(tx, { ...claimed, webhook: present }, { sent, now: context.now() }, tell),
  )
}

async function noteResult(
  tx: Tx,
  { webhook, event, attempts }: ClaimedDelivery,
  { sent: { delivered, retryAfter, ...result }, now }: { sent: Sent; now: Date },
  tell: TellDisabled,
): Promise<void> {
  const row = { webhookId: webhook.id, seq: event.seq }
  // A webhook that was disabled meanwhile has nothing waiting.
  const isLast = attempts >= delays.length || !webhook.enabled
  const state = delivered ? 'done' : isLast ? 'failed' : 'waiting'
  const seconds = Math.max(varied(delays[attempts] ?? 0), retryAfter)
  const nextAt = state === 'waiting' ? new Date(now.getTime() + seconds * 1_000) : null
  await updateDelivery(tx, row, { state, nextAt, claimedUntil: null, ...result })
  const failingSince = delivered ? null : (webhook.failingSince ?? now)
  if (webhook.proven !== delivered || failingSince !== webhook.failingSince)
    await updateWebhook(tx, webhook.id, { proven: delivered, failingSince })
  if (failingSince === null) return
  if (result.status === 410) await disable(tx, webhook, 'gone', tell)
  else if (now.getTime() - failingSince.getTime() >= failingDays * 86_400_000)
    await disable(tx, webhook, 'failing', tell)
}

/** Disables webhooks that get more than they take. */
async function disableAllBehind(context: Context): Promise<void> {
  await audited(context, anonymous, async (tx, tell) => {
    for (const webhook of await disableBehind(tx, waitingMax)) tell(disabledAct(webhook, 'behind'))
  })
}

const varied = (seconds: number): number => seconds * (1 - spread + 2 * spread * Math.random())

type TellDisabled = (why: string) => void

const disabledAct = ({ id, host, accountId }: WebhookRow, why: string): Act => ({
  ...{ action: 'webhook.disabled', account: accountId, target: host },
  details: { webhook: id, host, why },
})

/** A transaction that has locked the webhook, with an entry in the audit log of its account. Nothing if the webhook is gone. */
const noting = (
  context: Context,
  { id }: WebhookRow,
  work: (tx: Tx, webhook: WebhookRow, tell: TellDisabled) => Promise<void>,
): Promise<void> =>
  audited(context, anonymous, async (tx, tell) => {
    const webhook = await lockWebhook(tx, id)
    if (webhook !== undefined) await work(tx, webhook, (why) => tell(disabledAct(webhook, why)))
  })

async function disable(
  tx: Tx,
  webhook: WebhookRow,
  why: NonNullable<WebhookRow['disabledWhy']>,
  tell: TellDisabled,
): Promise<void> {
  if (await disableWebhook(tx, webhook.id, why)) tell(why)
}

interface Sent extends WebhookTest {
  /** Seconds that the receiver asks for. Default 0. */
  readonly retryAfter: number
}

/** Sends one request. The answer's body is not read. */
export async function send(
  { outside, sealing, now }: Pick<Context, 'outside' | 'sealing' | 'now'>,
  webhook: WebhookRow,
  message: { readonly id: string; readonly body: string },
  signal?: AbortSignal,
): Promise<Sent> {
  const at = now()
  const secrets = sealing === null ? [] : openSecrets(sealing, webhook, at)
  if (secrets.length === 0 || outside === null)
    return { delivered: false, status: null, why: 'secret', milliseconds: 0, retryAfter: 0 }
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(secrets, message, at),
  }
  const question = { method: 'POST', headers, body: message.body, milliseconds: askMilliseconds } as const
  const asked = await ask(new URL(webhook.url), { ...question, bytesMax: 0, signal }, outside)
  return sentOf(asked, at)
}

function sentOf(asked: AskOutcome, at: Date): Sent {
  const milliseconds = asked.milliseconds
  if (asked.kind === 'failed') {
    // No body is read, so none is too large.
    const why = asked.why === 'too_large' ? 'malformed' : asked.why
    return { delivered: false, status: null, why, milliseconds, retryAfter: 0 }
  }
  const { status, headers } = asked
  const delivered = status >= 200 && status < 300
  const retryAfter = delivered ? 0 : secondsOf(headers['retry-after'], at)
  return { delivered, status, why: delivered ? null : 'status', milliseconds, retryAfter }
}

/** `Retry-After` in seconds: a number or a date (RFC 9110 §10.2.3), at most a day. */
function secondsOf(text: string | undefined, at: Date): number {
  if (text === undefined) return 0
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - at.getTime()) / 1_000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), retryAfterMax)
}
