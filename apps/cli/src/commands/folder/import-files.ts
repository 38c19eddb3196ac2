import { basename, resolve } from 'node:path'
import type { MaxRemoved, Removal } from '@ulmus/client'
import type { JsonObject, Schema } from '@ulmus/content'
import { counted, countText } from '@ulmus/content/quantities'
import {
  firstLines,
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
import { keeperOf } from '@ulmus/tabular/kept-values'
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
import { changeLines, columnLines, newIdsLines, planLines, removedLines } from '../../folder/import/words.ts'
import { type Guarded, guardRemovals } from '../../folder/push/removal-guard.ts'
import { askOneOf, askText, askYes } from '../../terminal/ask.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'

/** Flags of `ulmus import`, declared in import.ts. */
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
  const schemas = readSchemas(root)
  const types = [...schemas].map(([type, { source }]) => ({ type, schema: source }))
  const named = flags.type === undefined ? types : types.filter(({ type }) => type === flags.type)
  const { table, notes } = await openTable(call, flags, resolve(call.terminal.cwd, file), named)
  const progress = openProgress(call, flags.quiet)
  try {
    progress.show(`Reading ${basename(file)}…`)
    const inference = await inferTable(table)
    progress.end()
    const findings = notesIn([...notes, ...table.notes, ...inference.hints])
    if (!flags.json) for (const line of [...findings, ...removedLines(inference, table.unit)]) call.say(line)
    const type = await typeOf(call, flags, { root, file, earlier }, { table, inference }, schemas)
    const before = schemas.get(type)
    const bring = (brought: Pick<Importing, 'schema' | 'records' | 'keepValues'>, onProgress = ignore) => {
      const beforeRemoval = (removal: Removal) => guardRemovals([removal], guardedBy(call, flags, file))
      return importRecords({ root, type, ...brought, keepsOthers: flags.add, onProgress, beforeRemoval })
    }
    if (inference.rows === 0) {
      if (before === undefined)
        throw new TableError(`${table.name} has no rows, so there is no record to import.`)
      const imported = await bring({ schema: before.source as JsonObject, records: noRecords() })
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
      const words = { plan: made.plan, inference, why: id.why }
      for (const line of [...planLines(words), ...columnLines(words)]) call.say(line)
      for (const line of changeLines(made, known === undefined, readBase(root))) call.say(line)
    }
    if (!flags.add) for (const line of newIdsLines(made, known?.ids?.size ?? 0)) call.say(line)
    if (call.terminal.canAsk && !flags.yes && !(await askYes('Import?')))
      throw new CommandError('Nothing was imported.', { exitCode: exitCodes.cancelled, code: 'cancelled' })
    const onProgress = (count: number) =>
      progress.show(`${countText(count)} of ${counted(inference.rows, 'row')}`)
    const records = recordsOf(table, made.plan)
    const brought = { schema: made.schema, records, keepValues: keeperOf(table, made.plan) }
    const imported = await bring(brought, onProgress)
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
  const named = typeNameOf(flags.table ?? table.detected.table ?? basename(file))
  const canAsk = call.terminal.canAsk && !flags.yes
  const others = [...schemas].filter(([type]) => !earlier.some((one) => one.type === type))
  const types = schemas.has(named) ? [] : others.map(([type, schema]) => knownType(root, type, schema))
  const like = (await matchTypes(table, inference, types)).find(({ isLikely }) => isLikely)
  if (like !== undefined) {
    const reason = harmless(like.reason)
    call.say(
      canAsk ? reason : `${reason} To import the file as this type, add --type ${shellWord(like.type)}.`,
    )
  } else if (types.length > 0) {
    const names =
      types.length > 5 ? 'all types of the folder' : types.map(({ type }) => harmless(type)).join(', ')
    call.say(`${basename(file)} is unlike ${names}. Is it the right file? It becomes a new type.`)
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
  const repeats = proposal?.why === 'named' ? await repeatedText(table, inference, proposal) : undefined
  if (repeats !== undefined && (!call.terminal.canAsk || flags.yes))
    throw new CommandError(`${inference.name}: ${repeats} Correct them, or choose another id: ${idFlags}`, {
      exitCode: exitCodes.refused,
      code: 'bad_table',
    })
  const isSure = proposal !== undefined && proposal.why !== 'unique' && repeats === undefined
  if (isSure || (proposal !== undefined && (!call.terminal.canAsk || flags.yes))) return proposal
  if (repeats !== undefined) call.say(repeats)
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

/** Values that several rows of a column called like an id have, with their lines; undefined: each row has another one. */
async function repeatedText(
  table: Table,
  inference: Inference,
  { columns, repeats = [] }: KnownIdProposal,
): Promise<string | undefined> {
  if (repeats.length === 0) return undefined
  const lines = await firstLines(table, inference, columns, new Set(repeats.map(({ value }) => value)))
  const named = repeats.map(
    ({ value, line }) => `${JSON.stringify(value)} in ${table.unit}s ${lines.get(value)} and ${line}`,
  )
  return harmless(`${columns.join()} is called like an id, but rows have the same: ${named.join(', ')}.`)
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
