/** Files of a ZIP archive, read from anywhere in it. */
import { configure, type FileEntry, Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import type { FileSource } from './source.ts'
import type { OpenStream } from './streamed-source.ts'
import { errorAt } from './table-error.ts'

// The caller has a thread or a process already.
configure({ useWebWorkers: false })

/** Maximum of files in an archive. */
const entriesMax = 10_000

export interface ZipFile {
  /** With folders. */
  readonly name: string
  readonly isEncrypted: boolean
  /** Fails while it is read if the file is damaged or encrypted. */
  readonly open: OpenStream
}

class SourceReader extends Reader<FileSource> {
  readonly #source: FileSource

  constructor(source: FileSource) {
    super(source)
    this.#source = source
    this.size = source.size
  }

  override readUint8Array(start: number, length: number): Promise<Uint8Array> {
    return this.#source.read(start, Math.min(start + length, this.#source.size))
  }
}

/** Files without folders and without what macOS adds. @throws TableError */
export async function filesInZip(source: FileSource): Promise<ZipFile[]> {
  const files: ZipFile[] = []
  try {
    for await (const entry of new ZipReader(new SourceReader(source)).getEntriesGenerator()) {
      if (entry.directory || /^__MACOSX\/|(?:^|\/)\.[^/]*$/.test(entry.filename)) continue
      if (files.length === entriesMax) throw new Error(`it has more than ${entriesMax} files`)
      files.push({ name: entry.filename, isEncrypted: entry.encrypted, open: () => streamOf(entry) })
    }
  } catch (error) {
    throw errorAt(
      source.name,
      `The ZIP archive cannot be read: ${(error as Error).message}. Is the file complete?`,
    )
  }
  return files
}

function streamOf(entry: FileEntry): ReadableStream<Uint8Array> {
  let fail: (error: unknown) => void = () => undefined
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      fail = (error) => controller.error(error)
    },
  })
  entry.getData(writable).catch(fail)
  return readable
}
