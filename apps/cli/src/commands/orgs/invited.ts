/** Prints a new invitation. Its link is shown only once. */
import type { CreatedInvitation } from '@ulmus/wire'
import type { Call } from '../../context.ts'
import { timeText } from '../../terminal/table.ts'

export async function sayInvited(call: Call, org: string, made: CreatedInvitation): Promise<void> {
  const { url, user, email, role, expiresAt } = made
  await call.line(url)
  call.say(
    `The link is not shown again. Send it to ${user?.slug ?? email ?? ''}, who becomes ${role === 'member' ? 'a' : 'an'} ${role} of ${org}. It expires ${timeText(expiresAt)}.`,
  )
  if (user !== null) call.say(`${user.slug} also sees it with \`ulmus invitations\`.`)
}
