import type { Command } from '../../context.ts'
import { usageError } from '../../terminal/failure.ts'
import { fieldsOf, printWebhook, type WebhookFlags, withSteps } from './options.ts'

type SetFlags = WebhookFlags & {
  readonly url?: string
  readonly enable: boolean
  readonly disable: boolean
}

/** `ulmus webhooks set ID`: changes what the flags name. */
const set: Command<SetFlags, [id: string]> = async (call, flags, id) => {
  const { enable, disable, url } = flags
  if (enable && disable) throw usageError('--enable and --disable exclude each other. Use one of them.')
  const enabled = enable || disable ? enable : undefined
  const changes = { url, enabled, ...fieldsOf(flags) }
  if (Object.values(changes).every((value) => value === undefined))
    throw usageError('Nothing to change. Give --url, --kinds, --bumps, --label, --enable or --disable.')
  const { client } = await call.connect()
  const webhook = await client.webhooks.update(id, changes).catch((error) => {
    throw withSteps(error, 'its page')
  })
  if (flags.json) return call.json(webhook)
  await printWebhook(call, webhook)
}

export default set
