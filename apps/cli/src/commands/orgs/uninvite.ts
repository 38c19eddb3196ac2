import type { Command } from '../../context.ts'

/** `ulmus orgs uninvite ORG ID`: revokes an invitation; its link stops working. */
const uninvite: Command<Record<never, never>, [org: string, id: string]> = async (call, flags, org, id) => {
  const { client } = await call.connect()
  const done = await client.orgs.removeInvitation(org, id)
  if (flags.json) return call.json(done)
  call.say('The invitation is revoked.')
}

export default uninvite
