/** Finds the table file for a type of a version, and builds it if there is none. */
import {
  type Hash,
  type JsonObject,
  parseJson,
  type TableColumn,
  type TypeEntry,
  tableColumns,
} from '@ulmus/content'
import type { VersionPath } from '@ulmus/wire'
import { selectedTypes } from '../answers/places.ts'
import { readerOf } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { streamRecords } from '../records/stream.ts'
import { rootsOf, semverOf } from '../versions/content.ts'
import { seeVersion, type VisibleVersion } from '../versions/versions.ts'
import { TableFailedError } from './build-table.ts'
import { type Engine, EngineError } from './engine/engine.ts'
import type { SqlProcesses } from './sql/processes.ts'
import type { Ask } from './statistics.ts'
import type { TableFile, TableFiles } from './table-files.ts'
import type { Progress, TableKey, TableSource } from './table-source.ts'

/** A caller waits this long for a table to be built. Programs that read files do not repeat a request. Milliseconds. */
export const patience = { question: 2_000, file: 60_000 }

export interface TablePath extends VersionPath {
  type: string
}

/** Answer while a table is being built: the caller asks again. */
export interface Building {
  readonly building: Progress
}

/** Engine, files and SQL processes of this server. */
export interface InstalledTables {
  readonly engine: Engine
  readonly files: TableFiles
  readonly sql: SqlProcesses
}

/** A table that can be asked. */
export interface OpenTable {
  /** Of the version whose table it is. */
  readonly semver: string
  readonly source: TableSource
  readonly file: TableFile
  readonly ask: Ask
}

export class TableFinder {
  readonly #context: Context
  readonly #installed: InstalledTables | string

  /** @param installed the reason if this server cannot run the engine */
  constructor(context: Context, installed: InstalledTables | string) {
    this.#context = context
    this.#installed = installed
  }

  /** @throws tables_unavailable */
  get installed(): InstalledTables {
    if (typeof this.#installed !== 'string') return this.#installed
    throw new RegistryError('tables_unavailable', { say: { reason: this.#installed } })
  }

  /** The table file, or its progress if it takes longer to build. */
  async fileOf(
    who: Principal,
    source: TableSource,
    milliseconds = patience.question,
  ): Promise<TableFile | Building> {
    try {
      const found = await this.installed.files.find(source, readerOf(who))
      if (!('done' in found)) return found
      return (await within(found.done, milliseconds)) ?? { building: { ...found.progress } }
    } catch (error) {
      if (error instanceof TableFailedError)
        throw new RegistryError('query_too_costly', { say: { table: true }, cause: error })
      throw error instanceof EngineError ? refusalOf(error, { table: true }) : error
    }
  }

  /**
   * Answers once the table is there.
   * @param read checks the question before anything is built
   */
  async withTable<T>(
    who: Principal,
    path: TablePath,
    read: (columns: readonly TableColumn[]) => (table: OpenTable) => Promise<T | Building>,
    milliseconds = patience.question,
  ): Promise<T | Building> {
    const found = await seeVersion(this.#context, who, path)
    const { version, roots } = found
    const [[, entry]] = selectedTypes(roots, path.type) as [[string, TypeEntry]]
    const source = await sourceOf(this.#context, found, path.type, entry)
    const answer = read(source.columns)
    for (let isFirst = true; ; isFirst = false) {
      const file = await this.fileOf(who, source, milliseconds)
      if ('building' in file) return file
      const { engine, files } = this.installed
      const ask: Ask = (statements) => engine.ask(readerOf(who), file.path, statements)
      try {
        return await answer({ semver: semverOf(version), source, file, ask })
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        // Damaged, or evicted meanwhile: it is rebuilt.
        if (error.kind === 'unreadable') await files.discard(file)
        if (error.kind !== 'unreadable' || !isFirst) throw refusalOf(error)
      }
    }
  }
}

export async function sourceOf(
  context: Context,
  found: VisibleVersion,
  type: string,
  entry: TypeEntry,
): Promise<TableSource> {
  const schema = parseJson(Buffer.from(await context.objects.plain(entry.schema)).toString()) as JsonObject
  return {
    ...(await keyOf(context, found, type, entry)),
    owner: found.seen.owner.id,
    schema,
    columns: tableColumns(schema),
    lines: () => streamRecords(context, entry, { form: 'canonical', reader: 'tables', fleeting: true }),
  }
}

/**
 * The key of a table. Collections share tables of what all readers may read; any other table is for its owner alone: the speed of an
 * answer about private records must not tell that another account has the same. docs/security.md#equal-content
 */
export async function keyOf(
  context: Context,
  { seen, version }: VisibleVersion,
  type: string,
  entry: TypeEntry,
): Promise<TableKey> {
  const isPublic = seen.collection.public && (seen.view === 'public' || (await isSame()))
  return { tree: entry, schemaHash: entry.schema as Hash, scope: isPublic ? 'public' : seen.owner.id }

  async function isSame(): Promise<boolean> {
    const shown = (await rootsOf(context, version, 'public')).types
    const other = Object.hasOwn(shown, type) ? shown[type] : undefined
    return other?.root === entry.root && other.schema === entry.schema
  }
}

/** Undefined if it takes longer. */
export async function within<T>(done: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds) as NodeJS.Timeout
  })
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The refusal for a failed statement; other errors stay as they are. */
export function refusalOf(error: EngineError, say: { table?: true } = {}): Error {
  if (error.kind === 'unavailable') return new RegistryError('busy', { cause: error })
  if (error.kind !== 'too_costly') return error
  return new RegistryError('query_too_costly', {
    say: { ...say, seconds: error.seconds, memory: /^Out of Memory/.test(error.message) },
    cause: error,
  })
}
