/**
 * `.ulmus/index.json`: what is known of files by their size, time and inode, so that no unchanged file is read twice. A file that was
 * changed within the clock's grain of being looked at is not taken for known (as in Git, where such entries are "racy").
 */
import { CommandError } from '../../terminal/failure.ts'
import { fileAt, readInside, writeWhole } from './inside.ts'
import { paths } from './layout.ts'

/** Facts of a file that are known without reading it. */
interface Appearance {
  readonly size: number
  /** Milliseconds, with what the file system knows of smaller parts. */
  readonly modified: number
  readonly inode: number
}

/** Look of a file, and its time: taken before the file is read, so that a change meanwhile is noticed later. */
export interface Look extends Appearance {
  readonly path: string
  readonly at: number
}

interface Stored {
  /** By type: all its files, if they hold what the base holds. */
  readonly records: Record<string, (Appearance & { readonly path: string })[]>
  /** By path of a file under `files/`. */
  readonly hashes: Record<string, Appearance & { readonly hash: string }>
}

/** A second change this soon after a first one may leave the file's time as it is. Milliseconds. */
const fineGrainMs = 20
/** As above, on file systems that keep whole seconds, or even ones. */
const coarseGrainMs = 2_000

const isCoarse = ({ modified }: Appearance): boolean => modified % 1_000 === 0
const isSettled = (look: Look): boolean =>
  look.at - look.modified >= (isCoarse(look) ? coarseGrainMs : fineGrainMs)

const isSame = (a: Appearance, b: Appearance): boolean =>
  a.size === b.size && a.modified === b.modified && a.inode === b.inode

export function lookAt(root: string, path: string): Look {
  const stats = fileAt(root, path)
  if (stats === undefined) throw new CommandError(`${path} no longer exists.`)
  const { size, mtimeMs, ino } = stats
  return { path, size, modified: mtimeMs, inode: ino, at: Date.now() }
}

export class FileIndex {
  readonly #root: string
  readonly #records: Map<string, readonly (Appearance & { readonly path: string })[]>
  readonly #hashes: Map<string, Appearance & { readonly hash: string }>
  #isChanged = false

  private constructor(root: string, stored: Stored) {
    this.#root = root
    this.#records = new Map(Object.entries(stored.records))
    this.#hashes = new Map(Object.entries(stored.hashes))
  }

  /** A damaged index is as good as none: everything is read once more. */
  static read(root: string): FileIndex {
    try {
      return new FileIndex(root, JSON.parse(String(readInside(root, paths.index))) as Stored)
    } catch {
      return new FileIndex(root, { records: {}, hashes: {} })
    }
  }

  /** True if the files of a type, all of them, are known to hold what the base holds. */
  isUnchanged(type: string, looks: readonly Look[]): boolean {
    const known = this.#records.get(type)
    return (
      known !== undefined &&
      known.length === looks.length &&
      known.every((entry, index) => entry.path === looks[index]!.path && isSame(entry, looks[index]!))
    )
  }

  /** Remembers that files hold what the base holds. @param looks taken before they were compared */
  rememberUnchanged(type: string, looks: readonly Look[]): void {
    if (looks.every(isSettled)) this.#keep(type, looks)
  }

  /** As above, for files that this program staged itself. */
  rememberWritten(type: string, looks: readonly Look[]): void {
    if (!looks.some(isCoarse)) this.#keep(type, looks)
  }

  #keep(type: string, looks: readonly Look[]): void {
    const entries = looks.map(({ path, size, modified, inode }) => ({ path, size, modified, inode }))
    this.#records.set(type, entries)
    this.#isChanged = true
  }

  /** Invalidates the index of a type. */
  forgetRecords(type: string): void {
    this.#isChanged = this.#records.delete(type) || this.#isChanged
  }

  /** The hash of a file; undefined when it must be read. */
  hashOf(look: Look): string | undefined {
    const known = this.#hashes.get(look.path)
    return known !== undefined && isSame(known, look) ? known.hash : undefined
  }

  rememberHash(look: Look, hash: string): void {
    if (!isSettled(look)) return
    const { size, modified, inode } = look
    this.#hashes.set(look.path, { size, modified, inode, hash })
    this.#isChanged = true
  }

  save(): void {
    if (!this.#isChanged) return
    const stored = { records: Object.fromEntries(this.#records), hashes: Object.fromEntries(this.#hashes) }
    writeWhole(this.#root, paths.index, JSON.stringify(stored))
    this.#isChanged = false
  }
}
