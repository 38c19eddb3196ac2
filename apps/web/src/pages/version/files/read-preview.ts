/** Reads the previews of files, by their kinds. All are bounded: the beginning of a text, some rows of a table, a small JSON value. */
import { parseJson } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { openTable, sourceOf, TableError } from '@ulmus/tabular'
import type { ShapePlan } from '../../../components/map/shape-plan.ts'
import type { VisitedCollection } from '../../../data/collection.ts'
import { isJson, lineFormatOf, previewKind } from '../../../data/file-kinds.ts'
import { type NamedFile, readText, type TextPreview } from '../../../data/files.ts'
import { isShallow } from '../../../data/records.ts'
import type { Visit } from '../../../page.ts'
import { readFileShapes } from './file-shapes.ts'

export type FilePreview =
  | { readonly kind: 'picture' }
  /** `reason`: why it is not drawn, as the end of a sentence. */
  | { readonly kind: 'text'; readonly text: TextPreview; readonly reason?: string }
  | { readonly kind: 'map'; readonly plan: ShapePlan }
  | { readonly kind: 'table'; readonly table: TablePreview }
  | { readonly kind: 'tree'; readonly value: object }

/** The beginning of a table. */
export interface TablePreview {
  readonly columns: readonly string[]
  /** Number of all columns that the file names. */
  readonly width: number
  readonly rows: readonly (readonly unknown[])[]
  /** True: the file has more rows. */
  readonly isCut: boolean
}

const tableMax = { rows: 50, columns: 20 }
/** Longer JSON is shown as text: a tree takes many times its length. Characters. */
const treeMax = 10_000
/** Values that nest deeper are shown as text: the engine writes no JSON of some thousand levels. */
const levelsMax = 100

/**
 * Undefined: the file can only be downloaded.
 * @param asText true: texts are shown as they are
 * @throws file_not_found, object_corrupt, busy
 */
export async function readPreview(
  visit: Visit,
  seen: VisitedCollection,
  file: NamedFile,
  asText: boolean,
): Promise<FilePreview | undefined> {
  const kind = previewKind(file)
  if (kind === 'picture') return { kind }
  const text = kind === 'text' ? await readText(visit, seen, file.hash) : undefined
  if (text === undefined) return undefined
  const plain = { kind: 'text', text } as const
  if (asText) return plain
  const shapes = await readFileShapes(visit, seen, file, text.text)
  if (shapes !== undefined)
    return 'reason' in shapes ? { ...plain, reason: shapes.reason } : { kind: 'map', plan: shapes }
  await giveWay()
  const table = await tableOf(file, text)
  if (table !== undefined) return { kind: 'table', table }
  const value = isJson(file) ? nestedIn(text) : undefined
  return value === undefined ? plain : { kind: 'tree', value }
}

/** Undefined: it is no table, or none that can be read. */
async function tableOf(file: NamedFile, { text, isCut }: TextPreview): Promise<TablePreview | undefined> {
  const format = lineFormatOf(file)
  if (format === undefined) return undefined
  // The last line is not complete.
  const lines = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text
  try {
    const table = await openTable(sourceOf(new File([lines], 'table')), { format, encoding: 'utf-8' })
    const rows: (readonly unknown[])[] = []
    for await (const batch of table.batches()) {
      rows.push(...batch.map(({ values }) => values.slice(0, tableMax.columns).map(plainOf)))
      if (rows.length > tableMax.rows) break
    }
    if (rows.length === 0) return undefined
    return {
      columns: table.columns.slice(0, tableMax.columns),
      width: table.columns.length,
      rows: rows.slice(0, tableMax.rows),
      isCut: isCut || rows.length > tableMax.rows,
    }
  } catch (error) {
    if (!(error instanceof TableError || error instanceof RangeError)) throw error
    return undefined
  }
}

/** Numbers that a double cannot hold are texts, at any depth. @throws RangeError for a value that nests too deep */
function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!isShallow(value, levelsMax)) throw new RangeError('The value nests too deep for a page.')
  return parseJson(JSON.stringify(value))
}

/** A small object or list; undefined for other texts. */
function nestedIn({ text, isCut }: TextPreview): object | undefined {
  if (isCut || text.length > treeMax) return undefined
  try {
    const value = parseJson(text)
    const isTree = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    return isTree && isShallow(value, levelsMax) ? value : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return undefined
  }
}
