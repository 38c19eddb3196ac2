import type { OwnInvitation } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus invitations`: lists the caller's invitations. */
const list: Command<Record<never, never>> = async (call, flags) => {
  const { client } = await call.connect()
  const found: OwnInvitation[] = []
  for await (const one of client.accounts.invitations()) found.push(one)
  if (flags.json) return call.json(found)
  const rows = found.map(({ id, org, role, invitedBy, expiresAt }) => [
    id,
    org.slug,
    role,
    invitedBy ?? '',
    timeText(expiresAt),
  ])
  await table(call, ['id', 'org', 'role', 'by', 'ends'], rows)
}

export default list
