/** Commands about a working folder. */
import { command } from './command.ts'
import { count, flag, maxRemoved, optional, required, text } from './parameters.ts'

const init = command('Make a working folder here', () => import('./commands/init.ts'), {
  positional: { kind: 'tuple', parameters: [optional('owner/slug', 'The collection that it is to become')] },
})

const clone = command('Bring a version as a working folder', () => import('./commands/clone.ts'), {
  positional: {
    kind: 'tuple',
    parameters: [
      required('owner/slug[@version]', 'The collection, and the version if it is not the latest'),
      optional('folder', 'Where to; named like the collection by default'),
    ],
  },
})

const status = command('Say what would be pushed', () => import('./commands/status.ts'), {})

const diff = command(
  'Show differences, by type, record and field',
  () => import('./commands/diff.ts'),
  {
    flags: { stat: flag('Only count'), exitCode: flag('End with 1 if anything differs') },
    positional: {
      kind: 'tuple',
      parameters: [optional('from', 'A version'), optional('to', 'Another one; this folder by default')],
    },
  },
  'Without a version: this folder against the version that it is of. In a working folder a version is written v1.2.0, elsewhere owner/slug@v1.2.0.',
)

const push = command(
  'Publish what changed as a new version',
  () => import('./commands/push.ts'),
  {
    flags: {
      message: text('text', 'What the version is about'),
      dryRun: flag('Say what would be published, and publish nothing'),
      snapshot: flag('Send the folder as everything that the version holds'),
      publishPrivate: flag('Make public what was private'),
      maxRemoved,
      public: flag('Make a new collection public'),
      private: flag('Make a new collection private'),
    },
    aliases: { m: 'message' },
  },
  'Records are checked against their schemas first. A push that was interrupted is gone on with.',
)

const pull = command('Bring what is new, and keep what changed here', () => import('./commands/pull.ts'), {
  flags: {
    ours: flag('Where both sides changed a record, keep what is here'),
    theirs: flag('Where both sides changed a record, take what is there; what was here is set aside'),
  },
})

const checkout = command('Make this folder another version', () => import('./commands/checkout.ts'), {
  flags: { force: flag('Give up what changed here; records are set aside') },
  positional: { kind: 'tuple', parameters: [required('version', 'Such as v1.2.0')] },
})

const verify = command(
  'Compute a digest again from the records, and compare',
  () => import('./commands/verify.ts'),
  {
    flags: {
      digest: text('digest', 'The digest from a source that you trust'),
    },
    positional: {
      kind: 'tuple',
      parameters: [optional('what', 'A version, a working folder or a file with a record and its proof')],
    },
  },
)

const several = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, variadic: true, placeholder, brief }) as const

const importFiles = command(
  'Bring CSV, TSV, JSON, NDJSON, Parquet or SQLite into this folder',
  () => import('./commands/import.ts'),
  {
    flags: {
      type: text('Type', 'What each record is; named like the file by default'),
      id: several('column', 'Identify records by this column; by several if repeated (default: found)'),
      number: flag('Identify records by their place in the file'),
      private: several('column', 'Members alone see this field'),
      leaveOut: several('column', 'Make no field of it'),
      rename: several('column=field', 'Rename a column, also to a field that is there'),
      kind: several('column=kind', 'string, integer, number, boolean, date, date-time, array, object or any'),
      convert: several(
        'column=conversion',
        'thousands, decimal-comma, percent, yes-no, day-month-year, month-day-year, year-month-day or utc',
      ),
      required: several('column', 'Refuse records without a value (default: the id)'),
      optional: several('column', 'Accept records without a value that the schema requires'),
      closedList: several('column', 'Refuse other values than those of this file from now on'),
      allowNewValues: several('column', 'Add new values to a closed list'),
      missing: several('value', 'Treat this value as missing, such as n/a'),
      delimiter: text('character', 'Separate values by this: a character, or tab (default: detected)'),
      header: {
        kind: 'boolean',
        optional: true,
        brief: 'The first row names the columns, or is data (default: detected)',
      },
      skip: count('lines', 'Pass over this many lines at the top (default: detected)'),
      comment: text('character', 'Pass over lines that begin with this (default: detected)'),
      quotes: text('style', 'doubled, backslash, spaced or none (default: detected)'),
      encoding: text('name', 'Such as windows-1252 or utf-16le (default: detected)'),
      renameDuplicates: flag('Number columns of one name: a, a_2'),
      records: text('path', 'Where the rows of a JSON file are: data.items, or . for the whole file'),
      table: text('name', 'Read this table of a SQLite file'),
      add: flag('Keep records that are here and not in the file'),
      maxRemoved,
      yes: flag('Ask nothing'),
    },
    positional: { kind: 'array', minimum: 1, parameter: required('file', 'A file of rows') },
  },
  'The whole file is read, columns become fields, and their kinds are found. What is imported replaces the records of its type, unless --add says otherwise; what was private stays so.',
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
