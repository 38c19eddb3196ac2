import type { Command } from '../../context.ts'

/** `ulmus webhooks remove ID` */
const remove: Command<Record<never, never>, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const done = await client.webhooks.remove(id)
  if (flags.json) return call.json(done)
  call.say('The webhook is deleted.')
}

export default remove
