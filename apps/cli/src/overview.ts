/** What `ulmus` and `ulmus --help` print: short, grouped by what a person wants. */
import { version } from './version.ts'

const groups: readonly (readonly [
  title: string,
  commands: readonly (readonly [name: string, brief: string])[],
])[] = [
  [
    'Start',
    [
      ['login', 'sign in to a registry'],
      ['clone owner/slug', 'bring a collection as a folder'],
      ['init owner/slug', 'make a folder for a new one'],
    ],
  ],
  [
    'Publish',
    [
      ['import FILE --type T', 'CSV, JSON, Parquet or SQLite as records'],
      ['status, diff', 'what changed'],
      ['push -m MESSAGE', 'publish it as a version'],
      ['pull', 'bring what others published'],
      ['checkout VERSION', 'make the folder another version'],
      ['metadata', 'description, licence, whatever else'],
    ],
  ],
  [
    'Read',
    [
      ['show, log', 'a collection, a version, a record; all versions'],
      ['get REF --csv', 'records, for other programs'],
      ['export REF', 'a version as one file'],
      ['verify', 'compute a digest again and compare'],
      ['open', 'the page in your browser'],
    ],
  ],
  [
    'Manage',
    [
      ['collections, orgs, keys', 'list them, make them, change them'],
      ['invitations', 'join an organization, or decline'],
      ['deprecate, withdraw', 'a version that is wrong, or that nobody should have'],
      ['audit, usage', 'who did what, and how much is stored'],
      ['fork', 'a collection of your own, which copies nothing'],
      ['whoami, logout', 'your account'],
      ['api METHOD PATH', 'any call of the API'],
      ['completion', 'for bash, zsh and fish'],
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
    '`ulmus COMMAND --help` says more about a command.',
    '',
  ].join('\n')
