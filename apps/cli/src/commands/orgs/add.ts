import type { Command } from '../../context.ts'
import { sayInvited } from './invited.ts'

type AddFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs add ORG USER`: adds a member or changes a role. Some registries invite non-members instead. */
const add: Command<AddFlags, [org: string, user: string]> = async (call, flags, org, user) => {
  const { client } = await call.connect()
  const done = await client.orgs.setMember(org, user, flags.role)
  if (flags.json) return call.json(done)
  if ('url' in done) return sayInvited(call, org, done)
  call.say(`${user} is ${flags.role} of ${org}.`)
}

export default add
