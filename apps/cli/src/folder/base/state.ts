/**
 * State files of a working folder: its collection and its base version. They are formats on disk: a change that older programs cannot
 * read needs a new `folderFormat`.
 */
import { type JsonObject, parseDigestLabel, parseJson, parseSemver } from '@ulmus/content'
import { type CollectionName, isCollectionName, originOf } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { readInside, writeWhole } from '../files/inside.ts'
import { paths } from '../files/layout.ts'

/** Version of the folder layout that this program reads and writes. */
export const folderFormat = 1

/** `.ulmus/folder.json` */
export interface FolderState {
  readonly format: typeof folderFormat
  /** Address of the registry; null if unknown. */
  readonly host: string | null
  /** `owner/slug`; null if unknown. */
  readonly collection: string | null
  /** Id of the collection, once known: its path may later belong to another collection. */
  readonly id?: string
}

/** `.ulmus/base/version.json`: the version that the folder's changes refer to. */
export interface BaseVersion {
  readonly semver: string
  /** `private:…`: the view of members. `public:…`: the public view. */
  readonly digest: string
  readonly metadata: JsonObject
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly files: readonly BaseFile[]
  readonly recordCount: number
}

/** A file of the base version. The folder may lack it. */
export interface BaseFile {
  /** `sha256:<hex>` */
  readonly hash: string
  readonly size: number
  readonly contentType: string
}

/** True if the folder contains no private data, because it was downloaded as the public view. */
export const isPublicView = (base: BaseVersion): boolean => parseDigestLabel(base.digest)?.view === 'public'

/** Undefined if there is no such file. */
function readJson(root: string, path: string): unknown {
  const bytes = readInside(root, path)
  if (bytes === undefined) return undefined
  try {
    return parseJson(bytes.toString())
  } catch (cause) {
    throw new CommandError(`${path} is damaged: it is not JSON. Clone the collection again.`, { cause })
  }
}

/** @throws CommandError for a folder of a newer program, or with an invalid collection or registry address */
export function readState(root: string): FolderState {
  const state = readJson(root, paths.state) as FolderState | undefined
  if (state?.format === folderFormat) return checkedState(state)
  throw new CommandError(
    `This folder has format ${JSON.stringify(state?.format)}, but this ulmus supports ${folderFormat}. Use a newer ulmus.`,
  )
}

/** The folder may come from an untrusted source, and its names become parts of proposed commands. */
function checkedState(state: FolderState): FolderState {
  const { host, collection } = state
  if (host !== null && (typeof host !== 'string' || originOf(host) === undefined))
    throw untrusted(`names ${JSON.stringify(host)}, which is not the address of a registry`)
  if (collection !== null && (typeof collection !== 'string' || !isCollectionName(collection)))
    throw untrusted(`names ${JSON.stringify(collection)}, which is not a collection`)
  return state
}

const untrusted = (fault: string): CommandError =>
  new CommandError(
    `${paths.state} ${fault}. Clone the collection again, and do not trust this folder if you do not know how that got there.`,
    { exitCode: exitCodes.refused, code: 'unsafe_folder' },
  )

/** Writes `.ulmus/folder.json` atomically. */
export const writeState = (root: string, state: FolderState): void =>
  writeWhole(root, paths.state, jsonText(state))

/** Null before the first version. @throws CommandError if the file does not describe a version */
export function readBase(root: string): BaseVersion | null {
  const base = readJson(root, paths.baseVersion)
  if (base === undefined) return null
  if (isBaseVersion(base)) return base
  throw new CommandError(
    `${paths.baseVersion} is damaged: it describes no version. Clone the collection again, and copy what you changed into the new folder.`,
  )
}

function isBaseVersion(value: unknown): value is BaseVersion {
  if (!isObject(value)) return false
  const { semver, digest, metadata, schemas, files, recordCount } = value
  return (
    typeof semver === 'string' &&
    parseSemver(semver) !== undefined &&
    typeof digest === 'string' &&
    parseDigestLabel(digest) !== undefined &&
    isObject(metadata) &&
    isObject(schemas) &&
    Object.values(schemas).every(isObject) &&
    Array.isArray(files) &&
    files.every(isBaseFile) &&
    Number.isSafeInteger(recordCount)
  )
}

const isBaseFile = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['hash'] === 'string' &&
  typeof value['contentType'] === 'string' &&
  Number.isSafeInteger(value['size'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Collection of a folder. @throws CommandError if the folder has none yet */
export function collectionOf({ host, collection }: FolderState): CollectionName {
  const [owner, slug] = collection?.split('/') ?? []
  if (owner && slug) return { host: host ?? undefined, owner, slug }
  throw new CommandError('This folder has no collection yet.', { next: ['ulmus init owner/slug'] })
}

/** JSON for files that people read. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
