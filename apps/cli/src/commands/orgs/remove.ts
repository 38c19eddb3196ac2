import type { Command } from '../../context.ts'

/** `ulmus orgs remove ORG USER` */
const remove: Command<Record<never, never>, [org: string, user: string]> = async (call, flags, org, user) => {
  const { client } = await call.connect()
  const done = await client.orgs.removeMember(org, user)
  if (flags.json) return call.json(done)
  call.say(`${user} is no longer a member of ${org}.`)
}

export default remove
