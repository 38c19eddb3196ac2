/**
 * Declares the account commands: names, flags and help texts. Their code is in `commands/` and is loaded when a command runs. A test
 * compares these names and flags with `docs/commands.md`: change both together.
 */
import { buildRouteMap } from '@stricli/core'
import { command } from './command.ts'
import { count, flag, limit, optional, required, scope, several, text } from './parameters.ts'

const login = command(
  'Sign in to a registry',
  () => import('./commands/account/login.ts'),
  {
    flags: {
      withToken: flag('Read an API key from standard input'),
      scope,
      collection: text('owner/slug', 'Limit the key to one collection'),
      label: text('text', 'Label of the key (default: this machine)'),
      browser: { kind: 'boolean', brief: 'Open the page in a browser', default: true },
    },
  },
  'Shows a code to approve in a browser, on this machine or another one. The new key expires after 90 days.',
)
const logout = command('Sign out, and revoke the key', () => import('./commands/account/logout.ts'), {})
const whoami = command('Show the signed-in account', () => import('./commands/account/whoami.ts'), {})

const keys = buildRouteMap({
  docs: { brief: 'API keys: list, create, revoke' },
  routes: {
    list: command('List your keys', () => import('./commands/keys/list.ts'), {}),
    create: command('Create a key', () => import('./commands/keys/create.ts'), {
      flags: {
        label: { kind: 'parsed', parse: String, placeholder: 'text', brief: 'Label of the key' },
        scope,
        collection: text('owner/slug', 'Limit the key to one collection'),
        expires: text(
          '90d',
          'Expire after 90d, 2w or 1y, or on a date (default: together with the key in use)',
        ),
      },
    }),
    revoke: command('Revoke a key', () => import('./commands/keys/revoke.ts'), {
      positional: { kind: 'tuple', parameters: [required('id', 'Id from `ulmus keys list`')] },
    }),
  },
})

const collection = required('owner/slug', 'Collection')
const publishers = buildRouteMap({
  docs: { brief: 'Trusted publishers: jobs that push without a stored key' },
  routes: {
    list: command('List the trusted publishers', () => import('./commands/publishers/list.ts'), {
      positional: { kind: 'tuple', parameters: [collection] },
    }),
    add: command(
      'Let jobs with these claims publish',
      () => import('./commands/publishers/add.ts'),
      {
        flags: {
          issuer: { kind: 'parsed', parse: String, placeholder: 'url', brief: 'Issuer of the tokens' },
          claim: several(
            'name=text',
            'Claim that a token must have; several texts of one claim: any of them',
          ),
          scope: { kind: 'enum', values: ['read', 'write'], default: 'write', brief: 'Scope of the keys' },
          minutes: count('minutes', 'Life of the keys, 5 to 60 (default: 15)'),
          shows: {
            kind: 'enum',
            values: ['none', 'members', 'everyone'],
            default: 'members',
            brief: 'Readers who see which job made a version',
          },
          label: text('text', 'Label (default: the name of the project)'),
        },
        positional: { kind: 'tuple', parameters: [collection] },
      },
      'One claim must identify the project: on GitHub repository or repository_id, on GitLab project_path or project_id, on Kubernetes and others sub. The others limit it, such as to a branch.',
      [
        'ulmus publishers add ada/cities --issuer https://token.actions.githubusercontent.com --claim repository=atlas/cities --claim ref=refs/heads/main',
        'ulmus publishers add ada/cities --issuer https://gitlab.example --claim project_path=atlas/cities --claim ref=main --claim ref_type=branch',
        'ulmus publishers add ada/cities --issuer https://kubernetes.default.svc.cluster.local --claim sub=system:serviceaccount:cities:publisher',
        'ulmus publishers add ada/cities --issuer https://ci.example --claim sub=job-of-cities',
      ],
    ),
    remove: command('Remove a trusted publisher', () => import('./commands/publishers/remove.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [collection, required('id', 'Id from `ulmus publishers list`')],
      },
    }),
  },
})

const org = required('org', 'Slug of the organization')
const user = required('user', 'Slug of the user')
const role = {
  kind: 'enum',
  values: ['owner', 'admin', 'member'],
  default: 'member',
  brief: 'Role of the member',
} as const
const orgs = buildRouteMap({
  docs: { brief: 'Organizations: members, invitations, settings' },
  routes: {
    list: command('List your organizations', () => import('./commands/orgs/list.ts'), {}),
    create: command('Create an organization', () => import('./commands/orgs/create.ts'), {
      flags: { name: text('text', 'Display name (default: the slug)') },
      positional: { kind: 'tuple', parameters: [required('slug', 'Slug of the new organization')] },
    }),
    members: command('List members', () => import('./commands/orgs/members.ts'), {
      positional: { kind: 'tuple', parameters: [org] },
    }),
    add: command('Add a member, or change the role of one', () => import('./commands/orgs/add.ts'), {
      flags: { role },
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
    remove: command('Remove a member', () => import('./commands/orgs/remove.ts'), {
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
    invite: command(
      'Invite a user and print the link',
      () => import('./commands/orgs/invite.ts'),
      {
        flags: { role },
        positional: { kind: 'tuple', parameters: [org, required('user', 'Slug or e-mail address')] },
      },
      'The link works once and expires after 14 days. Nothing is mailed: send the link yourself. An e-mail address is only a label.',
    ),
    invitations: command('List pending invitations', () => import('./commands/orgs/invitations.ts'), {
      positional: { kind: 'tuple', parameters: [org] },
    }),
    uninvite: command('Revoke an invitation', () => import('./commands/orgs/uninvite.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [org, required('id', 'Id from `ulmus orgs invitations`')],
      },
    }),
    settings: command('Show or change the settings', () => import('./commands/orgs/settings.ts'), {
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
    }),
  },
})

const invitation = required('invitation', 'Link, token or id of the invitation')
const invitations = buildRouteMap({
  docs: { brief: 'Your invitations: list, accept, decline' },
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

const audit = command('Show the audit log, newest first', () => import('./commands/account/audit.ts'), {
  flags: {
    actor: text('slug', 'Only actions of this account'),
    action: text('action', 'Only this action, such as version.made'),
    after: text('time', 'Only entries after this time: 2026-01-31 or 2026-01-31T14:00Z'),
    ndjson: flag('Print the whole log, one JSON object per line'),
    limit,
  },
  positional: { kind: 'tuple', parameters: [required('owner', 'Organization, or your own account')] },
})
const usage = command('Show storage and quota of an account', () => import('./commands/account/usage.ts'), {
  positional: { kind: 'tuple', parameters: [optional('owner', 'Account (default: yours)')] },
})

export const accountCommands = { login, logout, whoami, orgs, invitations, keys, publishers, audit, usage }
