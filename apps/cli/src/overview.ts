/** Output of `ulmus` and `ulmus --help`: commands grouped by task, written by hand. A test compares it with the declared commands. */
import { version } from './version.ts'

const groups: readonly (readonly [
  title: string,
  commands: readonly (readonly [name: string, brief: string])[],
])[] = [
  [
    'Start',
    [
      ['login', 'sign in to a registry'],
      ['clone owner/slug', 'download a collection into a folder'],
      ['init owner/slug', 'start a new collection here'],
    ],
  ],
  [
    'Publish',
    [
      ['import FILE --type T', 'import CSV, JSON, Parquet or SQLite'],
      ['status, diff', 'show what changed'],
      ['push -m MESSAGE', 'publish a version'],
      ['pull', 'merge the latest version'],
      ['checkout VERSION', 'switch to another version'],
      ['metadata', 'read or set description, licence, …'],
    ],
  ],
  [
    'Read',
    [
      ['show, log', 'show a collection, version or record; list versions'],
      ['get REF --csv', 'write records for other programs'],
      ['sql REF STATEMENT', 'ask a question in SQL'],
      ['stats REF', 'show statistics of the fields of a type'],
      ['events --follow', 'hear of new versions'],
      ['export REF', 'save a version as one file'],
      ['verify', 'recompute a digest; find it in the signed log'],
      ['log monitor, trust', 'watch the signed log; forget a registry’s log'],
      ['open', 'open the page in your browser'],
    ],
  ],
  [
    'Manage',
    [
      ['collections, orgs, keys', 'list, create, change'],
      ['invitations', 'accept or decline invitations'],
      ['webhooks', 'send a request when something happens'],
      ['publishers', 'let CI jobs push without a key'],
      ['deprecate, withdraw', 'warn about a version, or make it unreadable'],
      ['audit, usage', 'show the audit log; show storage'],
      ['fork', 'fork a collection, without copying data'],
      ['whoami, logout', 'show your account; sign out'],
      ['api METHOD PATH', 'call the API'],
      ['completion', 'print completions for bash, zsh or fish'],
    ],
  ],
]

const width = 25

export const overview = (): string =>
  [
    `ulmus ${version}: versioned, structured data. Publish it, read it, verify it.`,
    '',
    ...groups.flatMap(([title, commands]) => [
      title,
      ...commands.map(([name, brief]) => `  ${name.padEnd(width)}${brief}`),
      '',
    ]),
    'REF is owner/slug, owner/slug@v1.2.0 or owner/slug#Type/id.',
    'Run `ulmus COMMAND --help` for the flags of a command.',
    '',
  ].join('\n')
