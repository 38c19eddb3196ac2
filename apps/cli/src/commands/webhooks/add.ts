import type { Command } from '../../context.ts'
import { fieldsOf, pageOf, placeText, sourceOf, type WebhookFlags, withSteps } from './options.ts'

/** `ulmus webhooks add REF|OWNER URL`: prints only the secret on standard output, for scripts. The registry never returns it again. */
const add: Command<WebhookFlags, [source: string, url: string]> = async (call, flags, text, url) => {
  const { source, host } = sourceOf(text)
  const fields = fieldsOf(flags)
  const { client, host: registry } = await call.connect({ host })
  const made = await client.webhooks.create(source, { url, ...fields }).catch((error) => {
    throw withSteps(error, pageOf(registry, source))
  })
  if (flags.json) return call.json(made)
  await call.line(made.secret)
  call.say(`Made the webhook ${made.id} for ${placeText(made)}.`)
  call.warn('Store the secret with the receiver: it is not shown again.')
}

export default add
