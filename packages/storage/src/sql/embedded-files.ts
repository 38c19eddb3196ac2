/**
 * PostgreSQL's own files, in `pg` of the embedded database's folder, and how they are synced.
 *
 * New ones are made in `pg.new` and renamed once they are whole and synced, so a crash while they are made leaves nothing to
 * repair. A process of its own makes them: it takes 550 MiB, most of which a process that lives on would keep.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { demandVersion, filesIn, hasEmbedded } from './embedded-place.ts'
import { endProcess } from './ending.ts'

/**
 * The files of a folder that nobody else uses, made where there are none.
 * @throws DatabaseUnfit for files that are incomplete or another version's: PGlite would make a new database in their place.
 */
export async function filesOf(folder: string): Promise<string> {
  const files = filesIn(folder)
  if (hasEmbedded(folder)) demandVersion(files)
  else await makeFiles(folder, files)
  return files
}

async function makeFiles(folder: string, files: string): Promise<void> {
  for (const entry of readdirSync(folder))
    if (entry.startsWith('pg.new'))
      rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 3 })
  // A process whose starter was killed may still be writing to an earlier one.
  const unfinished = mkdtempSync(`${files}.new-`)
  await makeIn(unfinished)
  for (const entry of readdirSync(unfinished, { recursive: true, encoding: 'utf8' }))
    syncPath(join(unfinished, entry))
  syncPath(unfinished)
  renameSync(unfinished, files)
  syncPath(folder)
}

/** @throws Error with what the process said when it failed. */
async function makeIn(folder: string): Promise<void> {
  const program = fileURLToPath(new URL('./embedded-files-making.ts', import.meta.url))
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`The database could not be made (${signal ?? code}).\n${said}`)
}

/** Permission bits of group and others. */
const othersBits = 0o077

/** What Emscripten's file system hands to `fsync`: an open file has a descriptor of ours, a folder has none. */
interface EmscriptenStream {
  node: object
  nfd?: number
}
type SetAttributes = (of: object, attributes: { mode?: number }) => void
/** The part of Emscripten's NODEFS that its types leave out. */
interface FileSystem {
  node_ops: { setattr: SetAttributes }
  stream_ops: { setattr: SetAttributes; fsync?: (stream: EmscriptenStream) => number }
  realPath(node: object): string
}
type Options = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts']
type Module = Parameters<NonNullable<Options['preRun']>[number]>[0]

/** The folder on disk, all of it its owner's alone. */
export class PrivateFolder extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const prepare = (module: Module) => this.prepare(module.NODEFS as unknown as FileSystem)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), prepare] } }
  }

  /** Emscripten sets the mode of every file it makes, 0666 mostly, and no umask applies to that. */
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

/** The same, with an `fsync` that syncs. */
export class SyncingFolder extends PrivateFolder {
  protected override prepare(files: FileSystem): void {
    super.prepare(files)
    files.stream_ops.fsync = (stream) => {
      try {
        if (typeof stream.nfd === 'number') fsyncSync(stream.nfd)
        else syncPath(files.realPath(stream.node))
        return 0
      } catch (error) {
        // After a failed sync nobody knows what is on disk, and syncing again tells nothing: PostgreSQL panics then, and reads its log at
        // the next start. In WebAssembly a panic would spin for ever, so the process ends here, before anything more is acknowledged.
        return endProcess('The disk failed to sync the database', error)
      }
    }
  }
}

/** Windows cannot open a folder to sync it; its file systems journal names themselves. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    closeSync(descriptor)
  }
}
