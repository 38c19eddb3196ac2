import type { Command } from '../../context.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { againText, seqOf } from './options.ts'

/** `ulmus webhooks retry ID SEQ`: sends an event again. */
const retry: Command<Record<never, never>, [id: string, seq: string]> = async (call, flags, id, text) => {
  const seq = seqOf(text)
  const { client } = await call.connect()
  const delivery = await client.webhooks.retry(id, seq)
  if (flags.json) return call.json(delivery)
  const { enabled } = await client.webhooks.get(id)
  call.say(
    `Event ${seq} is sent again${againText(enabled)}. \`ulmus webhooks deliveries ${shellWord(id)}\` shows the result.`,
  )
}

export default retry
