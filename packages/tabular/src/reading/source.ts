/** Random access to a file's bytes. A file is read more than once: to infer its columns, and to convert its rows. */
export interface FileSource {
  /** Without folders: messages begin with it, and its extension hints at the format. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Reads from `start` up to `end`, which is at most `size`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
}

/** A browser's file, or any text: `new File([text], 'cities.csv')`. */
export const sourceOf = (file: File): FileSource => ({
  name: file.name,
  size: file.size,
  read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
})

/** Bytes per read. */
const pieceBytes = 256 * 1024

/** Reads the bytes in order. */
export async function* piecesOf(source: FileSource): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (let at = 0; at < source.size; ) {
    const piece = await source.read(at, Math.min(at + pieceBytes, source.size))
    // The file may be truncated while it is read.
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}
