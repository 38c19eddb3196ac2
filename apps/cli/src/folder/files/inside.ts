/**
 * The only door to the files of a working folder (a test holds it). A folder comes from strangers too: a symbolic link in it would read
 * or write elsewhere, a FIFO would never end. So each parent must be a folder and each file a regular one. Paths are from the root,
 * with `/`. Nothing here guards against another process that changes the folder in the same instant.
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

/** Windows has neither: `lstat` alone decides there. */
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

/** The absolute path. @throws CommandError for a parent that is no folder, and for a path out of the root */
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

/** A regular file, or undefined where there is nothing. */
export function fileAt(root: string, path: string): Stats | undefined {
  const stats = statsOf(reach(root, path))
  if (stats !== undefined && !stats.isFile()) throw unsafe(path, stats)
  return stats
}

/** User id of the owner of a path; of a link, not of its target. */
export const ownerOf = (root: string, path: string): number | undefined => statsOf(reach(root, path))?.uid

/** The absolute path of a regular file, for what opens files itself. */
export function regularFile(root: string, path: string): string {
  const file = reach(root, path)
  if (fileAt(root, path) === undefined) throw new CommandError(`${path} no longer exists.`)
  return file
}

/** A descriptor to read from; undefined where there is no such file. */
export function openInside(root: string, path: string): number | undefined {
  if (fileAt(root, path) === undefined) return undefined
  const descriptor = openedIfThere(reach(root, path))
  if (descriptor === undefined) return undefined
  const stats = fstatSync(descriptor)
  if (stats.isFile()) return descriptor
  closeSync(descriptor)
  throw unsafe(path, stats)
}

/** Another command may have removed it meanwhile, a lock for instance. */
function openedIfThere(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The whole of a small file; undefined where there is none. */
export function readInside(root: string, path: string): Buffer | undefined {
  const descriptor = openInside(root, path)
  if (descriptor === undefined) return undefined
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes of a file, piece by piece. */
export function streamInside(root: string, path: string): AsyncIterable<Buffer> {
  const fd = openInside(root, path)
  if (fd === undefined) throw new CommandError(`${path} no longer exists.`)
  return createReadStream('', { fd })
}

/** A file to send. It is read when it is sent. */
export const blobInside = (root: string, path: string, type: string): Promise<Blob> =>
  openAsBlob(regularFile(root, path), { type })

/** A descriptor of a new file, in the place of one that is there. Its parents are made. */
export function createInside(root: string, path: string): number {
  const file = reach(root, path, true)
  rmSync(file, { force: true })
  return openSync(file, 'wx')
}

export function writeInside(root: string, path: string, content: string | Uint8Array): void {
  const descriptor = createInside(root, path)
  try {
    writeFileSync(descriptor, content)
  } finally {
    closeSync(descriptor)
  }
}

/** A file that is not there yet. @throws EEXIST */
export const createNew = (root: string, path: string, content: string): void =>
  writeFileSync(reach(root, path), content, { flag: 'wx' })

/** Writes a small file whole or not at all. */
export function writeWhole(root: string, path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}.draft`
  writeInside(root, draft, content)
  moveInside(root, draft, path)
}

/** A copy of a file from anywhere, which shares its blocks where the file system can. */
export function copyInto(root: string, path: string, source: string): void {
  const target = reach(root, path, true)
  rmSync(target, { force: true })
  copyFileSync(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}

/** Replaces what is at `to`, a link itself and not what it leads to. */
export function moveInside(root: string, from: string, to: string): void {
  renameSync(regularFile(root, from), reach(root, to, true))
}

/** As `link(2)`. @throws EEXIST */
export const linkInside = (root: string, from: string, to: string): void =>
  linkSync(reach(root, from), reach(root, to))

export function makeFolder(root: string, path: string): void {
  const folder = reach(root, path, true)
  const stats = statsOf(folder)
  if (stats === undefined) mkdirSync(folder, { recursive: true })
  else if (!stats.isDirectory()) throw unsafe(path, stats)
}

/** True if the disk takes `a` and `A` for one name: the folder `.ulmus` then answers to another name as well. */
export const foldsCase = (root: string): boolean => statsOf(join(root, '.ULMUS')) !== undefined

/** Removes a file, or a link and not what it leads to. */
export const removeFile = (root: string, path: string): void => rmSync(reach(root, path), { force: true })

export const removeFolder = (root: string, path: string): void =>
  rmSync(reach(root, path), { recursive: true, force: true })

/** Names in a folder and whether each is a folder itself, unsorted, without hidden ones; none where there is no folder. */
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
