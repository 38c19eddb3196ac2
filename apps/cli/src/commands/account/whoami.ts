import type { Command } from '../../context.ts'
import { notSignedIn } from '../../session/connect.ts'

/** `ulmus whoami`: prints only the slug on standard output, for scripts. Fails if not signed in. */
const whoami: Command<Record<never, never>> = async (call, flags) => {
  const { client, host, key } = await call.connect()
  if (key === undefined) throw notSignedIn(host)
  const account = await client.accounts.me()
  if (flags.json) return call.json(account)
  await call.line(account.slug)
  call.say(`${account.displayName}, on ${host}`)
}

export default whoami
