/** Commands about collections and versions at the registry. */
import { buildRouteMap } from '@stricli/core'
import { accountCommands } from './account-commands.ts'
import { command } from './command.ts'
import { flag, limit, optional, required, text } from './parameters.ts'
import { usageError } from './terminal/failure.ts'

const version = required('owner/slug@version', 'The version, by its number or digest')
const reference = optional('owner/slug', 'A collection; in a working folder its own by default')

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
const withdraw = command(
  'Withdraw a version: nobody reads it any more',
  () => import('./commands/withdraw.ts'),
  {
    flags: {
      reason: { kind: 'parsed', parse: String, placeholder: 'text', brief: 'Told to whoever asks for it' },
      erase: flag('Erase what no other version has'),
      yes: flag('Do not ask'),
    },
    positional: { kind: 'tuple', parameters: [version] },
  },
  'Its number stays taken, and it is not taken back. With --erase, records, schemas, metadata and files that no other version of any collection has go from the stores at the next sweep; forks, downloads and backups keep what they have.',
)
const deprecate = command('Warn the readers of a version', () => import('./commands/deprecate.ts'), {
  flags: { clear: flag('Take the warning back') },
  positional: { kind: 'tuple', parameters: [version, optional('message', 'What they are to know')] },
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

const collections = buildRouteMap({
  docs: { brief: 'Collections: list, create, edit, transfer, delete' },
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
      'Make a collection',
      () => import('./commands/collections/create.ts'),
      {
        flags: {
          name: text('text', 'What people read; its slug by default'),
          description: text('text', 'A sentence about it'),
          public: flag('Let everybody read it'),
          private: flag('Let only members read it'),
        },
        positional: { kind: 'tuple', parameters: [required('owner/slug', 'Its name in addresses')] },
      },
      'Without --public and --private it is private, or what the settings of its organization say.',
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
    transfer: command(
      'Give a collection to another account',
      () => import('./commands/collections/transfer.ts'),
      {
        positional: {
          kind: 'tuple',
          parameters: [
            required('owner/slug', 'The collection'),
            required('to', 'The slug of a user or an organization'),
          ],
        },
      },
    ),
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
  log,
  show,
  get,
  export: exportArchive,
  metadata,
  fork,
  collections,
  withdraw,
  deprecate,
  ...accountCommands,
  api,
  open,
  completion,
}
