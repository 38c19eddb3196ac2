/** Recovery of the embedded database when the disk has no space for its log. */

/** Exit code of the thread in this case. */
export const logFullExit = 28

/** Error numbers of WASI, which Emscripten uses. */
const noSpaceErrnos = new Set<unknown>([51 /* ENOSPC */, 19 /* EDQUOT */])

interface OpenFile {
  node: object
}
/** Part of Emscripten's NODEFS that is used here. */
interface WritableFiles {
  stream_ops: object
  realPath(node: object): string
}
type Write = (file: OpenFile, ...what: unknown[]) => number

/**
 * Ends this thread if a write to the log fails for lack of space. PostgreSQL would panic; in WebAssembly it would continue with half
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
