/** Commands for invitations to the user. */
import { buildRouteMap } from '@stricli/core'
import type { AnsweredInvitation, OwnInvitation } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { required } from '../parameters.ts'
import { table, timeText } from '../terminal/table.ts'

const invitation = required('invitation', 'Link, token or id of the invitation')

/** `ulmus invitations`: lists the caller's invitations. */
const list = command<Record<never, never>>({
  brief: 'List your invitations',
  page: 'List your invitations',
  run: async (call, flags) => {
    const { client } = await call.connect()
    const found: OwnInvitation[] = []
    for await (const one of client.accounts.invitations()) found.push(one)
    if (flags.json) return call.json(found)
    const rows = found.map((one) => [one.id, ...whatOf(one), one.invitedBy ?? '', timeText(one.expiresAt)])
    await table(call, ['id', 'to', 'as', 'by', 'ends'], rows)
  },
})

/** Organization and role, or collection and grant. Registries of 0.1.0 answer without `collection`. */
const whatOf = ({ org, role, collection }: OwnInvitation): string[] =>
  collection ? [`${collection.owner}/${collection.slug}`, `${role}: ${collection.grant}`] : [org.slug, role]

/** `ulmus invitations accept TOKEN|ID`: joins the organization or the collection. Also takes the whole link. */
const accept = command<Record<never, never>, [invitation: string]>({
  brief: 'Join an organization, or a collection as a collaborator',
  page: 'Join the organization, or the collection as a collaborator. The invitation is named by its id, its token or the whole link',
  positional: { kind: 'tuple', parameters: [invitation] },
  run: async (call, flags, invitation) => {
    const answered = await answer(call, invitation, true)
    if (flags.json) return call.json(answered)
    const { org, collection } = answered
    call.say(collection ? `You are a collaborator of ${collection}.` : `You are a member of ${org}.`)
  },
})

/** `ulmus invitations decline TOKEN|ID`: declines without joining. Also takes the whole link. */
const decline = command<Record<never, never>, [invitation: string]>({
  brief: 'Decline an invitation',
  page: 'Decline, with the same names',
  positional: { kind: 'tuple', parameters: [invitation] },
  run: async (call, flags, invitation) => {
    const answered = await answer(call, invitation, false)
    if (flags.json) return call.json(answered)
    const { org, collection } = answered
    call.say(`The invitation ${collection ? `to ${collection}` : `of ${org}`} is declined.`)
  },
})

/** Answers an invitation, named by its id, its token, or the whole link. */
async function answer(call: Call, text: string, accept: boolean): Promise<AnsweredInvitation> {
  const { host, name } = invitationOf(text)
  const { client } = await call.connect({ host })
  return client.accounts.answerInvitation(name, accept)
}

/** Parses the name of an invitation. A link also names its registry. */
function invitationOf(text: string): { host?: string; name: string } {
  const [, host, name] = /^(https?:\/\/[^/]+)\/invitations\/([^/?#]+)$/.exec(text) ?? []
  return name === undefined ? { name: text } : { host, name }
}

const invitations = buildRouteMap({
  docs: { brief: 'Your invitations: list, accept, decline' },
  defaultCommand: 'list',
  routes: { list, accept, decline },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    invitations: {
      command: invitations,
      group: 'Manage',
      place: 40,
      line: ['invitations', 'accept or decline invitations'],
    },
  },
})
