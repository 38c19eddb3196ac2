import type { Command } from '../../context.ts'
import { sayInvited } from './invited.ts'

type InviteFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs invite ORG USER|EMAIL`: an argument with `@` is an e-mail address, since slugs have none. */
const invite: Command<InviteFlags, [org: string, invitee: string]> = async (call, flags, org, invitee) => {
  const { client } = await call.connect()
  const { role } = flags
  const target = invitee.includes('@') ? { email: invitee } : { user: invitee }
  const made = await client.orgs.invite(org, { ...target, role })
  if (flags.json) return call.json(made)
  await sayInvited(call, org, made)
}

export default invite
