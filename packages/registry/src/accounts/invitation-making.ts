/** Making an invitation to an organization or to a collection, once it is permitted. */
import { randomBytes } from 'node:crypto'
import { hashText } from '@ulmus/content'
import { type AccountRow, type InvitationRow, insertInvitation, type Tx } from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { onMissingRow } from '../access/authority.ts'
import type { Context } from '../context.ts'
import { mailInvitation } from '../mails/mails.ts'
import type { Caller } from '../principal.ts'

const dayMilliseconds = 86_400_000
const invitationDays = 14
/** Maximum pending invitations of an organization, and of a collection, as in docs/limits.md. */
export const pendingMax = 100

/** Makes a permitted invitation and its mail, in the caller's transaction. @param to has a user, or else an e-mail address */
export async function makeInvitation(
  context: Context,
  tx: Tx,
  caller: Caller,
  {
    user,
    email,
    ...to
  }: Pick<InvitationRow, 'orgId' | 'role' | 'collectionId' | 'grant'> & {
    user: AccountRow | null
    email?: string | undefined
  },
): Promise<{ row: InvitationRow; token: string; mailed: boolean }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = context.now()
  const row: InvitationRow = {
    ...{ id: newId(), ...to, tokenHash: hashText(token) },
    ...{ userId: user?.id ?? null, email: user === null ? (email ?? '') : null },
    ...{ invitedBy: caller.accountId, createdAt },
    expiresAt: new Date(createdAt.getTime() + invitationDays * dayMilliseconds),
  }
  await onMissingRow('account_not_found', { slug: user?.slug ?? '' }, () => insertInvitation(tx, row))
  return { row, token, mailed: await mailInvitation(context, tx, row, token) }
}
