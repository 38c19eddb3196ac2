/** Declares the commands for collections and versions in the registry. Like account-commands.ts: code is in `commands/`. */
import { buildRouteMap } from '@stricli/core'
import { accountCommands } from './account-commands.ts'
import { command } from './command.ts'
import { logCommands } from './log-commands.ts'
import { flag, limit, optional, required, several, text, trusted } from './parameters.ts'
import { questionCommands } from './question-commands.ts'
import { usageError } from './terminal/failure.ts'
import { webhookCommands } from './webhook-commands.ts'

const version = required('owner/slug@version', 'Version number or digest')
const reference = optional('owner/slug', 'Collection (default: the one of the working folder)')

const api = command('Call the API', () => import('./commands/api.ts'), {
  flags: {
    data: text('body', 'Request body: text, @file, or - for standard input'),
    type: {
      kind: 'parsed',
      parse: String,
      default: 'application/json',
      placeholder: 'type',
      brief: 'Content type of the body',
    },
    include: flag('Print status and headers on standard error'),
  },
  aliases: { d: 'data', i: 'include' },
  positional: {
    kind: 'tuple',
    parameters: [
      required('method', 'HTTP method, such as GET'),
      required('path', 'Path, such as /api/collections'),
    ],
  },
})

const show = command(
  'Show a collection, a version, a schema or a record',
  () => import('./commands/versions/show.ts'),
  {
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
    },
  },
)
const exportArchive = command('Save a version as a .tar.gz', () => import('./commands/versions/export.ts'), {
  flags: {
    output: text('file', 'Output file, or - for standard output (default: owner-slug-version.tar.gz)'),
    trusted,
  },
  aliases: { o: 'output' },
  positional: {
    kind: 'tuple',
    parameters: [optional('owner/slug[@version]', 'Collection and version (default: the latest)')],
  },
})
const fork = command('Fork a collection into an organization', () => import('./commands/fork.ts'), {
  flags: {
    slug: text('slug', 'Slug of the fork (default: the slug of the source)'),
    private: flag('Make the fork private (default: the visibility of the source)'),
  },
  positional: {
    kind: 'tuple',
    parameters: [required('owner/slug', 'Collection to fork'), required('org', 'Organization to fork into')],
  },
})
const withdraw = command(
  'Withdraw a version, so that it can no longer be read',
  () => import('./commands/versions/withdraw.ts'),
  {
    flags: {
      reason: {
        kind: 'parsed',
        parse: String,
        placeholder: 'text',
        brief: 'Reason shown to readers of the version',
      },
      erase: flag('Erase data that no other version uses'),
      yes: flag('Skip the confirmation'),
    },
    positional: { kind: 'tuple', parameters: [version] },
  },
  'Cannot be undone; the version number is not reused. With --erase, the next sweep deletes records, schemas, metadata and files that no other version of any collection uses. Forks, downloads and backups keep their copies.',
)
const deprecate = command('Warn the readers of a version', () => import('./commands/versions/deprecate.ts'), {
  flags: { clear: flag('Remove the warning') },
  positional: { kind: 'tuple', parameters: [version, optional('message', 'Warning for readers')] },
})
const open = command('Open the collection in a browser', () => import('./commands/open.ts'), {
  positional: { kind: 'tuple', parameters: [reference] },
})
const completion = command(
  'Print a completion script for a shell',
  () => import('./commands/completion.ts'),
  {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'bash, zsh or fish',
          placeholder: 'shell',
          parse: (shell: string) => {
            if (shell === 'bash' || shell === 'zsh' || shell === 'fish') return shell
            throw usageError(`No completions for ${shell}. Use bash, zsh or fish.`)
          },
        },
      ],
    },
  },
)

const collections = buildRouteMap({
  docs: { brief: 'Collections: list, create, edit, transfer, delete' },
  routes: {
    list: command(
      'List your collections, or those of an account',
      () => import('./commands/collections/list.ts'),
      {
        flags: {
          search: text('words', 'Search public collections'),
          topic: several('topic', 'List public collections with the topic'),
          license: text('license', 'List public collections with the license'),
          type: several('type', 'List public collections with the type'),
          size: {
            kind: 'enum',
            values: ['small', 'medium', 'large'],
            optional: true,
            brief: 'List public collections of at most 1,000, at most 100,000 or more records',
          },
          limit,
        },
        positional: {
          kind: 'tuple',
          parameters: [optional('owner', 'Account (default: yours and your organizations)')],
        },
      },
    ),
    create: command(
      'Create a collection',
      () => import('./commands/collections/create.ts'),
      {
        flags: {
          name: text('text', 'Display name (default: the slug)'),
          description: text('text', 'Short description'),
          public: flag('Make it public'),
          private: flag('Make it private'),
        },
        positional: { kind: 'tuple', parameters: [required('owner/slug', 'Path of the new collection')] },
      },
      'Visibility defaults to the setting of the organization, else private.',
    ),
    edit: command('Change a collection', () => import('./commands/collections/edit.ts'), {
      flags: {
        name: text('text', 'Display name'),
        description: text('text', 'Short description'),
        slug: text('slug', 'New slug (the old one redirects)'),
        public: flag('Make it public'),
        private: flag('Make it private'),
        openOlder: flag('With --public: open older versions that show more than the latest one'),
      },
      positional: { kind: 'tuple', parameters: [required('owner/slug', 'Collection')] },
    }),
    transfer: command(
      'Transfer a collection to another account',
      () => import('./commands/collections/transfer.ts'),
      {
        positional: {
          kind: 'tuple',
          parameters: [
            required('owner/slug', 'Collection'),
            required('to', 'Slug of a user or an organization'),
          ],
        },
      },
    ),
    delete: command(
      'Delete a collection and all its versions',
      () => import('./commands/collections/delete.ts'),
      {
        flags: { yes: flag('Skip the confirmation') },
        positional: { kind: 'tuple', parameters: [required('owner/slug', 'Collection')] },
      },
    ),
  },
})

const metadata = buildRouteMap({
  docs: { brief: 'Metadata of a collection: get, set, edit' },
  routes: {
    get: command('Show the metadata', () => import('./commands/metadata/get.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [optional('owner/slug[@version]', 'Collection and version (default: the latest)')],
      },
    }),
    set: command(
      'Set metadata fields (publishes a patch version)',
      () => import('./commands/metadata/set.ts'),
      {
        flags: {
          unset: {
            kind: 'parsed',
            parse: String,
            optional: true,
            variadic: true,
            placeholder: 'name',
            brief: 'Remove a field',
          },
        },
        positional: {
          kind: 'array',
          minimum: 1,
          parameter: required('reference and fields', 'owner/slug, then name=text or name:=json'),
        },
      },
    ),
    edit: command('Edit the metadata in your editor', () => import('./commands/metadata/edit.ts'), {
      positional: { kind: 'tuple', parameters: [reference] },
    }),
  },
})

export const apiCommands = {
  ...logCommands,
  show,
  ...questionCommands,
  export: exportArchive,
  metadata,
  fork,
  collections,
  withdraw,
  deprecate,
  ...webhookCommands,
  ...accountCommands,
  api,
  open,
  completion,
}
