/** Differences of a working folder from its base version. */
import { compareUtf8, type JsonObject, type Schema } from '@ulmus/content'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import type { BaseVersion } from '../base/state.ts'
import {
  isSameJson,
  metadataPatch,
  readFiles,
  readMetadata,
  readSchemas,
  type StoredFile,
} from '../files/content.ts'
import { type FileIndex, statFile } from '../files/file-index.ts'
import { recordFiles, recordsPath, schemaPath, type TypeFiles } from '../files/layout.ts'
import { type RecordChange, recordChanges } from './record-changes.ts'

/** Current content of a folder, except its records. */
export interface Folder {
  readonly root: string
  readonly base: BaseVersion | null
  readonly index: FileIndex
  readonly schemas: ReadonlyMap<string, Schema>
  readonly metadata: JsonObject
  readonly records: TypeFiles
  readonly files: readonly StoredFile[]
}

/** `before` absent: the type is new. `after` absent: it was removed. */
export interface SchemaChange {
  readonly type: string
  readonly before?: JsonObject
  readonly after?: JsonObject
}

/** All changes except those of records. */
export interface FolderChanges {
  readonly schemas: readonly SchemaChange[]
  /** Changed members by name; null: removed. */
  readonly metadata: JsonObject
  /** Files that the base lacks. */
  readonly addedFiles: readonly StoredFile[]
  /** Files of the base that are not under `files/`. */
  readonly missingFiles: readonly string[]
}

/** Numbers of changed records of a type. */
export interface Counts {
  readonly added: number
  readonly updated: number
  readonly removed: number
}

/** @throws CommandError for an invalid file, and for records whose type has no schema */
export async function readFolder(root: string, base: BaseVersion | null, index: FileIndex): Promise<Folder> {
  const schemas = readSchemas(root, base?.schemas)
  const records = recordFiles(root)
  const lost = [...records.keys()].find((type) => !schemas.has(type))
  if (lost !== undefined)
    throw new CommandError(
      `${recordsPath(lost)} has records of the type ${JSON.stringify(lost)}, which has no schema. Write ${schemaPath(lost)} ({} accepts everything).`,
      { exitCode: exitCodes.refused, code: 'unknown_type' },
    )
  const files = await readFiles(root, index)
  return { root, base, index, schemas, metadata: readMetadata(root), records, files }
}

/** Compares everything except records with the base. Reads no files. */
export function changesOf({ base, schemas, metadata, files }: Folder): FolderChanges {
  const baseFiles = new Set(base?.files.map(({ hash }) => hash))
  const here = new Set(files.map(({ hash }) => hash))
  return {
    schemas: schemaChangesOf(base?.schemas ?? {}, schemas),
    metadata: metadataPatch(base?.metadata ?? {}, metadata),
    addedFiles: files.filter(({ hash }) => !baseFiles.has(hash)),
    missingFiles: [...baseFiles].filter((hash) => !here.has(hash)),
  }
}

function schemaChangesOf(
  before: Readonly<Record<string, JsonObject>>,
  after: ReadonlyMap<string, Schema>,
): SchemaChange[] {
  const types = [...new Set([...Object.keys(before), ...after.keys()])].sort(compareUtf8)
  return types.flatMap((type) => {
    const old = Object.hasOwn(before, type) ? before[type] : undefined
    const now = after.get(type)?.source as JsonObject | undefined
    return isSameJson(old, now) ? [] : [{ type, before: old, after: now }]
  })
}

/**
 * All records that differ from the base's, by type and id. Skips types whose files are known to be unchanged; remembers types that it finds
 * unchanged. @throws CommandError for an invalid record line
 */
export async function* folderRecordChanges(folder: Folder): AsyncGenerator<RecordChange, void, undefined> {
  const { root, base, index, records } = folder
  const types = new Set([...Object.keys(base?.schemas ?? {}), ...records.keys()])
  for (const type of [...types].sort(compareUtf8)) {
    const files = records.get(type) ?? []
    const stats = files.map((path) => statFile(root, path))
    if (stats.length > 0 && index.isUnchanged(type, stats)) continue
    let isUnchanged = true
    for await (const change of recordChanges(root, type, files)) {
      isUnchanged = false
      yield change
    }
    if (isUnchanged) index.rememberUnchanged(type, stats)
  }
}

/** True if anything except records differs. */
export const isChanged = (changes: FolderChanges): boolean =>
  changes.schemas.length > 0 || changes.addedFiles.length > 0 || Object.keys(changes.metadata).length > 0
