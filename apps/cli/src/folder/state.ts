/** Collection and base version of a working folder. */
import { type JsonObject, parseDigestLabel } from '@ulmus/content'
import type { CollectionName } from '../reference.ts'
import { CommandError } from '../terminal/failure.ts'
import { readInside, writeWhole } from './inside.ts'
import { paths } from './layout.ts'

/** The layout that this program reads and writes. */
export const folderFormat = 1

/** `.ulmus/folder.json` */
export interface FolderState {
  readonly format: typeof folderFormat
  /** The registry's address; null until one is known. */
  readonly host: string | null
  /** `owner/slug`; null until it is named. */
  readonly collection: string | null
  /** The id of the collection, once known: a path can come to name the collection of another owner. */
  readonly id?: string
}

/** `.ulmus/base/version.json`: the version that changes are against. */
export interface BaseVersion {
  readonly semver: string
  /** `private:…`: brought with all that members see. `public:…`: with what everybody sees. */
  readonly digest: string
  readonly metadata: JsonObject
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly files: readonly BaseFile[]
  readonly recordCount: number
}

export interface BaseFile {
  /** `sha256:<hex>` */
  readonly hash: string
  readonly size: number
  readonly contentType: string
}

export const isPublicView = (base: BaseVersion): boolean => parseDigestLabel(base.digest)?.view === 'public'

/** Undefined where there is no such file. */
function readJson(root: string, path: string): unknown {
  const bytes = readInside(root, path)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch (cause) {
    throw new CommandError(`${path} is damaged: it is not JSON. Clone the collection anew.`, { cause })
  }
}

/** @throws CommandError for a folder of a newer program */
export function readState(root: string): FolderState {
  const state = readJson(root, paths.state) as FolderState | undefined
  if (state?.format === folderFormat) return state
  throw new CommandError(
    `This folder has format ${JSON.stringify(state?.format)}, but this ulmus supports ${folderFormat}. Use a newer ulmus.`,
  )
}

export const writeState = (root: string, state: FolderState): void =>
  writeWhole(root, paths.state, jsonText(state))

/** Null before the first version. */
export const readBase = (root: string): BaseVersion | null =>
  (readJson(root, paths.baseVersion) as BaseVersion | undefined) ?? null

/** The collection of a folder. @throws CommandError for one that names none yet */
export function collectionOf({ host, collection }: FolderState): CollectionName {
  const [owner, slug] = collection?.split('/') ?? []
  if (owner && slug) return { host: host ?? undefined, owner, slug }
  throw new CommandError('This folder has no collection yet.', { next: ['ulmus init owner/slug'] })
}

/** JSON as it stands in files that people read. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
