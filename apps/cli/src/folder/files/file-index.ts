/**
 * `.ulmus/index.json`: index of files by size, time and inode, so that unchanged files are not read again. A file that changed within the
 * clock's resolution of the check is not trusted (Git calls such entries "racy").
 */
import { parseJson } from '@ulmus/content'
import { CommandError } from '../../terminal/failure.ts'
import { fileAt, readInside, writeWhole } from './inside.ts'
import { paths } from './layout.ts'

/** Facts about a file that are available without reading it. */
interface Appearance {
  readonly size: number
  /** Milliseconds, with fractions if the file system has them. */
  readonly modified: number
  readonly inode: number
}

/** Facts about a file, with the time of the check. Taken before the file is read, so that a concurrent change is detected later. */
export interface FileStat extends Appearance {
  readonly path: string
  readonly at: number
}

/** Format on disk. It has no version, because an unreadable index is ignored. */
interface Stored {
  /** By type: all its files, if they match the base. */
  readonly records: Record<string, (Appearance & { readonly path: string })[]>
  /** By path of a file under `files/`. */
  readonly hashes: Record<string, Appearance & { readonly hash: string }>
}

/** A second change within this time may leave the file's time unchanged. Milliseconds. */
const fineGrainMs = 20
/** Same, on file systems with a resolution of one or two seconds. Milliseconds. */
const coarseGrainMs = 2_000

const isCoarse = ({ modified }: Appearance): boolean => modified % 1_000 === 0
/** True if a later change would also change the time of the file. */
const isSettled = (stat: FileStat): boolean =>
  stat.at - stat.modified >= (isCoarse(stat) ? coarseGrainMs : fineGrainMs)

const isSame = (a: Appearance, b: Appearance): boolean =>
  a.size === b.size && a.modified === b.modified && a.inode === b.inode

/** Call it before reading the file. @throws CommandError if the file does not exist */
export function statFile(root: string, path: string): FileStat {
  const stats = fileAt(root, path)
  if (stats === undefined) throw new CommandError(`${path} no longer exists.`)
  const { size, mtimeMs, ino } = stats
  return { path, size, modified: mtimeMs, inode: ino, at: Date.now() }
}

/** Caches facts about files. Without it a command only takes longer. */
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

  /** Ignores a damaged index: all files are then read again. */
  static read(root: string): FileIndex {
    try {
      return new FileIndex(root, parseJson(String(readInside(root, paths.index))) as Stored)
    } catch {
      return new FileIndex(root, { records: {}, hashes: {} })
    }
  }

  /** True if all files of a type are known to match the base. */
  isUnchanged(type: string, stats: readonly FileStat[]): boolean {
    const known = this.#records.get(type)
    return (
      known !== undefined &&
      known.length === stats.length &&
      known.every((entry, index) => entry.path === stats[index]!.path && isSame(entry, stats[index]!))
    )
  }

  /** Records that files match the base. @param stats taken before the comparison */
  rememberUnchanged(type: string, stats: readonly FileStat[]): void {
    if (stats.every(isSettled)) this.#keep(type, stats)
  }

  /** Same, for files that this program staged: their age does not matter, but the disk must store fractions of seconds. */
  rememberWritten(type: string, stats: readonly FileStat[]): void {
    if (!stats.some(isCoarse)) this.#keep(type, stats)
  }

  #keep(type: string, stats: readonly FileStat[]): void {
    const entries = stats.map(({ path, size, modified, inode }) => ({ path, size, modified, inode }))
    this.#records.set(type, entries)
    this.#isChanged = true
  }

  /** Invalidates the index of a type. */
  forgetRecords(type: string): void {
    this.#isChanged = this.#records.delete(type) || this.#isChanged
  }

  /** Hash of a file; undefined if the file must be read. */
  hashOf(stat: FileStat): string | undefined {
    const known = this.#hashes.get(stat.path)
    return known !== undefined && isSame(known, stat) ? known.hash : undefined
  }

  rememberHash(stat: FileStat, hash: string): void {
    if (!isSettled(stat)) return
    const { size, modified, inode } = stat
    this.#hashes.set(stat.path, { size, modified, inode, hash })
    this.#isChanged = true
  }

  save(): void {
    if (!this.#isChanged) return
    const stored = { records: Object.fromEntries(this.#records), hashes: Object.fromEntries(this.#hashes) }
    writeWhole(this.#root, paths.index, JSON.stringify(stored))
    this.#isChanged = false
  }
}
