/** Runs `ulmus import` in a thread: a hostile file may block a thread for ever, and the main thread must handle signals. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { command, noun } from '../../command.ts'
import { count, flag, maxRemoved, required, several, text } from '../../parameters.ts'
import { answerTo, type Question } from '../../terminal/ask.ts'
import { CommandError } from '../../terminal/failure.ts'
import type { ImportFlags } from './import-files.ts'
import type { ImportJob, Output } from './import-thread.ts'

const importInThread = command<ImportFlags, string[]>({
  brief: 'Import CSV, TSV, JSON, NDJSON, Parquet, SQLite, XLSX or ODS',
  description:
    'Reads the whole file, detects the kind of each column and turns columns into fields. Replaces all records of the type, unless --add is given. Private fields stay private.',
  page: "Import CSV, TSV, JSON, NDJSON, Parquet, SQLite, XLSX, ODS, and one of them in gzip or ZIP. `--type`, `--id` (repeat it for an id of several columns), `--number` (number the rows instead), `--private`, `--leave-out`, `--rename column=field`, `--kind column=integer`, `--convert column=thousands` ([conversions](cli.md#import-the-next-file)), `--required column`, `--closed-list column` (allow only the values of this file), `--optional column`, `--allow-new-values column`, `--missing age=n/a` (treat this value as missing in this column; `--missing n/a`: in all columns, `--missing age=`: none there), `--delimiter`, `--no-header`, `--skip LINES`, `--skip-units` (the row of units below the header), `--skip-footer` (totals, sources and notes at the end), `--comment '#'`, `--quotes`, `--encoding`, `--anew` (not as [earlier files](cli.md#import-the-next-file) were read), `--rename-duplicates` (two columns of one name), `--records PATH` (where the rows of a JSON file are), `--table` (of SQLite; a sheet of a workbook; a file of a ZIP archive), `--hidden` (read hidden columns of a workbook), `--add` (keep the records that the file lacks), `--max-removed` ([limit](cli.md#limit-removals)), `--yes` (skip questions)",
  flags: {
    type: text('Type', 'Record type (default: the file name)'),
    id: several('column', 'Use this column as the id; repeat for several (default: detected)'),
    number: flag('Use row numbers as ids'),
    private: several('column', 'Make this field visible to members and collaborators only'),
    leaveOut: several('column', 'Leave this column out'),
    rename: several('column=field', 'Rename a column'),
    kind: several(
      'column=kind',
      'Set the kind: string, integer, number, boolean, date, date-time, array, object or any',
    ),
    convert: several(
      'column=conversion',
      'Convert values: thousands, decimal-comma, point-thousands, percent, currency, currency-comma, yes-no, day-month-year, month-day-year, year-month-day or utc',
    ),
    required: several('column', 'Refuse records without a value (default: the id)'),
    optional: several('column', 'Make a required field optional'),
    closedList: several('column', 'Allow only the values of this file from now on'),
    allowNewValues: several('column', 'Add the new values to a closed list'),
    missing: several('value', 'Treat this value as missing: n/a, or in one column age=n/a'),
    delimiter: text('character', 'Field separator: a character, or tab (default: detected)'),
    header: {
      kind: 'boolean',
      optional: true,
      brief: 'Read the first row as column names (default: detected)',
    },
    skip: count('lines', 'Skip this many lines at the top (default: detected)'),
    skipUnits: {
      kind: 'boolean',
      optional: true,
      brief: 'Leave out the row of units below the header',
    },
    skipFooter: {
      kind: 'boolean',
      optional: true,
      brief: 'Leave out totals, sources and notes at the end',
    },
    comment: text('character', 'Skip lines that begin with this (default: detected)'),
    quotes: text('style', 'Quoting style: doubled, backslash, spaced or none (default: detected)'),
    encoding: text('name', 'Encoding, such as windows-1252 or utf-16le (default: detected)'),
    anew: flag('Ignore how earlier files of this type were read'),
    renameDuplicates: flag('Number columns with the same name: a, a_2'),
    records: text('path', 'Path of the rows in a JSON file: data.items, or . for the whole file'),
    table: text('name', 'Read this table of a SQLite file, sheet of a workbook or file of a ZIP archive'),
    hidden: {
      kind: 'boolean',
      optional: true,
      brief: 'Read hidden columns of a workbook (default: leave out)',
    },
    add: flag('Keep records that the file lacks'),
    maxRemoved,
    yes: flag('Skip all questions'),
  },
  positional: { kind: 'array', minimum: 1, parameter: required('file', 'File to import') },
  run: async ({ terminal, signal }, flags, ...files) => {
    signal.throwIfAborted()
    const { env, cwd, canAsk, canRedraw, columns } = terminal
    const job: ImportJob = { flags, files, terminal: { env: { ...env }, cwd, canAsk, canRedraw, columns } }
    const thread = new Worker(new URL('./import-thread.ts', import.meta.url), { workerData: job })
    thread.on('message', async (message: Output | Question) => {
      if ('ask' in message) thread.postMessage(await answerTo(message, signal))
      else Reflect.apply(terminal[message.output], terminal, message.args)
    })
    const end = () => void thread.terminate()
    signal.addEventListener('abort', end)
    try {
      const [code] = await once(thread, 'exit')
      if (code !== 0) signal.throwIfAborted()
    } catch (error) {
      await releaseFolder(cwd)
      throw isOutOfMemory(error) ? new CommandError(tooLarge, { cause: error }) : error
    } finally {
      signal.removeEventListener('abort', end)
    }
  },
})

const isOutOfMemory = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'

const tooLarge =
  'The import needs more memory than Node.js may use, so nothing was imported. Split the file, or set NODE_OPTIONS=--max-old-space-size to more MiB.'

/** Cleans up after a terminated thread: finishes its moves, and removes its lock and staged files. */
async function releaseFolder(cwd: string): Promise<void> {
  const [{ findRoot }, { withFolder }, { Staging }] = await Promise.all([
    import('../../folder/files/layout.ts'),
    import('../../folder/files/lock.ts'),
    import('../../folder/files/staging.ts'),
  ])
  const root = findRoot(cwd)
  if (root === undefined) return
  // Fails if another command holds the lock; then the thread did not hold it.
  await withFolder(root, async () => new Staging(root).discard()).catch(() => undefined)
}

export default noun({
  section: 'The working folder',
  words: {
    import: {
      command: importInThread,
      group: 'Publish',
      place: 10,
      line: ['import FILE --type T', 'import CSV, JSON, Parquet, SQLite, XLSX, ODS'],
    },
  },
})
