/**
 * Detects that the disk has no space for the log of the embedded database, and ends PostgreSQL's thread before it can damage anything.
 * database.ts sees the exit code and ends the process; the next start recovers (ballast.ts).
 */

/** Exit code of PostgreSQL's thread if the log has no space; database.ts compares it. */
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
