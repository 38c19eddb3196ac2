/** Questions about the tables of a version, in the view of the caller. docs/queries.md */
import { rm, stat } from 'node:fs/promises'
import { type JsonObject, parseJson, type QueryText, type TypeEntry, tableColumns } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import type { VersionPath } from '@ulmus/wire'
import { JsonText } from '../answers/json-text.ts'
import { selectedTypes } from '../answers/places.ts'
import { countAnswer, readerOf } from '../budgets/answer-budget.ts'
import { SharedBudget } from '../budgets/shared-budget.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { readSchemaObjects } from '../versions/schemas.ts'
import { seeVersion } from '../versions/versions.ts'
import { questionsOf } from './answer-questions.ts'
import { chartsOf } from './charts/charts.ts'
import { copyStatement } from './engine/query-sql.ts'
import { openOnce } from './file-answer.ts'
import { type InstalledTables, keyOf, patience, sourceOf, TableFinder, type TablePath } from './find-table.ts'
import { mapsOf } from './maps/maps.ts'
import { CostlyQuestions, deadlineOf, isTooCostly } from './patience.ts'
import { findWhole, questionName, readQuery } from './questions.ts'
import { isCostlySql, runSql, type SqlConfig, type SqlRequest } from './sql/sql.ts'
import { type MadeFile, smallTable } from './table-files.ts'

/** Settings of the operator. */
export interface TablesConfig extends SqlConfig {
  /** Bytes of table files on the disk of this server. null: a tenth of the disk, at most 50 GB. */
  readonly bytesMax: number | null
}

/** Share of a caller of the disk space for CSV files. */
const downloadsShare = 1 / 4

export const usualTables: TablesConfig = Object.freeze({ bytesMax: null, sql: 'members', sqlSeconds: 10 })

/** A version as tables: a page of it has one for each type. */
export interface ListedTable {
  readonly type: string
  readonly records: number
  /** `Column[]` as JSON. */
  readonly columns: JsonText
  readonly parquet: Pick<MadeFile, 'bytes' | 'sha256'> | undefined
}

export type Tables = ReturnType<typeof tablesOf>

/** @param installed the reason if this server cannot run the engine: every question is refused with it */
export function tablesOf(context: Context, config: TablesConfig, installed: InstalledTables | string) {
  const finder = new TableFinder(context, installed)
  const files = typeof installed === 'string' ? undefined : installed.files
  const costly = new CostlyQuestions(isTooCostly)
  const costlySql = new CostlyQuestions(isCostlySql)
  return {
    ...questionsOf(context, finder, costly),
    ...chartsOf(finder, costly),
    ...mapsOf(finder, costly),
    // CSV files stay on the disk until they are sent: as many as there may be table files.
    ...downloadsOf(context, finder, { downloads: new SharedBudget(files?.bytesMax ?? 0), costly }),

    /** Runs a statement of the caller. @throws unauthenticated, invalid_sql, sql_unavailable, query_too_costly, busy */
    sql: (who: Principal, path: VersionPath, request: SqlRequest) =>
      runSql({ context, config, finder, costly: costlySql }, who, path, request),

    /**
     * Checks a query, and fields that a chart names, without asking.
     * @throws collection_not_found, version_not_found, type_not_found, unknown_field, invalid_request
     */
    async check(
      who: Principal,
      path: TablePath,
      { text, fields }: { text: QueryText; fields: readonly string[] },
    ): Promise<void> {
      const found = await seeVersion(context, who, path)
      const [[, entry]] = selectedTypes(found.roots, path.type) as [[string, TypeEntry]]
      const { columns } = await sourceOf(context, found, path.type, entry)
      readQuery({ ...text, facet: fields }, columns)
    },

    /** @throws collection_not_found, version_not_found, busy */
    async list(who: Principal, path: VersionPath): Promise<ListedTable[]> {
      const found = await seeVersion(context, who, path)
      const { roots } = found
      const tables: ListedTable[] = []
      for await (const { type, bytes } of readSchemaObjects(context.objects, roots)) {
        const tree = roots.types[type]!
        const parquet = await files?.parquetOf(await keyOf(context, found, type, tree))
        const schema = parseJson(Buffer.from(bytes).toString()) as JsonObject
        await giveWay()
        const columns = new JsonText(JSON.stringify(tableColumns(schema)))
        countAnswer(columns.pieces[0]!.length)
        tables.push({ type, records: tree.count, columns, parquet })
      }
      return tables
    },

    /**
     * True if no long build is needed to answer about a type: its table was built, or is small.
     * @throws collection_not_found, version_not_found, type_not_found
     */
    async answersSoon(who: Principal, path: TablePath): Promise<boolean> {
      if (files === undefined) return false
      const found = await seeVersion(context, who, path)
      const [[, entry]] = selectedTypes(found.roots, path.type) as [[string, TypeEntry]]
      return entry.count <= smallTable || files.isBuilt(await keyOf(context, found, path.type, entry))
    },

    /**
     * True while the table of a type is built, for callers or ahead of their questions, or waits for it.
     * @throws collection_not_found, version_not_found, type_not_found
     */
    async isBuilding(who: Principal, path: TablePath): Promise<boolean> {
      if (files === undefined) return false
      const found = await seeVersion(context, who, path)
      const [[, entry]] = selectedTypes(found.roots, path.type) as [[string, TypeEntry]]
      const key = await keyOf(context, found, path.type, entry)
      if (files.isBuilding(key)) return true
      const isAwaited = found.seen.view === 'public' && files.awaited.has(found.version.id)
      return isAwaited && !(await files.isBuilt(key))
    },

    /**
     * `TableStatistics` of a type as JSON, if they were computed before; undefined otherwise.
     * @throws collection_not_found, version_not_found, type_not_found
     */
    async knownStatistics(who: Principal, path: TablePath): Promise<JsonText | undefined> {
      if (files === undefined) return undefined
      const found = await seeVersion(context, who, path)
      const [[, entry]] = selectedTypes(found.roots, path.type) as [[string, TypeEntry]]
      const bytes = await files.remembered(await keyOf(context, found, path.type, entry), 'statistics')
      return bytes && new JsonText(bytes)
    },

    /** False if this server cannot run the engine. */
    isAvailable: files !== undefined,

    /** Callers that may use SQL. */
    sqlFor: config.sql,
  }
}

/** @throws unknown_field, invalid_request, busy, query_too_costly, tables_unavailable, storage_full */
const downloadsOf = (
  context: Context,
  finder: TableFinder,
  { downloads, costly }: { downloads: SharedBudget; costly: CostlyQuestions },
) => ({
  /** The rows that match as CSV. */
  csv: (who: Principal, path: TablePath, text: QueryText) =>
    finder.withTable(
      who,
      path,
      (columns) => {
        const query = readQuery(text, columns)
        return async (table) => {
          const csv = await finder.installed.files.scratch()
          const target = { path: csv, format: 'csv' } as const
          try {
            const statement = copyStatement(query, query.columns ?? findWhole(columns), target)
            await context.space.demand(table.source.tree.bytes)
            const limits = { scratch: `${csv}.sort`, milliseconds: deadlineOf('csv', table.source.tree) }
            await costly.run(questionName(path, table.source, 'csv', text), () =>
              finder.installed.engine.askPatiently(readerOf(who), table.file.path, [statement], limits),
            )
            const { size } = await stat(csv)
            const holders = [{ name: readerOf(who), share: downloadsShare }]
            downloads.take(holders, size, 0)
            const release = () => downloads.give(holders, size)
            const file = await openOnce(csv, `csv:${table.file.sha256}:${JSON.stringify(text)}`, release)
            return { ...file, semver: table.semver }
          } finally {
            await rm(csv, { force: true })
          }
        }
      },
      patience.file,
    ),

  /** All rows as a Parquet file, which is made once. */
  parquet: (who: Principal, table: TablePath) =>
    finder.withTable(
      who,
      table,
      (columns) =>
        async ({ semver, source, file }) => {
          const { engine, files } = finder.installed
          const made = await files.makeParquet(file, readerOf(who), async (path, key) => {
            const target = { path, format: 'parquet' } as const
            const statement = copyStatement(readQuery({}, columns), findWhole(columns), target)
            await context.space.demand(source.tree.bytes)
            const limits = {
              scratch: `${path}.sort`,
              milliseconds: deadlineOf('parquet', source.tree),
              key,
            }
            await costly.run(questionName(table, source, 'parquet'), () =>
              engine.askPatiently(readerOf(who), file.path, [statement], limits),
            )
          })
          const opened = await openOnce(made.path, `parquet:${made.sha256}`).catch(
            (cause: NodeJS.ErrnoException) => {
              // Evicted meanwhile.
              throw cause.code === 'ENOENT' ? new RegistryError('busy', { cause }) : cause
            },
          )
          return { ...opened, semver }
        },
      patience.file,
    ),
})
