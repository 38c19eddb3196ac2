/** Paths in a working folder, a format on disk: the user's files at the top, program state in `.ulmus`. */
import { dirname, join, relative, sep } from 'node:path'
import { compareUtf8, typeFault } from '@ulmus/content'
import { CommandError } from '../../terminal/failure.ts'
import { fileAt, namesIn, ownerOf } from './inside.ts'

export const dotFolder = '.ulmus'

/** Paths from the root, with `/`. A path that commands stage must also match `own` in replace.ts. */
export const paths = {
  readme: 'README.md',
  metadata: 'metadata.json',
  schemas: 'schemas',
  records: 'records',
  files: 'files',
  /** State of the folder: `FolderState`. */
  state: `${dotFolder}/folder.json`,
  /** The downloaded base version: `BaseVersion`, and its records as `records/<Type>.ndjson`. */
  base: `${dotFolder}/base`,
  baseVersion: `${dotFolder}/base/version.json`,
  baseRecords: `${dotFolder}/base/records`,
  /** Files known to match the base: `FileIndex`. */
  index: `${dotFolder}/index.json`,
  /** Moves that may be unfinished: `Replacement`. */
  replacement: `${dotFolder}/replacement.json`,
  /** Temporary files of a command. Useless after its end, except those that `replacement` names. */
  staged: `${dotFolder}/staged`,
  /** An unfinished push: `PushState` and its lines. */
  push: `${dotFolder}/push`,
  lock: `${dotFolder}/lock`,
} as const

/** Characters reserved by Windows, and our own escape character. */
const reserved = /[%:*?"<>|]|[. ]$/g
/** Device names of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

const escapeOf = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/**
 * File name of a type. Valid types contain no slash, backslash or control character, and do not begin with a full stop. A hostile registry
 * could send an invalid type that leads out of the folder. @throws CommandError
 */
export function fileNameOf(type: string): string {
  const fault = typeFault(type)
  if (fault !== undefined)
    throw new CommandError(`${JSON.stringify(type)} is not a valid type name. ${fault}`)
  const name = type.replace(reserved, escapeOf)
  return deviceName.test(name) ? `${escapeOf(name[0]!)}${name.slice(1)}` : name
}

/**
 * On case-insensitive disks, types that differ only in case would share their files.
 * @throws CommandError for two such types, before anything is written
 */
export function demandSeparateFiles(types: Iterable<string>, foldsCase: boolean): void {
  const known = new Map<string, string>()
  for (const type of types) {
    const like = known.get(type.toLowerCase())
    if (like !== undefined && foldsCase)
      throw new CommandError(
        `The types ${JSON.stringify(like)} and ${JSON.stringify(type)} differ only in case, and this file system ignores case. Use another disk, or read them with \`ulmus get\`.`,
      )
    known.set(type.toLowerCase(), type)
  }
}

/** Type of a file name without its extension. */
export const typeOfFileName = (name: string): string =>
  name.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

export const schemaPath = (type: string): string => `${paths.schemas}/${fileNameOf(type)}.json`
export const recordsPath = (type: string): string => `${paths.records}/${fileNameOf(type)}.ndjson`
export const baseRecordsPath = (type: string): string => `${paths.baseRecords}/${fileNameOf(type)}.ndjson`

/** Nearest folder, from `cwd` upwards, that is a working folder of this user. */
export function findRoot(cwd: string): string | undefined {
  for (const folder of upwards(cwd))
    if (!isForeign(folder) && fileAt(folder, paths.state) !== undefined) return folder
  return undefined
}

function* upwards(cwd: string): Generator<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    yield folder
    if (dirname(folder) === folder) return
  }
}

/**
 * True if `.ulmus` belongs to another user: any user can create one in /tmp, and commands below would follow it. Root may use folders of
 * other users, for example in containers. Windows has no such owners.
 */
function isForeign(folder: string): boolean {
  const user = process.getuid?.()
  if (user === undefined || user === 0) return false
  const owner = ownerOf(folder, dotFolder)
  return owner !== undefined && owner !== user
}

/** @throws CommandError outside of working folders */
export function rootAt(cwd: string): string {
  const root = findRoot(cwd)
  if (root === undefined) {
    const foreign = [...upwards(cwd)].find(isForeign)
    const why =
      foreign === undefined
        ? ''
        : ` ${join(foreign, dotFolder)} belongs to another user, so ulmus does not use it.`
    throw new CommandError(`${cwd} is not in a working folder.${why}`, {
      code: 'no_folder',
      next: ['ulmus init owner/slug', 'ulmus clone owner/slug'],
    })
  }
  return root
}

/** Types by name, in the order of their UTF-8 bytes, with the paths of their files. */
export type TypeFiles = ReadonlyMap<string, readonly string[]>

/** @throws CommandError if a type has both a file and a folder of files */
export function recordFiles(root: string): TypeFiles {
  const found: [string, string[]][] = []
  for (const { name, isFolder } of entriesIn(root, paths.records)) {
    const path = `${paths.records}/${name}`
    // Check for a folder first: a type may be named `a.ndjson` and have a folder.
    if (isFolder) {
      const inside = entriesIn(root, path).filter((one) => one.name.endsWith('.ndjson'))
      found.push([typeOfFileName(name), inside.map((one) => `${path}/${one.name}`)])
    } else if (name.endsWith('.ndjson')) {
      found.push([typeOfFileName(name.slice(0, -'.ndjson'.length)), [path]])
    }
  }
  const types = new Map<string, string[]>()
  for (const [type, files] of found.sort(([a], [b]) => compareUtf8(a, b))) {
    if (types.has(type))
      throw new CommandError(
        `The records of ${type} are both in ${recordsPath(type)} and in a folder of that name. Keep one of them.`,
      )
    types.set(type, files)
  }
  return types
}

/** Paths of schemas by type, in the order of UTF-8 bytes. */
export function schemaFiles(root: string): ReadonlyMap<string, string> {
  const files = entriesIn(root, paths.schemas).filter(({ name }) => name.endsWith('.json'))
  const named = files.map(({ name }): [string, string] => [
    typeOfFileName(name.slice(0, -'.json'.length)),
    `${paths.schemas}/${name}`,
  ])
  return new Map(named.sort(([a], [b]) => compareUtf8(a, b)))
}

/** All files under `files/`, at any depth, as paths from the root. */
export function storedFiles(root: string, folder: string = paths.files): string[] {
  return entriesIn(root, folder).flatMap(({ name, isFolder }) => {
    const path = `${folder}/${name}`
    return isFolder ? storedFiles(root, path) : [path]
  })
}

/** Entries in the order of their UTF-8 bytes. */
const entriesIn = (root: string, folder: string): { name: string; isFolder: boolean }[] =>
  namesIn(root, folder).sort((a, b) => compareUtf8(a.name, b.name))

/** A path from the root, relative to `cwd`. */
export const pathSeenFrom = (cwd: string, root: string, path: string): string =>
  relative(cwd, join(root, path)).split(sep).join('/')
