import { basename, resolve } from 'node:path'
import type { MaxRemoved, Removal } from '@ulmus/client'
import type { JsonObject } from '@ulmus/content'
import {
  fieldsOf,
  type Inference,
  idCandidates,
  inferTable,
  type Kind,
  kinds,
  misfitsOf,
  type Plan,
  planOf,
  recordsOf,
  referencesIn,
  schemaOf,
  type Table,
  TableError,
  type TypeIds,
  typeNameOf,
} from '@ulmus/tabular'
import type { Call, Command, CommonFlags } from '../context.ts'
import { readSchemas } from '../folder/content.ts'
import { type Importing, importRecords, withNewFields } from '../folder/import.ts'
import { rootAt } from '../folder/layout.ts'
import { withFolder } from '../folder/lock.ts'
import { missingFlags, notesIn, openTable, type ReadFlags, ways } from '../folder/open-table.ts'
import { type Guarded, guardRemovals } from '../folder/removal-guard.ts'
import { askOneOf, askText, askYes } from '../terminal/ask.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError, usageError } from '../terminal/failure.ts'
import { harmless } from '../terminal/harmless.ts'
import { openProgress } from '../terminal/progress.ts'
import { counted, numberText } from '../terminal/words.ts'

export type ImportFlags = ReadFlags & {
  readonly type?: string
  readonly id?: string
  readonly number: boolean
  readonly private?: readonly string[]
  readonly leaveOut?: readonly string[]
  readonly rename?: readonly string[]
  readonly kind?: readonly string[]
  readonly add: boolean
  readonly maxRemoved?: MaxRemoved
}

/** `ulmus import FILE… --type T` */
const importFiles: Command<ImportFlags, string[]> = async (call, flags, ...files) => {
  if (files.length > 1 && flags.type !== undefined)
    throw usageError(
      'One --type is for one file. Import each file by itself, or let their names be the types.',
    )
  const root = rootAt(call.terminal.cwd)
  await withFolder(root, async () => {
    const known: TypeIds[] = []
    const results: object[] = []
    for (const file of files) results.push(await asFailure(() => importFile(call, flags, root, file, known)))
    if (flags.json) await call.json(results)
    else call.say('Next: `ulmus status`, `ulmus push`.')
  })
}

/** Reports the faults of a file as a refusal of data, with the flags that help. */
async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    const message = [error.message, ...ways(error.choices)].join(' ')
    throw new CommandError(message, { exitCode: exitCodes.refused, code: 'bad_table', cause: error })
  }
}

/** @param known types of files that were imported before, to which this one may refer */
async function importFile(
  call: Call,
  flags: ImportFlags & CommonFlags,
  root: string,
  file: string,
  known: TypeIds[],
): Promise<object> {
  const table = await openTable(call, flags, resolve(call.terminal.cwd, file))
  const progress = openProgress(call, flags.quiet)
  try {
    progress.show(`Looking at ${basename(file)}…`)
    const inference = await inferTable(table)
    progress.end()
    const type = await typeOf(call, flags, file)
    const before = readSchemas(root).get(type)?.source as JsonObject | undefined
    const bring = (schema: JsonObject, records: Importing['records'], onProgress = ignore) => {
      const beforeRemoval = (removal: Removal) => guardRemovals([removal], guardedBy(call, flags, file))
      return importRecords({ root, type, schema, records, keepsOthers: flags.add, onProgress, beforeRemoval })
    }
    if (inference.rows === 0) {
      if (before === undefined)
        throw new TableError(`${table.name} has no rows, so there is no record to import.`)
      const imported = await bring(before, noRecords())
      call.say(`0 records of ${type} from ${basename(file)}.`)
      return { file, type, id: null, ...imported, schema: before }
    }
    const plan = await planFor(call, flags, table, inference, type, before, known)
    const { schema, added } =
      before === undefined
        ? { schema: schemaOf(plan) as JsonObject, added: [] }
        : withNewFields(before, schemaOf(plan) as JsonObject)
    if (!flags.json) {
      for (const line of notesIn(table)) call.say(line)
      showPlan(call, plan, inference, before !== undefined, added)
    }
    if (call.terminal.canAsk && !flags.yes && !(await askYes('Import it so?')))
      throw new CommandError('Nothing was imported.', { exitCode: exitCodes.cancelled, code: 'cancelled' })
    const onProgress = (count: number) =>
      progress.show(`${numberText(count)} of ${counted(inference.rows, 'row')}`)
    const records = recordsOf(table, plan)
    const imported = await bring(schema, records, onProgress)
    progress.end()
    const ids = inference.columns.find(({ name }) => plan.id.length === 1 && name === plan.id[0])?.ids
    if (ids !== undefined) known.push({ type, ids })
    call.say(`${counted(imported.records, 'record')} of ${type} from ${basename(file)}.`)
    return { file, type, id: idJson(plan.id), ...imported, schema }
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

async function typeOf(call: Call, flags: ImportFlags, file: string): Promise<string> {
  if (flags.type !== undefined) return flags.type
  const named = typeNameOf(flags.table ?? basename(file))
  return call.terminal.canAsk && !flags.yes ? askText('What is each record? The type', named) : named
}

async function planFor(
  call: Call,
  flags: ImportFlags,
  table: Table,
  inference: Inference,
  type: string,
  schema: JsonObject | undefined,
  known: readonly TypeIds[],
): Promise<Plan> {
  const chosen = await idOf(call, flags, inference)
  const id = chosen === null ? null : [chosen]
  const references =
    known.length === 0 ? undefined : await referencesIn(table, inference, known, chosen ?? undefined)
  const rename = pairsOf(flags.rename, 'rename', 'column=field')
  // Fields that are there already stay what they are, whatever the file looks like.
  const columns = new Map(
    inference.columns.map(({ name }) => [Object.hasOwn(rename, name) ? rename[name]! : name, name]),
  )
  const kept = fieldsOf(schema).flatMap(({ name, kind }) =>
    columns.has(name) ? [[columns.get(name)!, kind] as const] : [],
  )
  const wished = Object.entries(pairsOf(flags.kind, 'kind', 'column=kind')).map(
    ([name, kind]) => [name, kindIn(kind)] as const,
  )
  return planOf(inference, {
    type,
    id,
    private: flags.private,
    leaveOut: flags.leaveOut,
    rename,
    references,
    kinds: Object.fromEntries([...kept, ...wished]),
  })
}

/** The column of ids; null: records are numbered. @throws CommandError when it must be said */
async function idOf(call: Call, flags: ImportFlags, { name, columns }: Inference): Promise<string | null> {
  if (flags.id !== undefined) return flags.id
  if (flags.number) return null
  const candidates = idCandidates(columns).map((column) => column.name)
  const byNumber = '(number the rows)'
  if (call.terminal.canAsk && !flags.yes && candidates.length !== 1) {
    const chosen = await askOneOf('Which column identifies a record?', [...candidates, byNumber])
    return chosen === byNumber ? null : chosen
  }
  if (candidates[0] !== undefined) return candidates[0]
  throw usageError(
    `${name} has no column with another value in every row, so none can be the id. Name one with --id, or number the rows with --number: then a row that is inserted later makes every record after it another one.`,
  )
}

function pairsOf(given: readonly string[] = [], flag: string, shape: string): Record<string, string> {
  const pairs = given.map((text) => {
    const cut = text.indexOf('=')
    if (cut < 1 || cut === text.length - 1) throw usageError(`--${flag} ${text}: write it as ${shape}.`)
    return [text.slice(0, cut), text.slice(cut + 1)] as const
  })
  return Object.fromEntries(pairs)
}

function kindIn(text: string): Kind {
  const kind = kinds.find((one) => one === text)
  if (kind === undefined) throw usageError(`There is no kind \`${text}\`: ${kinds.join(', ')}.`)
  return kind
}

function showPlan(
  call: Call,
  plan: Plan,
  { rows, columns }: Inference,
  isKnown: boolean,
  added: readonly string[],
): void {
  call.say(
    `${counted(rows, 'row')} as ${plan.type}, identified by ${plan.id.length === 0 ? 'its number' : plan.id.join(' and ')}:`,
  )
  const lines = plan.columns.map(
    ({ name, field = name, kind, isRequired, isPrivate, reference, choices }) => [
      field === name ? name : `${name} → ${field}`,
      reference === undefined ? kind : `id of ${reference}`,
      [
        isRequired ? '' : 'may be missing',
        isPrivate ? 'private' : '',
        choices === undefined ? '' : `one of ${choices.length}`,
      ]
        .filter((word) => word !== '')
        .join(', '),
    ],
  )
  const width = (index: number) => Math.max(...lines.map((line) => line[index]!.length))
  const widths = [width(0), width(1)] as const
  for (const [name = '', kind = '', more = ''] of lines)
    call.say(`  ${harmless(name).padEnd(widths[0])}  ${kind.padEnd(widths[1])}  ${more}`.trimEnd())
  const left = (plan.leftOut ?? [])
    .filter(({ why }) => why !== 'id')
    .map(({ name, why }) => `${harmless(name)} (${why === 'empty' ? 'it is empty' : 'as asked'})`)
  if (left.length > 0) call.say(`Left out: ${left.join(', ')}.`)
  for (const column of columns) {
    const misfits = misfitsOf(column)
    if (misfits === undefined) continue
    const { kind, count, line, value, marks = [value] } = misfits
    const what = typeof value === 'string' ? harmless(value) : JSON.stringify(value)
    call.say(
      `${harmless(column.name)} would be ${kind} but for ${counted(count, 'value')}, the first in line ${line}: ${what}. If that means missing: ${missingFlags(marks)}.`,
    )
  }
  if (isKnown)
    call.say(
      `The schema that is here stays${added.length === 0 ? '' : `, with new fields: ${added.map(harmless).join(', ')}`}.`,
    )
}

const idJson = (id: readonly string[]): string | readonly string[] | null =>
  id.length > 1 ? id : (id[0] ?? null)

export default importFiles
