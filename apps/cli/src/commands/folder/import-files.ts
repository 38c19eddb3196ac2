import { basename, resolve } from 'node:path'
import type { MaxRemoved, Removal } from '@ulmus/client'
import type { JsonObject, Schema } from '@ulmus/content'
import {
  HashSet,
  type Inference,
  idCandidates,
  inferTable,
  type KnownIdProposal,
  keyOfTwo,
  matchTypes,
  PrivateIdError,
  proposeId,
  proposeIdFor,
  recordsOf,
  referencesIn,
  type Table,
  TableError,
  type TypeIds,
  typeNameOf,
} from '@ulmus/tabular'
import type { Call, Command, CommonFlags } from '../../context.ts'
import { readBase } from '../../folder/base/state.ts'
import { readSchemas } from '../../folder/files/content.ts'
import { rootAt } from '../../folder/files/layout.ts'
import { withFolder } from '../../folder/files/lock.ts'
import { knownType } from '../../folder/import/known.ts'
import { notesIn, openTable, type ReadFlags, ways } from '../../folder/import/open-table.ts'
import {
  hiddenColumns,
  type PlanFlags,
  type PlannedFile,
  planImport,
  renamesOf,
} from '../../folder/import/plan.ts'
import { type Importing, importRecords } from '../../folder/import/records.ts'
import { changeLines, columnLines, newIdsLines, planLines } from '../../folder/import/words.ts'
import { type Guarded, guardRemovals } from '../../folder/push/removal-guard.ts'
import { askOneOf, askText, askYes } from '../../terminal/ask.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { counted, numberText } from '../../terminal/words.ts'

/** Flags of `ulmus import`, declared in folder-commands.ts. */
export type ImportFlags = ReadFlags &
  PlanFlags & {
    readonly type?: string
    readonly id?: readonly string[]
    readonly number: boolean
    readonly add: boolean
    readonly maxRemoved?: MaxRemoved
  }

/** `ulmus import FILE…`: reads, plans, asks and writes, file by file. Runs in the thread of import-thread.ts. */
export const importFiles: Command<ImportFlags, string[]> = async (call, flags, ...files) => {
  if (files.length > 1 && flags.type !== undefined)
    throw usageError(
      '--type works for one file only. Import each file by itself, or omit --type to use the file names.',
    )
  const root = rootAt(call.terminal.cwd)
  await withFolder(root, async () => {
    const earlier: TypeIds[] = []
    const results: object[] = []
    for (const file of files)
      results.push(await asFailure(() => importFile(call, flags, { root, file, earlier })))
    if (flags.json) await call.json(results)
    else call.say('Next: `ulmus status`, `ulmus push`.')
  })
}

/** Converts an error in a file to a refusal of data, with the flags that help. */
async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    if (error instanceof PrivateIdError)
      throw new CommandError(`${harmless(error.message)} ${idFlags}`, {
        exitCode: exitCodes.refused,
        code: 'private_value_in_id',
        cause: error,
      })
    const message = [error.message, ...ways(error.choices)].join(' ')
    throw new CommandError(message, { exitCode: exitCodes.refused, code: 'bad_table', cause: error })
  }
}

const idFlags = 'Add --id COLUMN, or --number.'

interface ImportedFile {
  readonly root: string
  readonly file: string
  /** Types imported earlier by the same command, to which this file may refer. */
  readonly earlier: TypeIds[]
}

async function importFile(
  call: Call,
  flags: ImportFlags & CommonFlags,
  { root, file, earlier }: ImportedFile,
): Promise<object> {
  const table = await openTable(call, flags, resolve(call.terminal.cwd, file))
  const progress = openProgress(call, flags.quiet)
  try {
    progress.show(`Reading ${basename(file)}…`)
    const inference = await inferTable(table)
    progress.end()
    const schemas = readSchemas(root)
    const type = await typeOf(call, flags, { root, file, earlier }, { table, inference }, schemas)
    const before = schemas.get(type)
    const bring = (schema: JsonObject, records: Importing['records'], onProgress = ignore) => {
      const beforeRemoval = (removal: Removal) => guardRemovals([removal], guardedBy(call, flags, file))
      return importRecords({ root, type, schema, records, keepsOthers: flags.add, onProgress, beforeRemoval })
    }
    if (inference.rows === 0) {
      if (before === undefined)
        throw new TableError(`${table.name} has no rows, so there is no record to import.`)
      const imported = await bring(before.source as JsonObject, noRecords())
      call.say(`0 records of ${type} from ${basename(file)}.`)
      return { file, type, id: null, ...imported, schema: before.source }
    }
    const known = before === undefined ? undefined : knownType(root, type, before)
    const id = await idOf(call, flags, table, { inference, known, schemas })
    const [single] = id.columns ?? []
    const references =
      earlier.length === 0 ? undefined : await referencesIn(table, inference, earlier, single)
    const made = await planImport(flags, {
      root,
      table,
      inference,
      type,
      id: id.columns,
      known,
      schemas,
      references,
    })
    if (!flags.json) {
      for (const line of notesIn(table)) call.say(line)
      const words = { plan: made.plan, inference, why: id.why }
      for (const line of [...planLines(words), ...columnLines(words)]) call.say(line)
      for (const line of changeLines(made, known === undefined, readBase(root))) call.say(line)
    }
    if (!flags.add) for (const line of newIdsLines(made, known?.ids?.size ?? 0)) call.say(line)
    if (call.terminal.canAsk && !flags.yes && !(await askYes('Import?')))
      throw new CommandError('Nothing was imported.', { exitCode: exitCodes.cancelled, code: 'cancelled' })
    const onProgress = (count: number) =>
      progress.show(`${numberText(count)} of ${counted(inference.rows, 'row')}`)
    const imported = await bring(made.schema, recordsOf(table, made.plan), onProgress)
    progress.end()
    const ids = inference.columns.find(({ name }) => id.columns?.length === 1 && name === single)?.ids
    earlier.push({ type, ids: ids ?? new HashSet() })
    call.say(`${counted(imported.records, 'record')} of ${type} from ${basename(file)}.`)
    return { file, type, id: idJson(made.plan.id), ...imported, schema: made.schema }
  } finally {
    progress.end()
    await table.close()
  }
}

const ignore = (_count: number): void => undefined

async function* noRecords(): AsyncGenerator<never> {}

const guardedBy = (call: Call, flags: ImportFlags, file: string): Guarded => ({
  max: flags.maxRemoved,
  canAsk: call.terminal.canAsk && !flags.yes,
  what: `${basename(file)} would remove`,
  otherwise: 'Nothing was imported.',
})

/** Type of the records: given, or derived from the file's name. Proposes an existing similar type. */
async function typeOf(
  call: Call,
  flags: ImportFlags,
  { root, file, earlier }: ImportedFile,
  { table, inference }: { readonly table: Table; readonly inference: Inference },
  schemas: ReadonlyMap<string, Schema>,
): Promise<string> {
  if (flags.type !== undefined) return flags.type
  const named = typeNameOf(flags.table ?? basename(file))
  const canAsk = call.terminal.canAsk && !flags.yes
  const others = [...schemas].filter(([type]) => !earlier.some((one) => one.type === type))
  const types = schemas.has(named) ? [] : others.map(([type, schema]) => knownType(root, type, schema))
  const like = (await matchTypes(table, inference, types)).find(({ isLikely }) => isLikely)
  if (like !== undefined) {
    const reason = harmless(like.reason)
    call.say(
      canAsk ? reason : `${reason} To import the file as this type, add --type ${shellWord(like.type)}.`,
    )
  }
  return canAsk ? askText('Record type', like?.type ?? named) : named
}

interface ChosenId {
  /** Null: records are numbered. */
  readonly columns: readonly string[] | null
  /** Undefined: the id was given. */
  readonly why: KnownIdProposal['why'] | undefined
}

/** @throws CommandError if no id can be proposed */
async function idOf(call: Call, flags: ImportFlags, table: Table, file: PlannedFile): Promise<ChosenId> {
  const { inference, known } = file
  if (flags.id !== undefined) return { columns: flags.id, why: undefined }
  if (flags.number) return { columns: null, why: undefined }
  const rename = renamesOf(flags)
  const hidden = hiddenColumns(flags, file)
  const proposal =
    known === undefined ? proposeId(inference, hidden) : proposeIdFor(inference, known, rename, hidden)
  const isSure = proposal !== undefined && proposal.why !== 'unique'
  if (isSure || (proposal !== undefined && (!call.terminal.canAsk || flags.yes))) return proposal
  const pair = proposal === undefined ? await keyOfTwo(table, inference, hidden) : undefined
  if (!call.terminal.canAsk || flags.yes) throw noIdError(inference, pair, hidden)
  const candidates = idCandidates(inference.columns)
    .filter(({ name }) => !hidden.includes(name))
    .map(({ name }) => [name])
  const choices = new Map(
    [...candidates, ...(pair === undefined ? [] : [pair])].map((one) => [one.join(' and '), one]),
  )
  const byNumber = '(number the rows)'
  const chosen = await askOneOf('Which column identifies a record?', [...choices.keys(), byNumber])
  return { columns: choices.get(chosen) ?? null, why: undefined }
}

function noIdError(
  { name: file, columns }: Inference,
  pair: readonly string[] | undefined,
  hidden: readonly string[],
): CommandError {
  const number =
    'number the rows with --number: then a row that is inserted later makes every record after it another one.'
  const unique = idCandidates(columns).flatMap(({ name }) => (hidden.includes(name) ? [name] : []))
  const except =
    unique.length === 0
      ? 'counts and measurements'
      : `counts, measurements and private columns (${unique.map(harmless).join(', ')}): everyone reads ids`
  if (pair === undefined)
    return usageError(
      `${file} has no column with a different value in every row, except ${except}. Name the id column with --id, or several with --id a --id b, or ${number}`,
    )
  const words = pair.map((name) => `--id ${shellWord(name)}`).join(' ')
  return usageError(
    `${file} has no column that identifies a row, but ${pair.map(harmless).join(' and ')} do together: add ${words}. Or ${number}`,
  )
}

/** One column, several, or null for numbered records. */
const idJson = (id: readonly string[]): string | readonly string[] | null =>
  id.length > 1 ? id : (id[0] ?? null)
