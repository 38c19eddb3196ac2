import type { Command } from '../../context.ts'

type AddFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs add ORG USER`: adds a member, or gives it another role. */
const add: Command<AddFlags, [org: string, user: string]> = async (call, flags, org, user) => {
  const { client } = await call.connect()
  const done = await client.orgs.setMember(org, user, flags.role)
  if (flags.json) return call.json(done)
  call.say(`${user} is ${flags.role} of ${org}.`)
}

export default add
