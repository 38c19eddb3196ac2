/** Declares the commands for working folders. Like account-commands.ts: their code is in `commands/folder/`. */
import { command } from './command.ts'
import { count, flag, maxRemoved, optional, policy, required, several, text, trusted } from './parameters.ts'

const init = command('Make this folder a working folder', () => import('./commands/folder/init.ts'), {
  positional: { kind: 'tuple', parameters: [optional('owner/slug', 'Collection to publish to')] },
})

const clone = command(
  'Download a version into a new working folder',
  () => import('./commands/folder/clone.ts'),
  {
    flags: { trusted },
    positional: {
      kind: 'tuple',
      parameters: [
        required('owner/slug[@version]', 'Collection and version (default: the latest)'),
        optional('folder', 'Folder to create (default: named after the collection)'),
      ],
    },
  },
)

const status = command('Show what a push would publish', () => import('./commands/folder/status.ts'), {})

const diff = command(
  'Show differences, by type, record and field',
  () => import('./commands/folder/diff.ts'),
  {
    flags: { stat: flag('Show counts only'), exitCode: flag('Exit with 1 if anything differs'), trusted },
    positional: {
      kind: 'tuple',
      parameters: [
        optional('from', 'Version to compare from (default: the base version)'),
        optional('to', 'Version to compare to (default: this folder)'),
      ],
    },
  },
  'Without a version, compares this folder with its base version. Inside a working folder write v1.2.0, elsewhere owner/slug@v1.2.0.',
)

const push = command(
  'Publish changes as a new version',
  () => import('./commands/folder/push.ts'),
  {
    flags: {
      message: text('text', 'Message of the version'),
      dryRun: flag('Show what would be published, without publishing'),
      snapshot: flag('Publish exactly this folder, without files that no record refers to'),
      trusted,
      publishPrivate: flag('Allow private data to become public'),
      maxRemoved,
      public: flag('Make a new collection public'),
      private: flag('Make a new collection private'),
    },
    aliases: { m: 'message' },
  },
  'Checks all records against their schemas before sending. Resumes an interrupted push.\n\n--trusted takes the token of the job from ULMUS_ID_TOKEN, else from GitHub, else from the file /var/run/secrets/ulmus/token. On other CI systems, set ULMUS_ID_TOKEN to a token with the address of the registry as its audience.',
  ['ulmus push -m "Oslo grew"', 'ulmus clone --trusted ada/cities && cd cities && ulmus push --trusted'],
)

const pull = command('Merge the latest version into this folder', () => import('./commands/folder/pull.ts'), {
  flags: {
    ours: flag('On conflict, keep the record of this folder'),
    theirs: flag('On conflict, take the record of the registry and back up the local one'),
    trusted,
  },
})

const checkout = command(
  'Switch this folder to another version',
  () => import('./commands/folder/checkout.ts'),
  {
    flags: { force: flag('Discard local changes (records are backed up)'), trusted },
    positional: { kind: 'tuple', parameters: [required('version', 'Version, such as v1.2.0')] },
  },
)

const verify = command(
  'Recompute a digest, compare it, and find it in the signed log',
  () => import('./commands/folder/verify.ts'),
  {
    flags: {
      digest: text('digest', 'Expected digest, from a source you trust'),
      policy,
      log: { kind: 'boolean', default: true, brief: 'Find it in the log of the registry, too (default)' },
      trusted,
    },
    positional: {
      kind: 'tuple',
      parameters: [optional('what', 'Version, working folder, or file with a record and its proof')],
    },
  },
  'The first time, remembers the keys of the log. Later, refuses a log that is smaller, has another history or unknown keys. `ulmus trust` forgets them.',
)

const importFiles = command(
  'Import CSV, TSV, JSON, NDJSON, Parquet or SQLite',
  () => import('./commands/folder/import.ts'),
  {
    flags: {
      type: text('Type', 'Record type (default: the file name)'),
      id: several('column', 'Use this column as the id; repeat for several (default: detected)'),
      number: flag('Use row numbers as ids'),
      private: several('column', 'Make this field visible to members only'),
      leaveOut: several('column', 'Leave this column out'),
      rename: several('column=field', 'Rename a column'),
      kind: several(
        'column=kind',
        'Set the kind: string, integer, number, boolean, date, date-time, array, object or any',
      ),
      convert: several(
        'column=conversion',
        'Convert values: thousands, decimal-comma, percent, yes-no, day-month-year, month-day-year, year-month-day or utc',
      ),
      required: several('column', 'Refuse records without a value (default: the id)'),
      optional: several('column', 'Make a required field optional'),
      closedList: several('column', 'Allow only the values of this file from now on'),
      allowNewValues: several('column', 'Add the new values to a closed list'),
      missing: several('value', 'Treat this value, such as n/a, as missing'),
      delimiter: text('character', 'Field separator: a character, or tab (default: detected)'),
      header: {
        kind: 'boolean',
        optional: true,
        brief: 'Read the first row as column names (default: detected)',
      },
      skip: count('lines', 'Skip this many lines at the top (default: detected)'),
      comment: text('character', 'Skip lines that begin with this (default: detected)'),
      quotes: text('style', 'Quoting style: doubled, backslash, spaced or none (default: detected)'),
      encoding: text('name', 'Encoding, such as windows-1252 or utf-16le (default: detected)'),
      renameDuplicates: flag('Number columns with the same name: a, a_2'),
      records: text('path', 'Path of the rows in a JSON file: data.items, or . for the whole file'),
      table: text('name', 'Read this table of a SQLite file'),
      add: flag('Keep records that the file lacks'),
      maxRemoved,
      yes: flag('Skip all questions'),
    },
    positional: { kind: 'array', minimum: 1, parameter: required('file', 'File to import') },
  },
  'Reads the whole file, detects the kind of each column and turns columns into fields. Replaces all records of the type, unless --add is given. Private fields stay private.',
)

export const folderCommands = {
  init,
  import: importFiles,
  clone,
  status,
  diff,
  push,
  pull,
  checkout,
  verify,
}
