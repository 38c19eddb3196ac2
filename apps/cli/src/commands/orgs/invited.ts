/** What is said of an invitation that was just made: its link is told this once. */
import type { CreatedInvitation } from '@ulmus/wire'
import type { Call } from '../../context.ts'
import { timeText } from '../../terminal/table.ts'

export async function sayInvited(call: Call, org: string, made: CreatedInvitation): Promise<void> {
  const { url, user, email, role, expiresAt } = made
  await call.line(url)
  call.say(
    `This is the only time that the link is shown. Send it to ${user?.slug ?? email ?? ''}, whom it makes ${role} of ${org}. It ends ${timeText(expiresAt)}.`,
  )
  if (user !== null) call.say(`${user.slug} finds it with \`ulmus invitations\`, too.`)
}
