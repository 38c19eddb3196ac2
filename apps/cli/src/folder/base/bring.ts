/** Downloads a version into a working folder: verifies it against its digest, then moves all files into place together. */
import { compareUtf8, type JsonObject } from '@ulmus/content'
import { FileIndex } from '../files/file-index.ts'
import { nameOfFile } from '../files/file-names.ts'
import { foldsCase } from '../files/inside.ts'
import { baseRecordsPath, demandSeparateFiles, paths, recordsPath, schemaPath } from '../files/layout.ts'
import { LineWriter } from '../files/lines.ts'
import { lineOf } from '../files/record-line.ts'
import { Staging } from '../files/staging.ts'
import { fetchFile } from './fetch-file.ts'
import { type BaseVersion, type FolderState, jsonText } from './state.ts'
import { readVerified, type VersionHead, type VersionSource } from './verified-version.ts'

export interface Bringing {
  readonly root: string
  readonly state: FolderState
  readonly source: VersionSource
  readonly head: VersionHead
  /** Folder of the file cache. */
  readonly cache: string
  readonly onProgress: (progress: { records: number; files: number }) => void
}

/** Fills an empty folder with a version. Moves nothing into place before the whole version is verified. */
export async function bringVersion(bringing: Bringing): Promise<void> {
  const { root, state, source, head, cache, onProgress } = bringing
  const staging = new Staging(root)
  const index = FileIndex.read(root)
  demandSeparateFiles(Object.keys(head.version.schemas), foldsCase(root))
  const types = await stageRecords(staging, source, head, (records) => onProgress({ records, files: 0 }))
  for (const type of types) {
    staging.copy(baseRecordsPath(type), recordsPath(type))
    index.rememberWritten(type, [staging.stat(recordsPath(type))])
  }
  let files = 0
  for (const file of head.files) {
    const path = staging.file(`${paths.files}/${nameOfFile(file)}`)
    await fetchFile(source, file, { root, path }, cache)
    onProgress({ records: head.version.recordCount, files: ++files })
  }
  const base = baseOf(head)
  stageSchemas(staging, base.schemas)
  stageMetadata(staging, base.metadata)
  staging.text(paths.baseVersion, jsonText(base))
  staging.text(paths.state, jsonText(state))
  index.save()
  staging.commit()
}

/** Content of `.ulmus/base/version.json` for a downloaded version. */
export const baseOf = ({ version, files }: VersionHead): BaseVersion => ({
  semver: version.semver,
  digest: version.hash,
  metadata: version.metadata as JsonObject,
  schemas: version.schemas as Record<string, JsonObject>,
  files: files.map(({ hash, size, contentType }) => ({ hash, size, contentType })),
  recordCount: version.recordCount,
})

/** Stages the records as the records of the base. @returns the types with records, in order */
export async function stageRecords(
  staging: Staging,
  source: VersionSource,
  head: VersionHead,
  onProgress: (records: number) => void,
): Promise<string[]> {
  const writers = new Map<string, LineWriter>()
  let records = 0
  let current: { type: string; writer: LineWriter } | undefined
  try {
    await readVerified(source, head, (type, record) => {
      if (current?.type !== type) {
        current?.writer.close()
        current = { type, writer: new LineWriter(staging.root, staging.file(baseRecordsPath(type))) }
        writers.set(type, current.writer)
      }
      current.writer.write(lineOf(record))
      if (++records % 1_000 === 0) onProgress(records)
    })
  } finally {
    current?.writer.close()
  }
  onProgress(records)
  return [...writers.keys()].sort(compareUtf8)
}

/** Stages `schemas/<Type>.json`. */
export function stageSchemas(staging: Staging, schemas: Readonly<Record<string, JsonObject>>): void {
  for (const [type, schema] of Object.entries(schemas)) staging.text(schemaPath(type), jsonText(schema))
}

/** Stages `metadata.json`, and its member `readme` as `README.md`. `readMetadata` joins them again. */
export function stageMetadata(staging: Staging, { readme, ...metadata }: JsonObject): void {
  if (typeof readme === 'string') staging.text(paths.readme, readme)
  else staging.remove(paths.readme)
  staging.text(paths.metadata, jsonText(metadata))
}
