import type { Command } from '../../context.ts'

/** `ulmus keys revoke ID` */
const revoke: Command<Record<never, never>, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const done = await client.keys.revoke(id)
  if (flags.json) return call.json(done)
  call.say('The key is revoked.')
}

export default revoke
