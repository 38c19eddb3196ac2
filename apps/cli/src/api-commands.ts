/** Declares the commands for collections and versions in the registry. Like account-commands.ts: code is in `commands/`. */
import { buildRouteMap } from '@stricli/core'
import { accountCommands } from './account-commands.ts'
import { command } from './command.ts'
import { count, flag, limit, optional, required, several, text } from './parameters.ts'
import { usageError } from './terminal/failure.ts'

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

const log = command('List versions, newest first', () => import('./commands/versions/log.ts'), {
  flags: { limit },
  positional: { kind: 'tuple', parameters: [reference] },
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
const get = command(
  'Write records to standard output',
  () => import('./commands/versions/get.ts'),
  {
    flags: {
      where: several(
        'filter',
        "Only records that match, such as 'population gt 1000000'; repeat for several",
      ),
      search: text('words', 'Only records whose texts contain all words'),
      sort: text('fields', 'Sort by these fields, - for descending: -population,name'),
      columns: text('fields', 'Write only these fields: name,country'),
      limit: count('records', 'Maximum number of records (default: all)'),
      ndjson: flag('Write one JSON object per line (default)'),
      csv: flag('Write one type as CSV'),
      parquet: flag('Write one type as a Parquet file'),
      output: text('file', 'Output file of --parquet (default: standard output)'),
    },
    aliases: { o: 'output' },
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
    },
  },
  'With --where, --search, --sort, --columns or --limit, the registry selects records of one type. Operators of filters: eq, ne, lt, le, gt, ge, contains, starts, ends, in, null, notnull.',
  [
    'ulmus get mercator/countries#Country/NOR',
    "ulmus get mercator/countries#Country --where 'region eq Africa' --sort -area --limit 5",
    'ulmus get mercator/cities@v1.0.0#City --search tromso --columns name,country --csv',
  ],
)
const sql = command(
  'Ask a question in SQL',
  () => import('./commands/tables/sql.ts'),
  {
    flags: {
      csv: flag('Write CSV (default without a terminal)'),
      ndjson: flag('Write one JSON object per line'),
      limit: count('rows', 'Maximum number of rows (default and maximum: 10000)'),
    },
    positional: {
      kind: 'array',
      minimum: 1,
      maximum: 2,
      parameter: required(
        'reference and statement',
        'owner/slug or …@v1.2.0 (default: the collection of the working folder), then a SELECT, or - for standard input',
      ),
    },
  },
  'Each type of the version is a table of DuckDB’s SQL. Prints a table on a terminal, otherwise CSV.',
  [
    'ulmus sql mercator/countries "SELECT region, count(*) FROM Country GROUP BY region"',
    'ulmus sql mercator/countries@v1.0.0 "SELECT name.common, area FROM Country" --csv > areas.csv',
    'ulmus sql mercator/cities - < question.sql',
  ],
)
const stats = command(
  'Show statistics of the fields of a type',
  () => import('./commands/tables/stats.ts'),
  {
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug#Type or owner/slug@v1.2.0#Type')],
    },
  },
  undefined,
  [
    'ulmus stats mercator/countries#Country',
    'ulmus stats mercator/countries@v1.0.0#Country',
    'ulmus stats mercator/cities#City --json',
  ],
)
const exportArchive = command('Save a version as a .tar.gz', () => import('./commands/versions/export.ts'), {
  flags: {
    output: text('file', 'Output file, or - for standard output (default: owner-slug-version.tar.gz)'),
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
  log,
  show,
  get,
  sql,
  stats,
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
