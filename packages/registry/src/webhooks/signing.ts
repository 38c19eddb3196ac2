/**
 * Secrets and signatures of webhooks, by Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md):
 * HMAC-SHA256 over `id.timestamp.body` in base64, after `v1,`.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { parseJson } from '@ulmus/content'
import type { WebhookRow } from '@ulmus/storage'
import { LostSecretError, type Place, type Sealing } from '../secrets/sealing.ts'

const prefix = 'whsec_'
const secretBytes = 32

export const makeSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

/** Of the row that a secret is sealed for. */
export const placeOf = (webhookId: string): Place => `webhooks:${webhookId}`

/** Of an event for a webhook: the same at each attempt. */
export const messageId = (webhookId: string, seq: number): string =>
  `msg_${createHash('sha256').update(`${webhookId}.${seq}`).digest('hex').slice(0, 32)}`

export const testId = (): string => `msg_${randomBytes(16).toString('hex')}`

/** Former secrets that are kept: each signs for a day, however often a new one is made. */
const formerMax = 4

interface Former {
  readonly secret: string
  /** ISO 8601. */
  readonly until: string
}

/** The secrets that sign now: the present one first. Empty if the present one is lost. */
export function openSecrets(
  sealing: Sealing,
  webhook: Pick<WebhookRow, 'id' | 'secret' | 'formerSecrets'>,
  now: Date,
): string[] {
  const [present] = openOne(sealing, webhook.id, webhook.secret)
  if (present === undefined) return []
  return [present, ...formerIn(sealing, webhook, now).map(({ secret }) => secret)]
}

/** Former secrets after another one is made, encrypted; null if none is left. */
export function keepFormer(
  sealing: Sealing,
  webhook: Pick<WebhookRow, 'id' | 'secret' | 'formerSecrets'>,
  { now, until }: { now: Date; until: string },
): Buffer | null {
  const present = openOne(sealing, webhook.id, webhook.secret).map((secret) => ({ secret, until }))
  const kept = [...present, ...formerIn(sealing, webhook, now)].slice(0, formerMax)
  return kept.length === 0 ? null : sealing.seal(JSON.stringify(kept), placeOf(webhook.id))
}

function formerIn(
  sealing: Sealing,
  { id, formerSecrets }: Pick<WebhookRow, 'id' | 'formerSecrets'>,
  now: Date,
): Former[] {
  const [text = '[]'] = formerSecrets === null ? [] : openOne(sealing, id, formerSecrets)
  return (parseJson(text) as Former[]).filter(({ until }) => new Date(until) > now)
}

function openOne(sealing: Sealing, id: string, sealed: Uint8Array): string[] {
  try {
    return [sealing.open(Buffer.from(sealed), placeOf(id))]
  } catch (error) {
    if (error instanceof LostSecretError) return []
    throw error
  }
}

/** @param at time of the request, by which receivers refuse old ones */
export function signatureHeaders(
  secrets: readonly string[],
  { id, body }: { readonly id: string; readonly body: string },
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
