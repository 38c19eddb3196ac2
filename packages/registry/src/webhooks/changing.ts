/** Changes, tests and new secrets of webhooks. */
import { countRecentRequests, disableWebhook, updateWebhook } from '@ulmus/storage'
import type { ChangeWebhook, WebhookSecret, WebhookTest } from '@ulmus/wire'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { testMessage } from '../events/shown.ts'
import type { Caller } from '../principal.ts'
import { LostSecret } from '../secrets/sealing.ts'
import { actOn, addressOf, demandSealing, demandWebhooks, unavailable } from './own.ts'
import { send, strangersPerMinute } from './sending.ts'
import { makeSecret, openSecrets, placeOf, testId } from './signing.ts'

/** How long the former secret signs, too. */
const formerHours = 24
/** Between two tests of a webhook. */
const testSeconds = 6

export async function changeWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { url, kinds, bumps, label, enabled }: ChangeWebhook,
): Promise<void> {
  const address = url === undefined ? undefined : addressOf(context, url)
  await actOn(context, caller, id, async (tx, { webhook }, tell) => {
    if (enabled === false) await disableWebhook(tx, id, null)
    await updateWebhook(tx, id, {
      ...{ kinds, bumps, label, ...address },
      ...(enabled === false && { disabledWhy: null }),
      ...(enabled === true && { enabled, disabledWhy: null, failingSince: null }),
      // Or a webhook would go on hearing what another user may see, at an address that this one chose.
      ...((address !== undefined || enabled === true) && { madeBy: caller.accountId }),
    })
    tell('webhook.changed', { host: address?.host ?? webhook.host })
  })
}

export async function testWebhook(context: Context, caller: Caller, id: string): Promise<WebhookTest> {
  demandWebhooks(context)
  const webhook = await actOn(context, caller, id, async (tx, item) => {
    const { host, testedAt } = item.webhook
    const now = context.now()
    const since = testedAt === null ? testSeconds : (now.getTime() - testedAt.getTime()) / 1_000
    if (since < testSeconds) throw tooSoon(Math.ceil(testSeconds - since))
    if ((await countRecentRequests(tx, host, now)) >= strangersPerMinute) throw tooSoon(60)
    await updateWebhook(tx, id, { testedAt: now })
    return item.webhook
  })
  try {
    const message = { id: testId(), body: testMessage(context.now()) }
    const { delivered, status, why, milliseconds } = await send(context, webhook, message)
    return { delivered, status, why, milliseconds }
  } catch (error) {
    if (!(error instanceof LostSecret)) throw error
    throw unavailable('the key that encrypted the secret of this webhook is gone; make a new secret first')
  }
}

export function rotateSecret(context: Context, caller: Caller, id: string): Promise<WebhookSecret> {
  const sealing = demandSealing(context)
  return actOn(context, caller, id, async (tx, { webhook }, tell) => {
    const secret = makeSecret()
    const until = new Date(context.now().getTime() + formerHours * 3_600_000)
    const former = openSecrets(sealing, webhook, context.now()).length > 0 ? webhook.secret : null
    await updateWebhook(tx, id, {
      secret: sealing.seal(secret, placeOf(id)),
      formerSecret: former,
      formerUntil: former && until,
    })
    tell('webhook.rotated', { host: webhook.host })
    return { secret, formerUntil: former && instantText(until) }
  })
}

const tooSoon = (retryAfter: number) => new RegistryError('rate_limited', { details: { retryAfter } })
