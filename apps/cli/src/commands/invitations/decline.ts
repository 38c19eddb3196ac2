import type { Command } from '../../context.ts'
import { answer } from './answer.ts'

/** `ulmus invitations decline TOKEN|ID`: declines without joining. Also takes the whole link. */
const decline: Command<Record<never, never>, [invitation: string]> = async (call, flags, invitation) => {
  const answered = await answer(call, invitation, false)
  if (flags.json) return call.json(answered)
  call.say(`The invitation of ${answered.org} is declined.`)
}

export default decline
