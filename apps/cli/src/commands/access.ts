/** Commands for the access to a collection: its readers, and grants of collaborators. */
import { buildRouteMap } from '@stricli/core'
import type { Access, Grant, InvitedCollaborator } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { referenceHere } from '../folder/base/here.ts'
import { optional, required } from '../parameters.ts'
import { parseReference, pathOf } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'
import { table, timeText } from '../terminal/table.ts'

const collection = required('owner/slug', 'Collection')
const user = required('user', 'Slug of the user')
const grant = {
  brief: 'read, write or admin',
  placeholder: 'grant',
  parse: (text: string): Grant => {
    if (text === 'read' || text === 'write' || text === 'admin') return text
    throw usageError(`\`${text}\` is not a grant. Use read, write or admin.`)
  },
} as const

/** `ulmus access [REF]` */
const list = command<Record<never, never>, [reference?: string]>({
  brief: 'Show who can read all of a collection, and why',
  page: 'Show who can read all of a collection, and why: members of the owner with their roles, [collaborators](organizations.md#collaborators) with their grants, pending invitations; who gave a grant, and when',
  positional: { kind: 'tuple', parameters: [optional('reference', 'Collection (default: this folder’s)')] },
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const access = await client.collaborators.access(pathOf(reference))
    if (flags.json) return call.json(access)
    await table(call, ['user', 'through', 'right', 'by', 'since'], rowsOf(access))
    const hidden = access.memberCount - access.members.length
    if (hidden > 0)
      call.warn(`${access.owner.slug} has ${hidden} more members: ulmus orgs members shows them.`)
    const readers = access.public
      ? 'Public: everybody reads its public view, only these users all of it.'
      : 'Private: only these users read it.'
    call.say(access.invitations.length > 0 ? `${readers} Invited users must accept first.` : readers)
  },
})

/** A user with a role and a grant has a row for each. */
const rowsOf = ({ members, collaborators, invitations }: Access): string[][] => [
  ...members.map(({ account, role }) => [account.slug, 'role', role, '', '']),
  ...collaborators.map(({ account, grant, invitedBy, since }) => [
    ...[account.slug, 'grant', grant, invitedBy ?? '', timeText(since)],
  ]),
  ...invitations.map(({ user, grant, invitedBy, createdAt }) => [
    ...[user.slug, 'invitation', grant, invitedBy ?? '', timeText(createdAt)],
  ]),
]

/** `ulmus access grant REF USER GRANT`: makes a collaborator or changes a grant. Some registries invite the user instead. */
const give = command<Record<never, never>, [reference: string, user: string, grant: Grant]>({
  brief: 'Make a user a collaborator, or change a grant',
  description:
    'read: all versions with their private parts. write: also push, upload files, update metadata and deprecate. admin: also settings, visibility, publishers and collaborators. A registry that requires consent prints an invitation link instead.',
  examples: ['ulmus access grant atlas/cities grace write'],
  page: 'Make a user a [collaborator](organizations.md#collaborators) of this collection alone, or change the grant: `read`, `write` or `admin`. Prints an invitation link, once, if the registry requires consent',
  positional: { kind: 'tuple', parameters: [collection, user, grant] },
  run: async (call, flags, text, user, grant) => {
    const reference = parseReference(text)
    const { client } = await call.connect({ host: reference.host })
    const path = pathOf(reference)
    const done = await client.collaborators.set(path, user, grant)
    if (flags.json) return call.json(done)
    if ('url' in done) return sayInvited(call, path, done)
    call.say(`${user} is a collaborator of ${path} with the grant ${grant}.`)
  },
})

async function sayInvited(call: Call, path: string, made: InvitedCollaborator): Promise<void> {
  const { url, user, grant, expiresAt } = made
  await call.line(url)
  call.say(
    `The link is not shown again. Send it to ${user.slug}, who becomes a collaborator of ${path} with the grant ${grant}. It expires ${timeText(expiresAt)}.`,
  )
  if (made.mailed) call.say('The registry also mails it.')
  call.say(`${user.slug} also sees it with \`ulmus invitations\`.`)
}

/** `ulmus access revoke REF USER` */
const revoke = command<Record<never, never>, [reference: string, user: string]>({
  brief: 'End a grant or an invitation',
  description: 'Collaborators leave a collection by their own slug. A role in the owner stays.',
  page: 'End a grant or an invitation. Collaborators leave by their own slug. A role in the owner stays',
  positional: { kind: 'tuple', parameters: [collection, user] },
  run: async (call, flags, text, user) => {
    const reference = parseReference(text)
    const { client } = await call.connect({ host: reference.host })
    const path = pathOf(reference)
    const done = await client.collaborators.remove(path, user)
    if (flags.json) return call.json(done)
    call.say(`${user} is no longer a collaborator of ${path}, nor invited.`)
  },
})

const access = buildRouteMap({
  docs: { brief: 'Readers of a collection: show, grant, revoke' },
  defaultCommand: 'list',
  routes: { list, grant: give, revoke },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    access: {
      command: access,
      group: 'Manage',
      place: 35,
      line: ['access REF', 'show and change who can read a collection'],
    },
  },
})
