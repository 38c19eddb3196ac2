/** Commands about accounts, collections and versions at the registry. */
import { buildRouteMap } from '@stricli/core'
import { command } from './command.ts'
import { flag, optional, required, text } from './parameters.ts'
import { usageError } from './terminal/failure.ts'

const scope = {
  kind: 'enum',
  values: ['read', 'write', 'admin'],
  default: 'write',
  brief: 'What the key may do',
} as const
const reference = optional('owner/slug', 'A collection; in a working folder its own by default')

/** Most items that are asked for, unless more are wanted. */
const limit = {
  kind: 'parsed',
  parse: (given: string) => {
    const count = Number(given)
    if (Number.isInteger(count) && count > 0) return count
    throw usageError(`${given} is no number of items.`)
  },
  default: '50',
  placeholder: 'count',
  brief: 'At most so many',
} as const

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

const api = command('Make any call of the API', () => import('./commands/api.ts'), {
  flags: {
    data: text('body', 'What to send: a text, @file, or - for standard input'),
    type: {
      kind: 'parsed',
      parse: String,
      default: 'application/json',
      placeholder: 'type',
      brief: 'Its content type',
    },
    include: flag('Say status and headers, on standard error'),
  },
  aliases: { d: 'data', i: 'include' },
  positional: {
    kind: 'tuple',
    parameters: [required('method', 'GET, POST, …'), required('path', 'Such as /api/collections')],
  },
})

const log = command('List versions, newest first', () => import('./commands/log.ts'), {
  flags: { limit },
  positional: { kind: 'tuple', parameters: [reference] },
})
const show = command(
  'Show one thing: a collection, a version, a schema, a record',
  () => import('./commands/show.ts'),
  {
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
    },
  },
)
const get = command('Write records to standard output', () => import('./commands/get.ts'), {
  flags: { ndjson: flag('One JSON object a line (the default)'), csv: flag('A table of one type') },
  positional: {
    kind: 'tuple',
    parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
  },
})
const exportArchive = command('Save a version as a .tar.gz', () => import('./commands/export.ts'), {
  flags: { output: text('file', 'Where to; - is standard output') },
  aliases: { o: 'output' },
  positional: {
    kind: 'tuple',
    parameters: [optional('owner/slug[@version]', 'A version; the latest by default')],
  },
})
const fork = command('Fork a collection into an organization', () => import('./commands/fork.ts'), {
  flags: { slug: text('slug', 'What the fork is called'), private: flag('Make the fork private') },
  positional: {
    kind: 'tuple',
    parameters: [required('owner/slug', 'The source'), required('org', 'The organization')],
  },
})
const open = command('Open the page in a browser', () => import('./commands/open.ts'), {
  positional: { kind: 'tuple', parameters: [reference] },
})
const completion = command('Print completions for a shell', () => import('./commands/completion.ts'), {
  positional: {
    kind: 'tuple',
    parameters: [
      {
        brief: 'bash, zsh or fish',
        placeholder: 'shell',
        parse: (shell: string) => {
          if (shell === 'bash' || shell === 'zsh' || shell === 'fish') return shell
          throw usageError(`There are no completions for ${shell}: bash, zsh or fish.`)
        },
      },
    ],
  },
})

const keys = buildRouteMap({
  docs: { brief: 'API keys: list, create, revoke' },
  routes: {
    list: command('List your keys', () => import('./commands/keys/list.ts'), {}),
    create: command('Make a key', () => import('./commands/keys/create.ts'), {
      flags: {
        label: { kind: 'parsed', parse: String, placeholder: 'text', brief: 'What it is called' },
        scope,
        collection: text('owner/slug', 'Limit it to one collection'),
        expires: text('90d', 'When it ends: 90d, 2w, 1y or a date; never by default'),
      },
    }),
    revoke: command('Revoke a key', () => import('./commands/keys/revoke.ts'), {
      positional: { kind: 'tuple', parameters: [required('id', 'As `ulmus keys list` has it')] },
    }),
  },
})

const org = required('org', 'Its slug')
const user = required('user', 'Its slug')
const orgs = buildRouteMap({
  docs: { brief: 'Organizations and their members' },
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
      flags: {
        role: {
          kind: 'enum',
          values: ['owner', 'admin', 'member'],
          default: 'member',
          brief: 'What it may do',
        },
      },
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
    remove: command('Remove a member', () => import('./commands/orgs/remove.ts'), {
      positional: { kind: 'tuple', parameters: [org, user] },
    }),
  },
})

const collections = buildRouteMap({
  docs: { brief: 'Collections: list, create, edit, delete' },
  routes: {
    list: command(
      'List collections: yours, or those of an account',
      () => import('./commands/collections/list.ts'),
      {
        flags: { search: text('words', 'Look among the public ones'), limit },
        positional: { kind: 'tuple', parameters: [optional('owner', 'An account')] },
      },
    ),
    create: command(
      'Make a collection, private unless you say otherwise',
      () => import('./commands/collections/create.ts'),
      {
        flags: {
          name: text('text', 'What people read; its slug by default'),
          description: text('text', 'A sentence about it'),
          public: flag('Let everybody read it'),
        },
        positional: { kind: 'tuple', parameters: [required('owner/slug', 'Its name in addresses')] },
      },
    ),
    edit: command('Change a collection', () => import('./commands/collections/edit.ts'), {
      flags: {
        name: text('text', 'What people read'),
        description: text('text', 'A sentence about it'),
        slug: text('slug', 'Another name in addresses; the old one leads on'),
        public: flag('Let everybody read it'),
        private: flag('Let only members read it'),
      },
      positional: { kind: 'tuple', parameters: [required('owner/slug', 'The collection')] },
    }),
    delete: command(
      'Delete a collection with all its versions',
      () => import('./commands/collections/delete.ts'),
      {
        flags: { yes: flag('Do not ask') },
        positional: { kind: 'tuple', parameters: [required('owner/slug', 'The collection')] },
      },
    ),
  },
})

const metadata = buildRouteMap({
  docs: { brief: 'Metadata of a collection: get, set, edit' },
  routes: {
    get: command('Print the metadata', () => import('./commands/metadata/get.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [optional('owner/slug[@version]', 'A version; the latest by default')],
      },
    }),
    set: command(
      'Set members of the metadata, which makes a patch version',
      () => import('./commands/metadata/set.ts'),
      {
        flags: {
          unset: {
            kind: 'parsed',
            parse: String,
            optional: true,
            variadic: true,
            placeholder: 'name',
            brief: 'Remove a member',
          },
        },
        positional: {
          kind: 'array',
          minimum: 1,
          parameter: required('reference and members', 'owner/slug, then name=text or name:=json'),
        },
      },
    ),
    edit: command('Edit the metadata in your editor', () => import('./commands/metadata/edit.ts'), {
      positional: { kind: 'tuple', parameters: [reference] },
    }),
  },
})

export const apiCommands = {
  login,
  logout,
  whoami,
  log,
  show,
  get,
  export: exportArchive,
  metadata,
  fork,
  collections,
  orgs,
  keys,
  api,
  open,
  completion,
}
