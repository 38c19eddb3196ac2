import type { Member } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus orgs members ORG` */
const members: Command<Record<never, never>, [org: string]> = async (call, flags, org) => {
  const { client } = await call.connect()
  const found: Member[] = []
  for await (const one of client.orgs.members(org)) found.push(one)
  if (flags.json) return call.json(found)
  const rows = found.map(({ account, role, since }) => [
    account.slug,
    role,
    timeText(since),
    account.displayName,
  ])
  await table(call, ['user', 'role', 'since', 'name'], rows)
}

export default members
