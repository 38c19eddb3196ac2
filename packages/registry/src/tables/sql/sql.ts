/** SQL of callers on the tables of a version. */
import { hash } from 'node:crypto'
import { parseJson, type TypeEntry } from '@ulmus/content'
import type { VersionPath } from '@ulmus/wire'
import { mayEnter } from '../../access/policy.ts'
import { countAnswer, readerOf } from '../../budgets/answer-budget.ts'
import type { Context } from '../../context.ts'
import { demand, RegistryError } from '../../errors/errors.ts'
import type { Principal } from '../../principal.ts'
import { seeVersion } from '../../versions/versions.ts'
import { type Building, keyOf, patience, sourceOf, type TableFinder } from '../find-table.ts'
import type { CostlyQuestions } from '../patience.ts'
import type { TableFile, TableFiles } from '../table-files.ts'
import { SqlError, type SqlTable } from './processes.ts'
import { plainSqlError, type SqlNames } from './sql-errors.ts'
import type { SqlFormat } from './sql-task.ts'
import { faultOf, withoutComments } from './statement.ts'

/** Limits: text and answer in bytes, rows. docs/limits.md */
const sqlMax = { textBytes: 65_536, answerBytes: 16 * 1024 ** 2, rows: 10_000 }

/** Settings of the operator. */
export interface SqlConfig {
  /** Callers that may use SQL: all, those with a credential, or none. */
  readonly sql: 'public' | 'members' | 'off'
  /** Time of a statement. Seconds. */
  readonly sqlSeconds: number
}

export interface SqlRequest {
  readonly sql: string
  readonly limit: number
  readonly format: SqlFormat
  /** Bytes of the answer. Default and maximum: 16 MiB. */
  readonly bytesMax?: number
  /** True: a member published the statement. Every reader may have it answered, once for each version. */
  readonly isPublished?: boolean
}

export interface SqlText {
  /** The answer in its format, in parts. Parquet: in base64. */
  readonly pieces: readonly string[]
  /** True if rows are missing beyond a limit. */
  readonly truncated: boolean
}

interface SqlServices {
  readonly context: Context
  readonly config: SqlConfig
  readonly finder: TableFinder
  readonly costly: CostlyQuestions<SqlError>
}

/** True for a statement that took too much time or memory. */
export const isCostlySql = (error: unknown): error is SqlError =>
  error instanceof SqlError && (error.kind === 'interrupted' || error.kind === 'memory')

/** Runs a statement of the caller. @throws unauthenticated, invalid_sql, sql_unavailable, query_too_costly, busy */
export async function runSql(
  { context, config, finder, costly }: SqlServices,
  who: Principal,
  path: VersionPath,
  { sql, limit, format, bytesMax = sqlMax.answerBytes, isPublished = false }: SqlRequest,
): Promise<SqlText | Building> {
  if (config.sql === 'off')
    throw new RegistryError('sql_unavailable', { say: { reason: 'its operator switched it off' } })
  demand(mayEnter(who, config.sql === 'members' && !isPublished ? { scope: 'read' } : {}))
  const fault = faultOf(sql, sqlMax.textBytes)
  if (fault !== undefined) throw new RegistryError('invalid_sql', { say: { reason: fault } })
  const { files, sql: processes } = finder.installed
  const found = await seeVersion(context, who, path)
  const asker = { owner: readerOf(who), isAnonymous: who.kind === 'anonymous' }
  const tableNames = sqlNames(Object.keys(found.roots.types))
  const named = await namedIn(sql, found.roots.types, {
    isBuilt: async ({ type, entry }) => files.isBuilt(await keyOf(context, found, type, entry)),
    parse: () => processes.namesIn(asker, sql),
  }).catch((error: unknown) => {
    throw error instanceof SqlError ? refusalOf(error, config, { tables: tableNames, columns: [] }) : error
  })
  const tables: SqlTable[] = []
  const read: TableFile[] = []
  const until = performance.now() + patience.question
  for (const { name, type, entry } of named) {
    const source = await sourceOf(context, found, type, entry)
    // One patience for all: a statement builds one table at a time, and the next one only if it need not be sent again before.
    const file = await finder.fileOf(who, source, Math.max(0, until - performance.now()))
    if ('building' in file) return file
    read.push(file)
    tables.push({ path: file.path, name, columns: source.columns.map((column) => column.name) })
  }
  const limits = { bytesMax: Math.min(bytesMax, sqlMax.answerBytes), milliseconds: config.sqlSeconds * 1_000 }
  try {
    const rowsMax = Math.min(limit, sqlMax.rows)
    const question = [path.owner, path.slug, tables.map((table) => table.path), sql]
    const answer = async (): Promise<SqlText> => {
      const { pieces, end } = await costly.run(question, () =>
        processes.ask(asker, tables, { sql, format, rowsMax, ...limits }),
      )
      return { pieces, truncated: end.truncated }
    }
    const { pieces, truncated } = isPublished
      ? await rememberSql(
          files,
          read,
          [sql, format, rowsMax, limits.bytesMax, tables.map(({ name }) => name)],
          answer,
        )
      : await answer()
    countAnswer(pieces.reduce((sum, piece) => sum + piece.length, 0))
    return { pieces, truncated }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    // A process that ended by itself may have damaged what it could reach.
    if (error.kind === 'crashed' || error.kind === 'interrupted')
      for (const file of read) if (!(await files.isIntact(file))) await files.discard(file)
    throw refusalOf(error, config, {
      tables: tableNames,
      columns: [...new Set(tables.flatMap(({ columns }) => columns))],
    })
  }
}

/** Longer answers are computed each time: any reader may have them written. Bytes. */
const rememberedMax = 1_048_576

/** The answer to a published statement: computed once and stored beside the first of its tables. */
async function rememberSql(
  files: TableFiles,
  [first, ...others]: readonly TableFile[],
  question: readonly unknown[],
  answer: () => Promise<SqlText>,
): Promise<SqlText> {
  if (first === undefined) return answer()
  const key = JSON.stringify([...question, ...others.map(({ path }) => path)])
  // 128 bits: names of files are limited.
  const name = `sql${BigInt(`0x${hash('sha256', key).slice(0, 32)}`)}`
  let computed: SqlText | undefined
  const bytes = await files.remember(first, name, async () => {
    computed = await answer()
    const text = Buffer.from(JSON.stringify(computed))
    return text.length > rememberedMax ? undefined : text
  })
  if (computed !== undefined) {
    await files.evict(first)
    return computed
  }
  return bytes === undefined ? answer() : (parseJson(Buffer.from(bytes).toString()) as unknown as SqlText)
}

/** Names of the types of a version in SQL, unique whatever the case: `City`, `city_2`. */
export function sqlNames(types: readonly string[]): string[] {
  const taken = new Set<string>()
  return types.map((type) => {
    let name = type
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${type}_${n}`
    taken.add(name.toLowerCase())
    return name
  })
}

interface NamedType {
  readonly type: string
  /** In SQL. */
  readonly name: string
  readonly entry: TypeEntry
}

/** The types whose names in SQL are in the text of a statement. */
export function mentionedTypes(sql: string, types: Readonly<Record<string, TypeEntry>>): NamedType[] {
  const text = withoutComments(sql).toLowerCase()
  const names = sqlNames(Object.keys(types))
  return Object.entries(types).flatMap(([type, entry], index): NamedType[] => {
    const name = names[index]!
    return text.includes(name.toLowerCase().replaceAll('"', '""')) ? [{ type, name, entry }] : []
  })
}

/** DuckDB's parser finds no names in these. */
const unparsed = /\b(pivot|unpivot|query_table)\b/
/** Tables that are opened without asking the parser, if they were built: each takes some 20 ms. */
const mentionedMax = 8

/**
 * The types that a statement reads. If they were built, those are enough that its text mentions; DuckDB's parser, which takes a process,
 * decides what is built.
 */
async function namedIn(
  sql: string,
  types: Readonly<Record<string, TypeEntry>>,
  { isBuilt, parse }: { isBuilt(one: NamedType): Promise<boolean>; parse(): Promise<readonly string[]> },
): Promise<NamedType[]> {
  const text = withoutComments(sql).toLowerCase()
  const mentioned = mentionedTypes(sql, types)
  if (mentioned.length === 0 || unparsed.test(text)) return mentioned
  if (mentioned.length <= mentionedMax && (await Promise.all(mentioned.map(isBuilt))).every(Boolean))
    return mentioned
  const parsed = new Set((await parse()).map((name) => name.toLowerCase()))
  return mentioned.filter(({ name }) => parsed.has(name.toLowerCase()))
}

function refusalOf(error: SqlError, { sqlSeconds }: SqlConfig, names: SqlNames): RegistryError {
  switch (error.kind) {
    case 'busy':
      return new RegistryError('busy', { cause: error })
    case 'invalid':
      return new RegistryError('invalid_sql', {
        say: { reason: plainSqlError(error.message.trim(), names) },
        cause: error,
      })
    case 'unavailable':
      return new RegistryError('sql_unavailable', { say: { reason: error.message }, cause: error })
    default:
      return new RegistryError('query_too_costly', {
        say: { seconds: sqlSeconds, memory: error.kind !== 'interrupted' },
        cause: error,
      })
  }
}
