/** Sends requests to webhooks: finds events for them, and repeats requests that fail. http-api §13. */
import {
  type ClaimedDelivery,
  claimDeliveries,
  deleteDelivery,
  disableWebhook,
  fanOut,
  type Tx,
  updateDelivery,
  updateWebhook,
  type WebhookRow,
} from '@ulmus/storage'
import type { WebhookTest } from '@ulmus/wire'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { messageOf } from '../events/shown.ts'
import { type Asked, ask } from '../outside/ask.ts'
import { anonymous } from '../principal.ts'
import { schedule } from '../schedule.ts'
import { LostSecret } from '../secrets/sealing.ts'
import { messageId, openSecrets, signatureHeaders } from './signing.ts'

/** Events that one transaction finds webhooks for. */
const fannedAtOnce = 100
/** Requests of one server at the same time. */
const sentAtOnce = 20
/** Requests a minute to one host by webhooks on collections of others, and of tests: the receiver may not want them. */
export const strangersPerMinute = 10
const claims = {
  /** Requests to one host at the same time, by all servers: a slow receiver must not take all places. */
  perHost: 2,
  strangersPerMinute,
  /** Longer than any request takes. */
  leaseSeconds: 20,
}
const askMilliseconds = 15_000
/** Before each attempt, as Standard Webhooks recommends. Seconds. */
const delays = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** Share by which delays vary, so that receivers that were down do not get all at once. */
const spread = 0.1
const retryAfterMax = 86_400
/** A webhook whose requests all failed for so long is disabled. */
const failingDays = 5

export type Sending = ReturnType<typeof sendingOf>

export function sendingOf(context: Context) {
  const { database, jobs, log } = context
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  const fanAll = async () => {
    let fanned = fannedAtOnce
    while (fanned === fannedAtOnce && !closing.signal.aborted)
      fanned = await database.transact((tx) => fanOut(tx, fannedAtOnce, context.now()))
  }
  let claiming: Promise<void> | undefined
  const sendDue = (): Promise<void> => {
    claiming ??= claim().finally(() => {
      claiming = undefined
    })
    return claiming
  }
  const claim = async (): Promise<void> => {
    const most = sentAtOnce - running.size
    if (context.outside === null || closing.signal.aborted || most <= 0) return
    const claimed = await database.transact((tx) =>
      claimDeliveries(tx, { most, ...claims, now: context.now() }),
    )
    for (const one of claimed) {
      const sending = deliverOne(one).finally(() => running.delete(sending))
      running.add(sending)
      // A place is free, and perhaps one at this host.
      jobs.leave(sending.then(poke))
    }
  }
  const deliverOne = (claimed: ClaimedDelivery): Promise<void> =>
    deliver(context, claimed, closing.signal).catch((error: unknown) => {
      // The claim ends by itself.
      log.error({ err: error }, 'a request to a webhook failed')
    })
  const poke = (): Promise<void> =>
    sendDue().catch((error: unknown) => log.error({ err: error }, 'the sending of webhooks failed'))

  jobs.repeat(schedule.webhooks, async () => {
    await fanAll()
    await sendDue()
  })
  return {
    /** Finds events for webhooks and sends all that is due. Resolves when no request is left; the background does not wait for them. */
    async sendAll(): Promise<void> {
      await fanAll()
      do {
        await sendDue()
        await Promise.all(running)
      } while (running.size > 0 || claiming !== undefined)
    },
    /** Sends what is due without the delay of the next look. */
    poke: () => jobs.leave(poke()),
    close: () => closing.abort(),
  }
}

/** Makes an attempt and notes what came of it. */
async function deliver(context: Context, claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { webhook, event, isHeard, isMakerGone } = claimed
  const row = { webhookId: webhook.id, seq: event.seq }
  if (isMakerGone || !isHeard) {
    await noting(context, webhook, async (tx, tell) => {
      if (isMakerGone) await disable(tx, webhook, 'maker_gone', tell)
      if (!isHeard) await deleteDelivery(tx, row)
    })
    return
  }
  const message = { id: messageId(webhook.id, event.seq), body: messageOf(event, context.origin()) }
  let sent: Sent
  try {
    sent = await send(context, webhook, message, signal)
  } catch (error) {
    if (!(error instanceof LostSecret)) throw error
    return noting(context, webhook, (tx, tell) => disable(tx, webhook, 'secret_lost', tell))
  }
  if (signal.aborted && !sent.delivered)
    return context.database.transact((tx) =>
      updateDelivery(tx, row, { claimedUntil: null, attempts: claimed.attempts - 1 }),
    )
  await noting(context, webhook, (tx, tell) => noteResult(context, tx, claimed, sent, tell))
}

async function noteResult(
  context: Context,
  tx: Tx,
  { webhook, event, attempts }: ClaimedDelivery,
  { delivered, retryAfter, ...result }: Sent,
  tell: TellDisabled,
): Promise<void> {
  const row = { webhookId: webhook.id, seq: event.seq }
  const now = context.now()
  const isLast = attempts >= delays.length
  const state = delivered ? 'done' : isLast ? 'failed' : 'waiting'
  const seconds = Math.max(varied(delays[attempts] ?? 0), retryAfter)
  const nextAt = state === 'waiting' ? new Date(now.getTime() + seconds * 1_000) : null
  await updateDelivery(tx, row, { state, nextAt, claimedUntil: null, ...result })
  if (delivered) {
    if (webhook.failingSince !== null) await updateWebhook(tx, webhook.id, { failingSince: null })
    return
  }
  const failingSince = webhook.failingSince ?? now
  if (webhook.failingSince === null) await updateWebhook(tx, webhook.id, { failingSince })
  if (result.status === 410) await disable(tx, webhook, 'gone', tell)
  else if (now.getTime() - failingSince.getTime() >= failingDays * 86_400_000)
    await disable(tx, webhook, 'failing', tell)
}

const varied = (seconds: number): number => seconds * (1 - spread + 2 * spread * Math.random())

type TellDisabled = (why: string) => void

/** A transaction with an entry in the audit log of the webhook's account. */
const noting = (
  context: Context,
  webhook: WebhookRow,
  work: (tx: Tx, tell: TellDisabled) => Promise<void>,
): Promise<void> =>
  audited(context, anonymous, (tx, tell: Tell) =>
    work(tx, (why) => {
      const details = { webhook: webhook.id, host: webhook.host, why }
      tell({ action: 'webhook.disabled', account: webhook.accountId, target: webhook.host, details })
    }),
  )

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

/**
 * Sends one request. The answer's body is not read.
 * @throws LostSecret
 */
export async function send(
  { outside, sealing, now }: Pick<Context, 'outside' | 'sealing' | 'now'>,
  webhook: WebhookRow,
  message: { readonly id: string; readonly body: string },
  signal?: AbortSignal,
): Promise<Sent> {
  const at = now()
  const secrets = sealing === null ? [] : openSecrets(sealing, webhook, at)
  if (secrets.length === 0 || outside === null) throw new LostSecret(`The secret of ${webhook.id} is lost.`)
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(secrets, message, at),
  }
  const question = { method: 'POST', headers, body: message.body, milliseconds: askMilliseconds } as const
  const asked = await ask(new URL(webhook.url), { ...question, bytesMax: 0, signal }, outside)
  return sentOf(asked, at)
}

function sentOf(asked: Asked, at: Date): Sent {
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
