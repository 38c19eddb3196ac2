/**
 * The only access to files of a working folder; a test enforces this. A folder may come from an untrusted source: a symbolic link in it
 * could read or write elsewhere, and a FIFO would block for ever. So each parent must be a folder and each file a regular one. Paths are
 * from the root, with `/`. There is no protection against a concurrent change of the folder by another process.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openAsBlob,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { join, sep } from 'node:path'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'

/** Windows has neither flag; there only `lstat` checks. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as { O_NOFOLLOW?: number; O_NONBLOCK?: number }

function unsafe(path: string, stats: Stats): CommandError {
  const facts = { exitCode: exitCodes.refused, code: 'unsafe_path' } as const
  if (stats.isDirectory()) return new CommandError(`${path} is a folder, but must be a file.`, facts)
  if (stats.isFile()) return new CommandError(`${path} is a file, but must be a folder.`, facts)
  const kind = stats.isSymbolicLink()
    ? 'a symbolic link'
    : stats.isFIFO()
      ? 'a named pipe'
      : 'a device or a socket'
  return new CommandError(
    `${path} is ${kind}, which ulmus does not follow. Replace it with a regular file, or remove it. If you did not create it, do not trust the folder.`,
    facts,
  )
}

const statsOf = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false })

/** Absolute path. @throws CommandError if a parent is not a folder, or the path leaves the root */
function reach(root: string, path: string, makesParents = false): string {
  const names = path.split('/')
  if (names.some((name) => ['', '.', '..'].includes(name) || name.includes(sep)))
    throw new CommandError(`${JSON.stringify(path)} is not a path inside a working folder.`, {
      code: 'unsafe_path',
    })
  for (let count = 1; count < names.length; count++) {
    const prefix = names.slice(0, count).join('/')
    const folder = join(root, prefix)
    const stats = statsOf(folder)
    if (stats === undefined && makesParents) mkdirSync(folder, { recursive: true })
    else if (stats !== undefined && !stats.isDirectory()) throw unsafe(prefix, stats)
  }
  return join(root, ...names)
}

/** A regular file; undefined if nothing exists at the path. */
export function fileAt(root: string, path: string): Stats | undefined {
  const stats = statsOf(reach(root, path))
  if (stats !== undefined && !stats.isFile()) throw unsafe(path, stats)
  return stats
}

/** User id of a path's owner; for a link, of the link itself. */
export const ownerOf = (root: string, path: string): number | undefined => statsOf(reach(root, path))?.uid

/** Absolute path of a regular file, for libraries that open files themselves. */
export function regularFile(root: string, path: string): string {
  const file = reach(root, path)
  if (fileAt(root, path) === undefined) throw new CommandError(`${path} no longer exists.`)
  return file
}

/** Descriptor for reading; undefined if there is no such file. */
export function openInside(root: string, path: string): number | undefined {
  if (fileAt(root, path) === undefined) return undefined
  const descriptor = openedIfThere(reach(root, path))
  if (descriptor === undefined) return undefined
  const stats = fstatSync(descriptor)
  if (stats.isFile()) return descriptor
  closeSync(descriptor)
  throw unsafe(path, stats)
}

/** Another command may have removed the file, for example a lock. */
function openedIfThere(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Content of a small file; undefined if there is none. */
export function readInside(root: string, path: string): Buffer | undefined {
  const descriptor = openInside(root, path)
  if (descriptor === undefined) return undefined
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Streams the bytes of a file. */
export function streamInside(root: string, path: string): AsyncIterable<Buffer> {
  const fd = openInside(root, path)
  if (fd === undefined) throw new CommandError(`${path} no longer exists.`)
  return createReadStream('', { fd })
}

/** A file as a request body. It is read while it is sent. */
export const blobInside = (root: string, path: string, type: string): Promise<Blob> =>
  openAsBlob(regularFile(root, path), { type })

/** Descriptor of a new file; replaces an existing one. Creates its parents. */
export function createInside(root: string, path: string): number {
  const file = reach(root, path, true)
  rmSync(file, { force: true })
  return openSync(file, 'wx')
}

/** Replaces an existing file, not atomically: see `writeWhole`. */
export function writeInside(root: string, path: string, content: string | Uint8Array): void {
  const descriptor = createInside(root, path)
  try {
    writeFileSync(descriptor, content)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a new file. @throws EEXIST */
export const createNew = (root: string, path: string, content: string): void =>
  writeFileSync(reach(root, path), content, { flag: 'wx' })

/** Writes a small file atomically. */
export function writeWhole(root: string, path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}.draft`
  writeInside(root, draft, content)
  moveInside(root, draft, path)
}

/** Copies a file from any path. Shares its blocks if the file system can. */
export function copyInto(root: string, path: string, source: string): void {
  const target = reach(root, path, true)
  rmSync(target, { force: true })
  copyFileSync(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}

/** Moves a file and replaces the target. A link is replaced itself, not its target. */
export function moveInside(root: string, from: string, to: string): void {
  renameSync(regularFile(root, from), reach(root, to, true))
}

/** `link(2)`. @throws EEXIST */
export const linkInside = (root: string, from: string, to: string): void =>
  linkSync(reach(root, from), reach(root, to))

export function makeFolder(root: string, path: string): void {
  const folder = reach(root, path, true)
  const stats = statsOf(folder)
  if (stats === undefined) mkdirSync(folder, { recursive: true })
  else if (!stats.isDirectory()) throw unsafe(path, stats)
}

/** True if the disk is case-insensitive, so that `.ulmus` is also reachable by other names. */
export const foldsCase = (root: string): boolean => statsOf(join(root, '.ULMUS')) !== undefined

/** Removes a file; of a link, the link itself. */
export const removeFile = (root: string, path: string): void => rmSync(reach(root, path), { force: true })

export const removeFolder = (root: string, path: string): void =>
  rmSync(reach(root, path), { recursive: true, force: true })

/** Names in a folder, unsorted, without hidden ones, and whether each is a folder. Empty if the folder does not exist. */
export function namesIn(root: string, path: string): { name: string; isFolder: boolean }[] {
  const folder = reach(root, path)
  const stats = statsOf(folder)
  if (stats === undefined) return []
  if (!stats.isDirectory()) throw unsafe(path, stats)
  const entries = readdirSync(folder).filter((name) => !name.startsWith('.'))
  return entries.map((name) => {
    const found = lstatSync(join(folder, name))
    if (!found.isDirectory() && !found.isFile()) throw unsafe(`${path}/${name}`, found)
    return { name, isFolder: found.isDirectory() }
  })
}
