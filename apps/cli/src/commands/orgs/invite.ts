import type { Command } from '../../context.ts'
import { sayInvited } from './invited.ts'

type InviteFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs invite ORG USER|EMAIL`: what has an `@` is an address, since no slug has one. */
const invite: Command<InviteFlags, [org: string, whom: string]> = async (call, flags, org, whom) => {
  const { client } = await call.connect()
  const { role } = flags
  const invitee = whom.includes('@') ? { email: whom } : { user: whom }
  const made = await client.orgs.invite(org, { ...invitee, role })
  if (flags.json) return call.json(made)
  await sayInvited(call, org, made)
}

export default invite
