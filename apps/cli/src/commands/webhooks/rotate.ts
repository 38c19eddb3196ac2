import type { Command } from '../../context.ts'
import { timeText } from '../../terminal/table.ts'

/** `ulmus webhooks rotate ID`: prints only the new secret on standard output, for scripts. */
const rotate: Command<Record<never, never>, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const made = await client.webhooks.rotate(id)
  if (flags.json) return call.json(made)
  await call.line(made.secret)
  if (made.formerUntil !== null)
    call.say(`Requests are also signed with the former secret until ${timeText(made.formerUntil)}.`)
  call.warn('Store the secret with the receiver: it is not shown again.')
}

export default rotate
