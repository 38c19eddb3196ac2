/** Arguments of the commands for webhooks, and their rows. */
import { UlmusError, type WebhookSource } from '@ulmus/client'
import type { CreateWebhook, Webhook } from '@ulmus/wire'
import { disabledText, eventKinds } from '@ulmus/wire/names'
import type { Call } from '../../context.ts'
import { required } from '../../parameters.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { facts, timeText } from '../../terminal/table.ts'

/** `owner/slug`, or an account. */
type NamedSource = Extract<WebhookSource, string> | { readonly account: string }

/** Flags that describe a webhook. */
export type WebhookFlags = {
  readonly kinds?: string
  readonly bumps?: string
  readonly label?: string
}

export const id = required('id', 'Id from `ulmus webhooks list`')
/** Arguments of a command for one webhook. */
export const ofOne = { positional: { kind: 'tuple', parameters: [id] } } as const

const bumps = ['major', 'minor', 'patch'] as const

/** Fields of the given flags. */
export const fieldsOf = (flags: WebhookFlags): Pick<CreateWebhook, 'kinds' | 'bumps' | 'label'> => ({
  kinds: chosen('kinds', flags.kinds, eventKinds),
  bumps: chosen('bumps', flags.bumps, bumps),
  label: flags.label,
})

/** Parses `a,b`; `all` is no filter, and `version.created` the same as `version.made`. @throws CommandError (usage) */
function chosen<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
): T[] | undefined {
  if (text === undefined || text === 'all') return text && []
  return text.split(',').map((word) => {
    const name = word.trim().replace(/\.created$/, '.made')
    const found = known.find((one) => one === name)
    if (found !== undefined) return found
    throw usageError(`--${flag} ${text}: use all, or some of ${known.join(', ')}, with commas.`)
  })
}

/** Parses `owner/slug` or `owner`, and the registry's address before it. @throws CommandError (usage) */
export function sourceOf(text: string): { source: NamedSource; host: string | undefined } {
  if (!text.includes('/')) return { source: { account: text }, host: undefined }
  const reference = parseReference(text)
  return { source: pathOf(reference), host: reference.host }
}

/** @throws CommandError (usage) unless the text is the number of an event */
export function seqOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usageError(`\`${text}\` is not the number of an event. See \`ulmus webhooks deliveries\`.`)
}

/** Page of the webhooks of a source. */
export const pageOf = (host: string, source: NamedSource): string =>
  typeof source === 'string' ? `${host}/${source}/webhooks` : `${host}/${source.account}/-/webhooks`

/** Adds the steps to the refusal of a key that expires. @param page the page where it works, too */
export function withSteps(error: unknown, page: string): unknown {
  if (!(error instanceof UlmusError && error.code === 'key_limited' && error.message.includes('outlive')))
    return error
  return new CommandError(
    `This key expires, and a webhook would outlive it. Sign in again and choose *never* as the end of the key, or use ${page}.`,
    {
      ...{ exitCode: exitCodes.denied, code: error.code, cause: error },
      next: ['ulmus login --scope admin'],
    },
  )
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

/** Words of the states of deliveries, as on the pages. */
export const deliveryStateText = { waiting: 'waiting', done: 'delivered', failed: 'failed' } as const

/** When events are sent again: a disabled webhook sends nothing. */
export const againText = (enabled: boolean): string => (enabled ? '' : ' when the webhook is enabled')

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
