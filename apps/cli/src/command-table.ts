/** Generated from the declarations in commands/ by `npm run commands`. `ulmus --help` and completions read it without loading commands. */
import type { Noun, Word } from './command.ts'

interface Entry extends Pick<Word, 'group' | 'line'> {
  readonly brief: string
  readonly load: () => Promise<{ readonly default: Noun }>
}

/** The first words of command lines. */
export const words: Readonly<Record<string, Entry>> = {
  login: {
    load: () => import('./commands/account.ts'),
    brief: 'Sign in to a registry',
    group: 'Start',
    line: ['login', 'sign in to a registry'],
  },
  clone: {
    load: () => import('./commands/folder/clone.ts'),
    brief: 'Download a version into a new working folder',
    group: 'Start',
    line: ['clone owner/slug', 'download a collection into a folder'],
  },
  init: {
    load: () => import('./commands/folder/init.ts'),
    brief: 'Make this folder a working folder',
    group: 'Start',
    line: ['init owner/slug', 'start a new collection here'],
  },
  import: {
    load: () => import('./commands/folder/import.ts'),
    brief: 'Import CSV, TSV, JSON, NDJSON, Parquet, SQLite, XLSX or ODS',
    group: 'Publish',
    line: ['import FILE --type T', 'import CSV, JSON, Parquet, SQLite, XLSX, ODS'],
  },
  status: {
    load: () => import('./commands/folder/status.ts'),
    brief: 'Show what a push would publish',
    group: 'Publish',
    line: ['status, diff', 'show what changed'],
  },
  diff: {
    load: () => import('./commands/folder/diff.ts'),
    brief: 'Show differences, by type, record and field',
    group: 'Publish',
  },
  push: {
    load: () => import('./commands/folder/push.ts'),
    brief: 'Publish changes as a new version',
    group: 'Publish',
    line: ['push -m MESSAGE', 'publish a version'],
  },
  pull: {
    load: () => import('./commands/folder/pull.ts'),
    brief: 'Merge the latest version into this folder',
    group: 'Publish',
    line: ['pull', 'merge the latest version'],
  },
  checkout: {
    load: () => import('./commands/folder/checkout.ts'),
    brief: 'Switch this folder to another version',
    group: 'Publish',
    line: ['checkout VERSION', 'switch to another version'],
  },
  restore: {
    load: () => import('./commands/versions/restore.ts'),
    brief: 'Publish an earlier version again',
    group: 'Publish',
    line: ['restore VERSION', 'publish an earlier version again'],
  },
  metadata: {
    load: () => import('./commands/metadata.ts'),
    brief: 'Metadata of a collection: get, set, edit',
    group: 'Publish',
    line: ['metadata', 'read or set description, licence, …'],
  },
  show: {
    load: () => import('./commands/versions/show.ts'),
    brief: 'Show a collection, a version, a schema or a record',
    group: 'Read',
    line: ['show, log', 'show a collection, version or record; list versions'],
  },
  log: {
    load: () => import('./commands/log.ts'),
    brief: 'List versions; show and monitor the signed log',
    group: 'Read',
  },
  get: {
    load: () => import('./commands/versions/get.ts'),
    brief: 'Write records to standard output',
    group: 'Read',
    line: ['get REF --csv', 'write records for other programs'],
  },
  sql: {
    load: () => import('./commands/tables/sql.ts'),
    brief: 'Ask a question in SQL',
    group: 'Read',
    line: ['sql REF STATEMENT', 'ask a question in SQL'],
  },
  questions: {
    load: () => import('./commands/questions.ts'),
    brief: 'Saved questions of a collection',
    group: 'Read',
    line: ['questions', 'save questions, and answer them again'],
  },
  stats: {
    load: () => import('./commands/tables/stats.ts'),
    brief: 'Show statistics of the fields of a type',
    group: 'Read',
    line: ['stats REF', 'show statistics of the fields of a type'],
  },
  events: {
    load: () => import('./commands/events.ts'),
    brief: 'Show new versions and other changes',
    group: 'Read',
    line: ['events --follow', 'follow new versions'],
  },
  export: {
    load: () => import('./commands/versions/export.ts'),
    brief: 'Save a version as a .tar.gz',
    group: 'Read',
    line: ['export REF', 'save a version as one file'],
  },
  verify: {
    load: () => import('./commands/folder/verify.ts'),
    brief: 'Recompute a digest, compare it, and find it in the signed log',
    group: 'Read',
    line: ['verify', 'recompute a digest; find it in the signed log'],
  },
  trust: {
    load: () => import('./commands/log.ts'),
    brief: 'Forget the remembered log of a registry',
    group: 'Read',
    line: ['log monitor, trust', 'watch the signed log; forget a registry’s log'],
  },
  open: {
    load: () => import('./commands/open.ts'),
    brief: 'Open the collection in a browser',
    group: 'Read',
    line: ['open', 'open the page in your browser'],
  },
  collections: {
    load: () => import('./commands/collections.ts'),
    brief: 'Collections: list, create, edit, transfer, delete',
    group: 'Manage',
    line: ['collections, orgs, keys', 'list, create, change'],
  },
  orgs: {
    load: () => import('./commands/orgs.ts'),
    brief: 'Organizations: members, invitations, settings',
    group: 'Manage',
  },
  keys: {
    load: () => import('./commands/keys.ts'),
    brief: 'API keys: list, create, revoke',
    group: 'Manage',
  },
  access: {
    load: () => import('./commands/access.ts'),
    brief: 'Readers of a collection: show, grant, revoke',
    group: 'Manage',
    line: ['access REF', 'show and change who can read a collection'],
  },
  invitations: {
    load: () => import('./commands/invitations.ts'),
    brief: 'Your invitations: list, accept, decline',
    group: 'Manage',
    line: ['invitations', 'accept or decline invitations'],
  },
  webhooks: {
    load: () => import('./commands/webhooks/webhooks.ts'),
    brief: 'Webhooks: requests that the registry sends when something happens',
    group: 'Manage',
    line: ['webhooks', 'send a request when something happens'],
  },
  publishers: {
    load: () => import('./commands/publishers.ts'),
    brief: 'Trusted publishers: jobs that push without a stored key',
    group: 'Manage',
    line: ['publishers', 'let CI jobs push without a key'],
  },
  deprecate: {
    load: () => import('./commands/versions/withdrawals.ts'),
    brief: 'Warn the readers of a version',
    group: 'Manage',
    line: ['deprecate, withdraw', 'warn about a version, or make it unreadable'],
  },
  withdraw: {
    load: () => import('./commands/versions/withdrawals.ts'),
    brief: 'Withdraw a version, so that it can no longer be read',
    group: 'Manage',
  },
  erase: {
    load: () => import('./commands/versions/withdrawals.ts'),
    brief: 'Remove a record from all versions',
    group: 'Manage',
    line: ['erase RECORD', 'remove a record from all versions'],
  },
  audit: {
    load: () => import('./commands/account.ts'),
    brief: 'Show the audit log, newest first',
    group: 'Manage',
    line: ['audit, usage', 'show the audit log; show storage'],
  },
  usage: {
    load: () => import('./commands/account.ts'),
    brief: 'Show storage and quota of an account',
    group: 'Manage',
  },
  fork: {
    load: () => import('./commands/collections.ts'),
    brief: 'Fork a collection',
    group: 'Manage',
    line: ['fork', 'fork a collection, without copying data'],
  },
  whoami: {
    load: () => import('./commands/account.ts'),
    brief: 'Show the signed-in account',
    group: 'Manage',
    line: ['whoami, logout', 'show your account; sign out'],
  },
  logout: {
    load: () => import('./commands/account.ts'),
    brief: 'Sign out, and revoke the key',
    group: 'Manage',
  },
  api: {
    load: () => import('./commands/api.ts'),
    brief: 'Call the API',
    group: 'Manage',
    line: ['api METHOD PATH', 'call the API'],
  },
  completion: {
    load: () => import('./commands/completion.ts'),
    brief: 'Print a completion script for a shell',
    group: 'Manage',
    line: ['completion', 'print completions for bash, zsh or fish'],
  },
}
