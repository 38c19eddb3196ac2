/**
 * File systems for PGlite over the folder with PostgreSQL's own files. PGlite's own one never syncs and lets other accounts read; these
 * create private files, and a failed sync ends the process.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { endProcess } from './ending.ts'
import { endWhenLogIsFull } from './log.ts'

/** Permission bits of group and others. */
const othersBits = 0o077

/** Argument that Emscripten's file system passes to `fsync`: a file has a descriptor of Node's (`nfd`), a folder has none. */
interface EmscriptenStream {
  node: object
  nfd?: number
}
type SetAttributes = (of: object, attributes: { mode?: number }) => void
/** Part of Emscripten's NODEFS that its types omit. */
interface FileSystem {
  node_ops: { setattr: SetAttributes }
  stream_ops: { setattr: SetAttributes; fsync?: (stream: EmscriptenStream) => number }
  realPath(node: object): string
}
type Options = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts']
type Module = Parameters<NonNullable<Options['preRun']>[number]>[0]

/** The folder on disk, accessible to its owner only. */
export class PrivateFolder extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const prepare = (module: Module) => this.prepare(module.NODEFS as unknown as FileSystem)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), prepare] } }
  }

  /** Emscripten sets the mode of every file that it creates, usually 0666, and ignores the umask. */
  protected prepare(files: FileSystem): void {
    for (const operations of [files.node_ops, files.stream_ops]) {
      const { setattr } = operations
      operations.setattr = (of, attributes) => {
        const { mode } = attributes
        setattr(of, mode === undefined ? attributes : { ...attributes, mode: mode & ~othersBits })
      }
    }
  }
}

/** A private folder whose `fsync` syncs. */
export class SyncingFolder extends PrivateFolder {
  protected override prepare(files: FileSystem): void {
    super.prepare(files)
    endWhenLogIsFull(files)
    files.stream_ops.fsync = (stream) => {
      try {
        if (typeof stream.nfd === 'number') fsyncSync(stream.nfd)
        else syncPath(files.realPath(stream.node))
        return 0
      } catch (error) {
        // After a failed sync the disk's content is unknown, and another sync reports nothing: PostgreSQL then panics and replays its log
        // at the next start. In WebAssembly a panic would loop forever, so end the process before it acknowledges anything more.
        return endProcess('The disk failed to sync the database', error)
      }
    }
  }
}

/** Windows cannot open a folder to sync it; its file systems journal names themselves. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    closeSync(descriptor)
  }
}
