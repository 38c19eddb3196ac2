/** Answers an invitation, named by its id, its token, or the whole link. */
import type { AnsweredInvitation } from '@ulmus/wire'
import type { Call } from '../../context.ts'

export async function answer(call: Call, text: string, accept: boolean): Promise<AnsweredInvitation> {
  const { host, name } = invitationOf(text)
  const { client } = await call.connect({ host })
  return client.accounts.answerInvitation(name, accept)
}

/** Parses the name of an invitation. A link also names its registry. */
function invitationOf(text: string): { host?: string; name: string } {
  const [, host, name] = /^(https?:\/\/[^/]+)\/invitations\/([^/?#]+)$/.exec(text) ?? []
  return name === undefined ? { name: text } : { host, name }
}
