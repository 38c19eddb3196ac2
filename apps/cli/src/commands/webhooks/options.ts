/** Arguments of the commands for webhooks, and their rows. */
import type { WebhookSource } from '@ulmus/client'
import type { CreateWebhook, Webhook } from '@ulmus/wire'
import { disabledText, eventKinds } from '@ulmus/wire/names'
import type { Call } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { facts, timeText } from '../../terminal/table.ts'

/** Flags that describe a webhook. */
export type WebhookFlags = {
  readonly kinds?: string
  readonly bumps?: string
  readonly label?: string
}

const bumps = ['major', 'minor', 'patch'] as const

/** Fields of the given flags. */
export const fieldsOf = (flags: WebhookFlags): Pick<CreateWebhook, 'kinds' | 'bumps' | 'label'> => ({
  kinds: chosen('kinds', flags.kinds, eventKinds),
  bumps: chosen('bumps', flags.bumps, bumps),
  label: flags.label,
})

/** Parses `a,b`; `all` is no filter. @throws CommandError (usage) */
function chosen<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
): T[] | undefined {
  if (text === undefined || text === 'all') return text && []
  return text.split(',').map((word) => {
    const found = known.find((one) => one === word.trim())
    if (found !== undefined) return found
    throw usageError(`--${flag} ${text}: use all, or some of ${known.join(', ')}, with commas.`)
  })
}

/** Parses `owner/slug` or `owner`, and the registry's address before it. @throws CommandError (usage) */
export function sourceOf(text: string): { source: WebhookSource; host: string | undefined } {
  if (!text.includes('/')) return { source: { account: text }, host: undefined }
  const reference = parseReference(text)
  return { source: pathOf(reference), host: reference.host }
}

/** @throws CommandError (usage) unless the text is the number of an event */
export function seqOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usageError(`\`${text}\` is not the number of an event. See \`ulmus webhooks deliveries\`.`)
}

export function placeText({ account, collection }: Webhook): string {
  if (collection === null) return `all of ${account}`
  const { owner, slug } = collection
  return owner === null ? `${collection.id}, private or gone` : `${owner}/${slug}`
}

export function stateText({ enabled, disabledWhy, failingSince }: Webhook): string {
  if (!enabled) return disabledWhy === null ? 'disabled' : `disabled: ${disabledWhy}`
  return failingSince === null ? 'enabled' : 'failing'
}

/** Prints a webhook. */
export const printWebhook = (call: Call, webhook: Webhook): Promise<void> =>
  facts(call, [
    ['id', webhook.id],
    ['events of', placeText(webhook)],
    ['belongs to', webhook.account],
    ['url', webhook.url],
    ['label', webhook.label],
    ['kinds', webhook.kinds.join(', ') || 'all'],
    ['bumps', webhook.bumps.join(', ') || 'all'],
    ['state', stateText(webhook)],
    ['disabled because', webhook.disabledWhy === null ? '' : disabledText(webhook.disabledWhy)],
    ['failing since', webhook.failingSince === null ? '' : timeText(webhook.failingSince)],
    ['made by', webhook.madeBy ?? ''],
    ['made', timeText(webhook.createdAt)],
  ])
