/** Commands for organizations: members, invitations, settings. */
import { buildRouteMap } from '@stricli/core'
import type { CreatedInvitation, Invitation, Member, Membership } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { required, text } from '../parameters.ts'
import { facts, table, timeText } from '../terminal/table.ts'

const org = required('org', 'Slug of the organization')
const user = required('user', 'Slug of the user')
const role = {
  kind: 'enum',
  values: ['owner', 'admin', 'member'],
  default: 'member',
  brief: 'Role of the member',
} as const

/** `ulmus orgs list` */
const list = command<Record<never, never>>({
  brief: 'List your organizations',
  run: async (call, flags) => {
    const { client } = await call.connect()
    const memberships: Membership[] = []
    for await (const one of client.accounts.memberships()) memberships.push(one)
    if (flags.json) return call.json(memberships)
    await table(
      call,
      ['org', 'role', 'name'],
      memberships.map(({ account, role }) => [account.slug, role, account.displayName]),
    )
  },
})

type CreateFlags = { readonly name?: string }

/** `ulmus orgs create SLUG` */
const create = command<CreateFlags, [slug: string]>({
  brief: 'Create an organization',
  flags: { name: text('text', 'Display name (default: the slug)') },
  positional: { kind: 'tuple', parameters: [required('slug', 'Slug of the new organization')] },
  run: async (call, flags, slug) => {
    const { client } = await call.connect()
    const made = await client.orgs.create({ slug, displayName: flags.name ?? slug })
    if (flags.json) return call.json(made)
    await call.line(made.slug)
  },
})

/** `ulmus orgs members ORG` */
const members = command<Record<never, never>, [org: string]>({
  brief: 'List members',
  positional: { kind: 'tuple', parameters: [org] },
  run: async (call, flags, org) => {
    const { client } = await call.connect()
    const found: Member[] = []
    for await (const one of client.orgs.members(org)) found.push(one)
    if (flags.json) return call.json(found)
    const rows = found.map(({ account, role, since }) => [
      account.slug,
      role,
      timeText(since),
      account.displayName,
    ])
    await table(call, ['user', 'role', 'since', 'name'], rows)
  },
})

type AddFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs add ORG USER`: adds a member or changes a role. Some registries invite non-members instead. */
const add = command<AddFlags, [org: string, user: string]>({
  brief: 'Add a member, or change the role of one',
  flags: { role },
  positional: { kind: 'tuple', parameters: [org, user] },
  run: async (call, flags, org, user) => {
    const { client } = await call.connect()
    const done = await client.orgs.setMember(org, user, flags.role)
    if (flags.json) return call.json(done)
    if ('url' in done) return sayInvited(call, org, done)
    call.say(`${user} is ${flags.role} of ${org}.`)
  },
})

/** `ulmus orgs remove ORG USER` */
const remove = command<Record<never, never>, [org: string, user: string]>({
  brief: 'Remove a member',
  positional: { kind: 'tuple', parameters: [org, user] },
  run: async (call, flags, org, user) => {
    const { client } = await call.connect()
    const done = await client.orgs.removeMember(org, user)
    if (flags.json) return call.json(done)
    call.say(`${user} is no longer a member of ${org}.`)
  },
})

type InviteFlags = { readonly role: 'owner' | 'admin' | 'member' }

/** `ulmus orgs invite ORG USER|EMAIL`: an argument with `@` is an e-mail address, since slugs have none. */
const invite = command<InviteFlags, [org: string, invitee: string]>({
  brief: 'Invite a user and print the link',
  description:
    'The link works once and expires after 14 days. Send it yourself; the registry mails it, too, if its operator has set up mail.',
  page: 'Print an invitation link, once: for that user, or, with an e-mail address, for anyone who has the link; `--role`. The registry mails it, too, if its operator has set up mail',
  flags: { role },
  positional: { kind: 'tuple', parameters: [org, required('user', 'Slug or e-mail address')] },
  run: async (call, flags, org, invitee) => {
    const { client } = await call.connect()
    const { role } = flags
    const target = invitee.includes('@') ? { email: invitee } : { user: invitee }
    const made = await client.orgs.invite(org, { ...target, role })
    if (flags.json) return call.json(made)
    await sayInvited(call, org, made)
  },
})

/** Prints a new invitation. Its link is shown only once. */

async function sayInvited(call: Call, org: string, made: CreatedInvitation): Promise<void> {
  const { url, user, email, role, expiresAt } = made
  await call.line(url)
  call.say(
    `The link is not shown again. Send it to ${user?.slug ?? email ?? ''}, who becomes ${role === 'member' ? 'a' : 'an'} ${role} of ${org}. It expires ${timeText(expiresAt)}.`,
  )
  if (made.mailed) call.say('The registry also mails it.')
  if (user !== null) call.say(`${user.slug} also sees it with \`ulmus invitations\`.`)
}

/** `ulmus orgs invitations ORG`: lists pending invitations. */
const invitations = command<Record<never, never>, [org: string]>({
  brief: 'List pending invitations',
  positional: { kind: 'tuple', parameters: [org] },
  run: async (call, flags, org) => {
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
  },
})

/** `ulmus orgs uninvite ORG ID`: revokes an invitation; its link stops working. */
const uninvite = command<Record<never, never>, [org: string, id: string]>({
  brief: 'Revoke an invitation',
  positional: {
    kind: 'tuple',
    parameters: [org, required('id', 'Id from `ulmus orgs invitations`')],
  },
  run: async (call, flags, org, id) => {
    const { client } = await call.connect()
    const done = await client.orgs.removeInvitation(org, id)
    if (flags.json) return call.json(done)
    call.say('The invitation is revoked.')
  },
})

type SettingsFlags = {
  readonly membersMayChangeVisibility?: 'yes' | 'no'
  readonly defaultVisibility?: 'private' | 'public'
}

/** `ulmus orgs settings ORG`: prints the settings, or changes those given by flags. */
const settings = command<SettingsFlags, [org: string]>({
  brief: 'Show or change the settings',
  page: 'Show or change settings: `--members-may-change-visibility yes` or `no`, `--default-visibility private` or `public`',
  flags: {
    membersMayChangeVisibility: {
      kind: 'enum',
      values: ['yes', 'no'],
      optional: true,
      brief: 'Let members make private collections public',
    },
    defaultVisibility: {
      kind: 'enum',
      values: ['private', 'public'],
      optional: true,
      brief: 'Visibility of new collections without --public or --private',
    },
  },
  positional: { kind: 'tuple', parameters: [org] },
  run: async (call, flags, org) => {
    const { client } = await call.connect()
    const { membersMayChangeVisibility: may, defaultVisibility } = flags
    if (may !== undefined || defaultVisibility !== undefined) {
      const membersMayChangeVisibility = may === undefined ? undefined : may === 'yes'
      const done = await client.orgs.changeSettings(org, { membersMayChangeVisibility, defaultVisibility })
      if (flags.json) return call.json(done)
      return call.say(`The settings of ${org} are changed.`)
    }
    const found = await client.orgs.settings(org)
    if (flags.json) return call.json(found)
    await facts(call, [
      ['members may change visibility', found.membersMayChangeVisibility ? 'yes' : 'no'],
      ['default visibility', found.defaultVisibility],
    ])
  },
})

const orgs = buildRouteMap({
  docs: { brief: 'Organizations: members, invitations, settings' },
  routes: { list, create, members, add, remove, invite, invitations, uninvite, settings },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    orgs: { command: orgs, group: 'Manage', place: 20 },
  },
})
