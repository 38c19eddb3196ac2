import type { Membership } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { table } from '../../terminal/table.ts'

/** `ulmus orgs list` */
const list: Command<Record<never, never>> = async (call, flags) => {
  const { client } = await call.connect()
  const memberships: Membership[] = []
  for await (const one of client.accounts.memberships()) memberships.push(one)
  if (flags.json) return call.json(memberships)
  await table(
    call,
    ['org', 'role', 'name'],
    memberships.map(({ account, role }) => [account.slug, role, account.displayName]),
  )
}

export default list
