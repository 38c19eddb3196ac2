/**
 * PostgreSQL's own files, in `pg` of the embedded database's folder, and how they are synced.
 *
 * New ones are made in `pg.new` and renamed once they are whole and synced, so a crash while they are made leaves nothing to
 * repair. A process of its own makes them: it takes 550 MiB, most of which a process that lives on would keep.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { endProcess } from './ending.ts'

/** The files of a folder that nobody else uses, made where there are none. */
export async function filesOf(folder: string): Promise<string> {
  const files = join(folder, 'pg')
  if (!existsSync(files)) await makeFiles(folder, files)
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

/** What Emscripten's file system hands to `fsync`: an open file has a descriptor of ours, a folder has none. */
interface EmscriptenStream {
  node: object
  nfd?: number
}
/** The part of Emscripten's NODEFS that its types leave out. */
interface SyncableFileSystem {
  stream_ops: { fsync?: (stream: EmscriptenStream) => number }
  realPath(node: object): string
}

/** The folder on disk, with an `fsync` that syncs. */
export class SyncingFolder extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const preRun = [...(emscriptenOpts.preRun ?? [])]
    preRun.push((module) => {
      const files = module.NODEFS as unknown as SyncableFileSystem
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
    })
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
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
