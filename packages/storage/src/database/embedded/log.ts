/** Recovery of the embedded database when its log finds no room on the disk. */

/** The exit code of the thread that then ends. */
export const logFullExit = 28

/** WASI's numbers, which Emscripten has. */
const noSpaceErrnos = new Set<unknown>([51 /* ENOSPC */, 19 /* EDQUOT */])

interface OpenFile {
  node: object
}
/** The part of Emscripten's NODEFS that matters here. */
interface WritableFiles {
  stream_ops: object
  realPath(node: object): string
}
type Write = (file: OpenFile, ...what: unknown[]) => number

/**
 * Ends this thread when a write to the log fails for lack of room. PostgreSQL would panic; in WebAssembly it would continue with half
 * a record in memory and refuse everything afterwards.
 */
export function endWhenLogIsFull(files: WritableFiles): void {
  const operations = files.stream_ops as { write: Write }
  const { write } = operations
  operations.write = (file, ...what) => {
    try {
      return write(file, ...what)
    } catch (error) {
      const { errno } = error as { errno?: unknown }
      if (noSpaceErrnos.has(errno) && files.realPath(file.node).includes('/pg_wal/'))
        process.exit(logFullExit)
      throw error
    }
  }
}
