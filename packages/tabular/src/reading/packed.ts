/** Tables in gzip files and ZIP archives: one file, or a workbook, which is an archive itself. */
import { byEnding, endingOf } from './formats.ts'
import type { ReadOptions } from './options.ts'
import { type FileSource, piecesOf } from './source.ts'
import { streamedSource } from './streamed-source.ts'
import type { Table } from './table.ts'
import { errorAt, shown } from './table-error.ts'
import { openWorkbook } from './workbook/open-workbook.ts'
import type { StartWorkbook, WorkbookFormat } from './workbook/requests.ts'
import { filesInZip, type ZipFile } from './zip.ts'

/** Abilities of the platform, a browser or Node. */
export interface Platform {
  /** Starts a process or worker that reads a workbook; undefined: workbooks are refused. */
  readonly startWorkbook?: StartWorkbook
  /** Default: the `DecompressionStream` of browsers, which reads files of one part alone. */
  readonly gunzip?: () => ReadableWritablePair<Uint8Array, BufferSource>
}

/** The file in a gzip file. @throws TableError */
export function gunzipped(
  source: FileSource,
  gunzip: Platform['gunzip'] = () => new DecompressionStream('gzip'),
): Promise<FileSource> {
  return streamedSource(source.name, source.name.replace(/\.gz$/i, ''), () => {
    const pieces = piecesOf(source)
    const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await pieces.return()),
    })
    return packed.pipeThrough(gunzip())
  })
}

/** @param openInside opens the file that is the table @throws TableError */
export async function openZip(
  source: FileSource,
  options: ReadOptions,
  openInside: (source: FileSource) => Promise<Table>,
  startWorkbook: StartWorkbook | undefined,
): Promise<Table> {
  const files = await filesInZip(source)
  const format = workbookFormat(source.name, files)
  if (format !== undefined) {
    if (startWorkbook === undefined) throw errorAt(source.name, 'A workbook cannot be read here.')
    return openWorkbook(source.name, format, options, startWorkbook)
  }
  const file = tableIn(source.name, files, options.table)
  if (file.isEncrypted)
    throw errorAt(source.name, `${shown(file.name)} has a password. Unpack it and choose the file.`)
  const inside = await openInside(
    await streamedSource(source.name, `${source.name}, ${file.name}`, file.open),
  )
  return { ...inside, detected: { ...inside.detected, table: file.name } }
}

const isTable = ({ name }: ZipFile): boolean => byEnding(endingOf(name)) !== undefined

/** The chosen table, or the only one. Other files, such as a licence, are passed over. */
function tableIn(archive: string, files: readonly ZipFile[], wanted: string | undefined): ZipFile {
  const tables = files.length === 1 ? files : files.filter(isTable)
  const chosen = wanted === undefined ? tables : files.filter(({ name }) => name === wanted)
  if (chosen.length === 1) return chosen[0]!
  if (tables.length === 0)
    throw errorAt(archive, 'The archive has no table. Unpack it and choose the file that is one.')
  const named = tables
    .slice(0, 20)
    .map(({ name }) => shown(name))
    .join(', ')
  const problem = wanted === undefined ? 'It has several tables.' : `There is no file ${shown(wanted)}.`
  const choices = tables.map(({ name }) => ({ label: `Read ${name}`, options: { table: name } }))
  throw errorAt(archive, `${problem} The tables are: ${named}.`, {}, 'line', choices)
}

/** Office files that are no workbooks of ours, by a file inside. */
const otherFiles: readonly (readonly [RegExp, string])[] = [
  [/^xl\/workbook\.bin$/, 'This is a binary workbook. Save it as .xlsx and choose that.'],
  [/^word\//, 'This is a text document, not a table. Copy its table to a workbook and choose that.'],
  [/^ppt\//, 'This is a presentation, not a table. Copy its table to a workbook and choose that.'],
  [/^Index(?:\/Document\.iwa|\.zip)$/, 'This is a workbook of Numbers. Export it as .xlsx and choose that.'],
]

function workbookFormat(name: string, files: readonly ZipFile[]): WorkbookFormat | undefined {
  const has = (pattern: RegExp) => files.some((file) => pattern.test(file.name))
  const other = otherFiles.find(([pattern]) => has(pattern))
  if (other !== undefined) throw errorAt(name, other[1])
  if (has(/^\[Content_Types\]\.xml$/) && has(/(?:^|\/)workbook\.xml$/)) return 'xlsx'
  if (has(/^mimetype$/) && has(/^content\.xml$/)) return 'ods'
  return undefined
}
