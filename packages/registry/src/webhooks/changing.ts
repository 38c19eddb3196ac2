/** Changes, tests and new secrets of webhooks. */
import { countTest, disableWebhook, lastEventSoFar, updateWebhook } from '@ulmus/storage'
import type { ChangeWebhook, WebhookSecret, WebhookTest } from '@ulmus/wire'
import { mayLeaveWebhook } from '../access/policy.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { testMessage } from '../events/event-answers.ts'
import type { Caller } from '../principal.ts'
import { actOn, addressOf, demandSealing, demandWebhooks } from './own.ts'
import { limitedPerMinute, send } from './sending.ts'
import { keepFormer, makeSecret, placeOf, testId } from './signing.ts'

/** Time for which a former secret still signs. */
const formerHours = 24
/** Between two tests of a webhook. */
const testSeconds = 6
/** Tests of an account in a minute, to all hosts. */
const testsPerMinute = 30

export async function changeWebhook(
  context: Context,
  caller: Caller,
  id: string,
  wanted: ChangeWebhook,
): Promise<void> {
  const { url, kinds, bumps, label, enabled } = wanted
  const address = url === undefined ? undefined : addressOf(context, url)
  if (address !== undefined || enabled === true) demand(mayLeaveWebhook(caller), { webhook: true })
  await actOn(context, caller, id, async (tx, { webhook }, tell) => {
    if (Object.values(wanted).every((value) => value === undefined)) return
    if (enabled === false) await disableWebhook(tx, id, null)
    await updateWebhook(tx, id, {
      ...{ kinds, bumps, label, ...address },
      ...(address !== undefined && { proven: false, failingSince: null }),
      ...(enabled === false && { disabledWhy: null }),
      ...(enabled === true && { enabled, disabledWhy: null, failingSince: null }),
      // Of the events while it was off, it gets those that a replay asks for.
      ...(enabled === true && !webhook.enabled && { hearsAfter: await lastEventSoFar(tx) }),
      // Or a webhook would go on hearing what another user may see, at an address that this one chose.
      ...((address !== undefined || enabled === true) && { madeBy: caller.accountId }),
    })
    tell('webhook.changed', { host: address?.host ?? webhook.host })
  })
}

export async function testWebhook(context: Context, caller: Caller, id: string): Promise<WebhookTest> {
  demandWebhooks(context)
  const webhook = await actOn(context, caller, id, async (tx, item) => {
    const { accountId, host, testedAt } = item.webhook
    const now = context.now()
    const since = testedAt === null ? testSeconds : (now.getTime() - testedAt.getTime()) / 1_000
    if (since < testSeconds) throw tooSoon(Math.ceil(testSeconds - since))
    const { toHost, toAll } = await countTest(tx, { accountId, host, now })
    if (toHost > limitedPerMinute || toAll > testsPerMinute) throw tooSoon(60)
    await updateWebhook(tx, id, { testedAt: now })
    return item.webhook
  })
  const message = { id: testId(), body: testMessage(context.now()) }
  const { delivered, status, why, milliseconds } = await send(context, webhook, message)
  return { delivered, status, why, milliseconds }
}

export function rotateSecret(context: Context, caller: Caller, id: string): Promise<WebhookSecret> {
  const sealing = demandSealing(context)
  return actOn(context, caller, id, async (tx, { webhook }, tell) => {
    const secret = makeSecret()
    const now = context.now()
    const until = instantText(new Date(now.getTime() + formerHours * 3_600_000))
    const formerSecrets = keepFormer(sealing, webhook, { now, until })
    await updateWebhook(tx, id, { secret: sealing.seal(secret, placeOf(id)), formerSecrets })
    tell('webhook.rotated', { host: webhook.host })
    return { secret, formerUntil: formerSecrets && until }
  })
}

const tooSoon = (retryAfter: number) => new RegistryError('rate_limited', { say: { retryAfter } })
