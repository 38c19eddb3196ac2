import type { Command } from '../../context.ts'
import { answer } from './answer.ts'

/** `ulmus invitations accept TOKEN|ID`: joins the organization. Also takes the whole link. */
const accept: Command<Record<never, never>, [invitation: string]> = async (call, flags, invitation) => {
  const answered = await answer(call, invitation, true)
  if (flags.json) return call.json(answered)
  call.say(`You are a member of ${answered.org}.`)
}

export default accept
