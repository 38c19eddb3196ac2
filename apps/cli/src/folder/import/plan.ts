/**
 * Plans the import of a file from flags and the existing type. Refuses columns that do not fit the schema, with the flags that would
 * publish them.
 */
import { type JsonObject, type Schema, schemaBytesMax } from '@ulmus/content'
import {
  type Conversion,
  changeSchema,
  conversions,
  type Inference,
  isPrivateType,
  type Kind,
  type KnownType,
  kinds,
  type Plan,
  type PlanWishes,
  planFor,
  planOf,
  privateIdError,
  type SchemaChange,
  schemaOf,
  statesOf,
  type Table,
} from '@ulmus/tabular'
import { type ColumnMisfit, checkTable, type Way } from '@ulmus/tabular/check'
import { repeatedIn, withRenames, withRepeats } from '@ulmus/tabular/private'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { recordFiles, schemaPath } from '../files/layout.ts'
import { privateFields, privateValues, sourcesOf } from './known.ts'
import { missingFlags } from './open-table.ts'

/** Flags of `ulmus import` about columns, each `column` or `column=value`. */
export type PlanFlags = {
  readonly private?: readonly string[]
  readonly leaveOut?: readonly string[]
  readonly rename?: readonly string[]
  readonly kind?: readonly string[]
  readonly convert?: readonly string[]
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  readonly closedList?: readonly string[]
  readonly allowNewValues?: readonly string[]
}

/** Plan to confirm and to carry out. */
export interface ImportPlan {
  readonly plan: Plan
  readonly schema: JsonObject
  /** Changes of the existing schema; empty for a new type. */
  readonly changes: readonly SchemaChange[]
  /** Columns that become private because another type has a private field of that name: those types by column. */
  readonly inherited: ReadonlyMap<string, string>
  /** Number of the file's ids that already exist; undefined: the type has no records. */
  readonly knownIds: number | undefined
}

/** A file and the types that it may belong to. */
export interface PlannedFile {
  readonly inference: Inference
  /** Undefined: the type is new. */
  readonly known: KnownType | undefined
  readonly schemas: ReadonlyMap<string, Schema>
}

/** Input of `planImport`. */
export interface Planning extends PlannedFile {
  readonly root: string
  readonly table: Table
  readonly type: string
  readonly id: readonly string[] | null
  readonly references: ReadonlyMap<string, string> | undefined
}

/**
 * Columns that are private by the flags, by the existing type, or by their name in another type. None of them can be the id, unless the
 * whole type is private.
 */
export function hiddenColumns(flags: PlanFlags, file: PlannedFile): string[] {
  if (isPrivateType(file.known?.schema)) return []
  const rename = renamesOf(flags)
  const own = statesOf(file.known?.schema)
  const known = file.inference.columns.filter(
    ({ name }) => own.get(Object.hasOwn(rename, name) ? rename[name]! : name)?.isPrivate,
  )
  const inherited = inheritedPrivate(file, rename, flags)
  return [...(flags.private ?? []), ...known.map(({ name }) => name), ...inherited.keys()]
}

/** @throws TableError for a flag that names no column @throws PrivateIdError @throws CommandError (refused) for columns that do not fit the schema */
export async function planImport(flags: PlanFlags, planning: Planning): Promise<ImportPlan> {
  const { table, inference, type, id, known, references } = planning
  const rename = renamesOf(flags)
  const inherited = inheritedPrivate(planning, rename, flags)
  const wishes: PlanWishes = {
    ...{ type, id, references, rename },
    private: [...(flags.private ?? []), ...inherited.keys()],
    kinds: wordsOf<Kind>(flags.kind, 'kind', kinds),
    conversions: wordsOf<Conversion | 'none'>(flags.convert, 'convert', [...conversions, 'none']),
    ...{ leaveOut: flags.leaveOut, required: flags.required, optional: flags.optional },
    closed: flags.closedList,
  }
  checkAllowed(flags, inference)
  if (known === undefined) {
    const plan = await guardedPlan(planOf(inference, wishes), planning)
    const schema = schemaOf(plan) as JsonObject
    demandSize(type, schema)
    return { plan, inherited, schema, changes: [], knownIds: undefined }
  }
  const ids = known.ids === undefined || known.ids.size === 0 ? undefined : known.ids
  let plan = await guardedPlan(planFor(inference, known, wishes), planning)
  let check = await checkTable(table, inference, plan, ids)
  const allow = allowedValues(flags, check.misfits)
  if (allow.length > 0) {
    const allowed = planFor(inference, known, { ...wishes, allow: Object.fromEntries(allow) })
    plan = await guardedPlan(allowed, planning)
    check = await checkTable(table, inference, plan, ids)
  }
  if (check.misfits.length > 0) throw misfitError(inference.name, type, check.misfits)
  const { schema, changes } = changeSchema(known.schema as JsonObject, plan)
  demandSize(type, schema as JsonObject)
  return { plan, inherited, schema: schema as JsonObject, changes, knownIds: check.knownIds }
}

/** @throws CommandError (refused) for a schema that a registry would refuse */
function demandSize(type: string, schema: JsonObject): void {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes <= schemaBytesMax) return
  const message = `The file has so many columns, or names so long, that the schema of ${harmless(type)} would have ${bytes.toLocaleString('en')} bytes; at most ${schemaBytesMax.toLocaleString('en')} are possible. Nothing was imported. Add --leave-out for some columns, or divide the file into several types.`
  throw new CommandError(message, { exitCode: exitCodes.refused, code: 'bad_table' })
}

/**
 * The plan with columns private that repeat a private field of the folder. Refuses a private id before the question, not only before the
 * first record. @throws PrivateIdError
 */
async function guardedPlan(plan: Plan, { root, table, inference, known, schemas }: Planning): Promise<Plan> {
  const files = recordFiles(root)
  const values = privateValues(root, sourcesOf(schemas), (type) => files.get(type))
  const repeats = await repeatedIn(table, inference, plan, values, known)
  const guarded = withRepeats(await withRenames(table, inference, plan, known), repeats)
  const error = privateIdError(inference.name, guarded)
  if (error !== undefined) throw error
  return guarded
}

/** New columns whose names are private in any type of the folder. */
function inheritedPrivate(
  { inference, known, schemas }: PlannedFile,
  rename: Readonly<Record<string, string>>,
  { private: requested = [] }: PlanFlags,
): Map<string, string> {
  const hidden = privateFields(schemas)
  const own = new Set(Object.keys((known?.schema as { properties?: object } | undefined)?.properties ?? {}))
  return new Map(
    inference.columns.flatMap(({ name, isEmpty }): [string, string][] => {
      const field = Object.hasOwn(rename, name) ? rename[name]! : name
      const type = hidden.get(field)
      const isNone = isEmpty || own.has(field) || requested.includes(name)
      return type === undefined || isNone ? [] : [[name, type]]
    }),
  )
}

function checkAllowed({ allowNewValues = [] }: PlanFlags, { columns }: Inference): void {
  const lost = allowNewValues.find((column) => !columns.some(({ name }) => name === column))
  if (lost !== undefined)
    throw usageError(`--allow-new-values ${harmless(lost)}: the file has no such column.`)
}

const allowedValues = (
  { allowNewValues = [] }: PlanFlags,
  misfits: readonly ColumnMisfit[],
): [string, readonly string[]][] =>
  misfits.flatMap(({ column, ways }) =>
    allowNewValues.includes(column)
      ? ways.flatMap((way): [string, readonly string[]][] =>
          way.do === 'allow' ? [[column, way.values]] : [],
        )
      : [],
  )

/** Maximum number of columns listed in a refusal. */
const listedMax = 20

function misfitError(file: string, type: string, misfits: readonly ColumnMisfit[]): CommandError {
  const lines = misfits.slice(0, listedMax).flatMap((misfit) => {
    const ways = misfit.ways.map((way) => flagOf(misfit, way))
    const out = ways.length === 0 ? `change ${schemaPath(type)}, or the file` : ways.join('  or  ')
    return [`  ${harmless(misfit.column)}: ${harmless(misfit.sentence)}`, `    ${harmless(out)}`]
  })
  const more = misfits.length > listedMax ? [`  and ${misfits.length - listedMax} more columns`] : []
  const message = [
    `${harmless(file)} does not fit ${harmless(type)}:`,
    ...lines,
    ...more,
    'Nothing was imported. Add flags from above, or correct the file.',
  ]
  return new CommandError(message.join('\n'), { exitCode: exitCodes.refused, code: 'unfit_columns' })
}

function flagOf({ column, field, why }: ColumnMisfit, way: Way): string {
  switch (way.do) {
    case 'kind':
      return `--kind ${shellWord(`${column}=${way.kind}`)}`
    case 'convert':
      return `--convert ${shellWord(`${column}=${way.conversion}`)}`
    case 'allow':
      return `--allow-new-values ${shellWord(column)}`
    case 'optional':
      return `--optional ${shellWord(column)}${why === 'gone' ? ' (without it)' : ''}`
    case 'missing':
      return `${missingFlags([way.value], column)}${way.optional ? ` --optional ${shellWord(column)}` : ''}`
    case 'rename':
      return `renamed? --rename ${shellWord(`${way.from}=${field}`)}`
  }
}

/** Names of fields by column. */
export const renamesOf = ({ rename }: PlanFlags): Record<string, string> =>
  pairsOf(rename, 'rename', 'column=field')

/** Parses pairs whose second part is one of `words`. */
function wordsOf<Word extends string>(
  given: readonly string[] | undefined,
  flag: string,
  words: readonly Word[],
): Record<string, Word> {
  const pairs = Object.entries(pairsOf(given, flag, `column=${flag === 'kind' ? 'kind' : 'conversion'}`))
  return Object.fromEntries(
    pairs.map(([column, text]) => {
      const word = words.find((one) => one === text)
      if (word === undefined)
        throw usageError(
          `--${flag} ${harmless(column)}=${harmless(text)}: it must be one of ${words.join(', ')}.`,
        )
      return [column, word]
    }),
  )
}

/** Splits at the last `=`, because a column name may contain one. */
function pairsOf(given: readonly string[] = [], flag: string, shape: string): Record<string, string> {
  const pairs = given.map((text) => {
    const cut = text.lastIndexOf('=')
    if (cut < 1 || cut === text.length - 1)
      throw usageError(`--${flag} ${harmless(text)}: use the form ${shape}.`)
    return [text.slice(0, cut), text.slice(cut + 1)] as const
  })
  return Object.fromEntries(pairs)
}
