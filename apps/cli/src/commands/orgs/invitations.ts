import type { Invitation } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus orgs invitations ORG`: lists pending invitations. */
const invitations: Command<Record<never, never>, [org: string]> = async (call, flags, org) => {
  const { client } = await call.connect()
  const found: Invitation[] = []
  for await (const one of client.orgs.invitations(org)) found.push(one)
  if (flags.json) return call.json(found)
  const rows = found.map(({ id, user, email, role, invitedBy, expiresAt }) => [
    id,
    user?.slug ?? email ?? '',
    role,
    invitedBy ?? '',
    timeText(expiresAt),
  ])
  await table(call, ['id', 'invited', 'role', 'by', 'expires'], rows)
}

export default invitations
