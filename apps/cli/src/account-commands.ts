/** Commands about accounts at the registry: signing in, keys, organizations, and what was done and stored. */
import { buildRouteMap } from '@stricli/core'
import { command } from './command.ts'
import { flag, limit, optional, required, scope, text } from './parameters.ts'

const login = command(
  'Sign in to a registry',
  () => import('./commands/login.ts'),
  {
    flags: {
      withToken: flag('Read an API key from standard input'),
      scope,
      collection: text('owner/slug', 'Limit the key to one collection'),
      label: text('text', 'What the key is called; this machine by default'),
      browser: { kind: 'boolean', brief: 'Open the page in a browser', default: true },
    },
  },
  'Shows a code, which you allow in a browser, on this machine or another one. The key that comes of it ends after 90 days.',
)
const logout = command('Sign out, and revoke the key', () => import('./commands/logout.ts'), {})
const whoami = command('Say who is signed in', () => import('./commands/whoami.ts'), {})

const keys = buildRouteMap({
  docs: { brief: 'API keys: list, create, revoke' },
  routes: {
    list: command('List your keys', () => import('./commands/keys/list.ts'), {}),
    create: command('Make a key', () => import('./commands/keys/create.ts'), {
      flags: {
        label: { kind: 'parsed', parse: String, placeholder: 'text', brief: 'What it is called' },
        scope,
        collection: text('owner/slug', 'Limit it to one collection'),
        expires: text(
          '90d',
          'When it ends: 90d, 2w, 1y or a date (default: when the key ends that makes it, if that ends)',
        ),
      },
    }),
    revoke: command('Revoke a key', () => import('./commands/keys/revoke.ts'), {
      positional: { kind: 'tuple', parameters: [required('id', 'As `ulmus keys list` has it')] },
    }),
  },
})

const org = required('org', 'Its slug')
const user = required('user', 'Its slug')
const role = {
  kind: 'enum',
  values: ['owner', 'admin', 'member'],
  default: 'member',
  brief: 'What it may do',
} as const
const orgs = buildRouteMap({
  docs: { brief: 'Organizations: members, invitations, settings' },
  routes: {
    list: command('List your organizations', () => import('./commands/orgs/list.ts'), {}),
    create: command('Make an organization', () => import('./commands/orgs/create.ts'), {
      flags: { name: text('text', 'What people read; its slug by default') },
      positional: { kind: 'tuple', parameters: [required('slug', 'Its name in addresses')] },
    }),
    members: command('List members', () => import('./commands/orgs/members.ts'), {
      positional: { kind: 'tuple', parameters: [org] },
    }),
    add: command('Add a member, or give it another role', () => import('./commands/orgs/add.ts'), {
      flags: { role },
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
    remove: command('Remove a member', () => import('./commands/orgs/remove.ts'), {
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
    invite: command(
      'Invite somebody, and print the link',
      () => import('./commands/orgs/invite.ts'),
      {
        flags: { role },
        positional: { kind: 'tuple', parameters: [org, required('user', 'Its slug, or an e-mail address')] },
      },
      'The link works once and ends after 14 days. Nothing is mailed: an address only tells invitations apart.',
    ),
    invitations: command(
      'List invitations that nobody has answered',
      () => import('./commands/orgs/invitations.ts'),
      { positional: { kind: 'tuple', parameters: [org] } },
    ),
    uninvite: command('Take an invitation back', () => import('./commands/orgs/uninvite.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [org, required('id', 'As `ulmus orgs invitations` has it')],
      },
    }),
    settings: command('Print the settings, or change them', () => import('./commands/orgs/settings.ts'), {
      flags: {
        membersMayChangeVisibility: {
          kind: 'enum',
          values: ['yes', 'no'],
          optional: true,
          brief: 'no: admins and owners alone make a private collection public',
        },
        defaultVisibility: {
          kind: 'enum',
          values: ['private', 'public'],
          optional: true,
          brief: 'Of new collections whose maker does not say',
        },
      },
      positional: { kind: 'tuple', parameters: [org] },
    }),
  },
})

const invitation = required('invitation', 'Its link, its token, or its id')
const invitations = buildRouteMap({
  docs: { brief: 'Invitations that you have: list, accept, decline' },
  defaultCommand: 'list',
  routes: {
    list: command('List your invitations', () => import('./commands/invitations/list.ts'), {}),
    accept: command('Join an organization', () => import('./commands/invitations/accept.ts'), {
      positional: { kind: 'tuple', parameters: [invitation] },
    }),
    decline: command('Decline an invitation', () => import('./commands/invitations/decline.ts'), {
      positional: { kind: 'tuple', parameters: [invitation] },
    }),
  },
})

const audit = command('List who did what, newest first', () => import('./commands/audit.ts'), {
  flags: {
    actor: text('slug', 'Only what this account did'),
    action: text('action', 'Only such as version.made'),
    after: text('time', 'Only what was done after it: 2026-01-31 or 2026-01-31T14:00Z'),
    ndjson: flag('All of it, one JSON object a line'),
    limit,
  },
  positional: { kind: 'tuple', parameters: [required('owner', 'An organization, or yourself')] },
})
const usage = command('Say how much an account has stored', () => import('./commands/usage.ts'), {
  positional: { kind: 'tuple', parameters: [optional('owner', 'An account; yours by default')] },
})

export const accountCommands = { login, logout, whoami, orgs, invitations, keys, audit, usage }
