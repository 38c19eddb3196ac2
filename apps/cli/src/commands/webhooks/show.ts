import type { Command } from '../../context.ts'
import { printWebhook } from './options.ts'

/** `ulmus webhooks show ID` */
const show: Command<Record<never, never>, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const webhook = await client.webhooks.get(id)
  if (flags.json) return call.json(webhook)
  await printWebhook(call, webhook)
}

export default show
