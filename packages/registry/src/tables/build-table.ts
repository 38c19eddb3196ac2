/** Builds a table file from the records of a tree, in one transaction. */
import type { TableColumn } from '@ulmus/content'
import { createStatement, insertStatement, misfitsStatements, nullsStatement } from './engine/build-sql.ts'
import { formFor, type ReadingForm, tableName } from './engine/column-sql.ts'
import { EngineError, type TableWriter } from './engine/engine.ts'
import type { Statement } from './engine/query-sql.ts'
import { type Part, partsOf } from './line-parts.ts'
import type { Progress, TableFacts, TableSource } from './table-source.ts'

/** State of a build between its parts. */
interface PartBuild {
  readonly file: string
  readonly columns: readonly TableColumn[]
  readonly form: ReadingForm
  /** Nulls so far in columns whose values may be misfits. */
  nulls: number
  readonly misfits: Record<string, number>
}

/** The table cannot be built: another attempt would fail, too. */
export class TableFailedError extends Error {
  constructor(cause: unknown) {
    super('The table cannot be built.', { cause })
    this.name = 'TableFailedError'
  }
}

/** A full disk, a busy server and damaged data may be better soon. */
export const wouldFailAgain = (error: unknown): boolean =>
  error instanceof EngineError && (error.kind === 'too_costly' || error.kind === 'failed')

/** Tables of fewer bytes of records have files with small blocks. */
const smallBytesMax = 262_144

const plain = (sql: string): Statement => ({ sql, values: [] })

export interface BuildControl {
  readonly progress: Progress
  readonly signal: AbortSignal
  /** Called between two parts, which rest until it resolves. */
  readonly between?: () => Promise<void>
}

/** @throws EngineError, and Error if the table has more or fewer rows than its tree. The caller deletes the file then. */
export async function buildTable(
  writer: TableWriter,
  file: string,
  { tree, schema, columns, lines }: TableSource,
  { progress, signal, between }: BuildControl,
): Promise<Pick<TableFacts, 'rows' | 'misfits'>> {
  const build: PartBuild = { file, columns, form: formFor(schema, columns.slice(1)), nulls: 0, misfits: {} }
  let isOpen = true
  try {
    await writer.begin(file, ['BEGIN', createStatement(columns)].map(plain), tree.bytes <= smallBytesMax)
    // The next part is read from the tree while the engine works.
    let working: Promise<void> = Promise.resolve()
    for await (const part of partsOf(lines(), file)) {
      await working
      if (progress.rowsDone > 0) await between?.()
      signal.throwIfAborted()
      working = insertPart(writer, build, part).then(() => {
        progress.rowsDone += part.lines
      })
      working.catch(() => undefined)
    }
    await working
    const last = [`SELECT count(*) FROM ${tableName}`, 'COMMIT'].map(plain)
    const [[[rows]]] = (await writer.end(file, last)) as [[[string]]]
    isOpen = false
    if (Number(rows) !== tree.count) throw new Error(`The table has ${rows} rows, its tree ${tree.count}.`)
    return { rows: Number(rows), misfits: build.misfits }
  } finally {
    if (isOpen) await writer.end(file).catch(() => undefined)
  }
}

/** Adds the records of a part, and counts their misfits. */
async function insertPart(writer: TableWriter, build: PartBuild, { path }: Part): Promise<void> {
  const { file, columns, form, misfits } = build
  const [, counted] = await writer.build(
    file,
    [insertStatement(path, columns, form), nullsStatement(columns)].map(plain),
  )
  const nulls = counted![0]!.reduce<number>((sum, count) => sum + Number(count), 0)
  // Counting takes a third of the time, and a misfit is a null.
  if (nulls > build.nulls)
    for (const { sql, paths } of misfitsStatements(path, columns, form)) {
      const [counts] = await writer.build(file, [plain(sql)])
      for (const [index, at] of paths.entries()) {
        const count = Number(counts![0]![index])
        if (count > 0) misfits[at] = (misfits[at] ?? 0) + count
      }
    }
  build.nulls = nulls
}
