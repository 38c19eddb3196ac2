/** Updates a working folder to another version and keeps local changes: `pull` and `checkout`. */
import { compareUtf8, type Json, type JsonObject } from '@ulmus/content'
import { baseOf, stageMetadata } from '../base/bring.ts'
import { fetchFile } from '../base/fetch-file.ts'
import { jsonText } from '../base/state.ts'
import type { VersionHead, VersionSource } from '../base/verified-version.ts'
import type { Folder } from '../changes/changes.ts'
import { isSameJson } from '../files/content.ts'
import { statFile } from '../files/file-index.ts'
import { nameOfFile } from '../files/file-names.ts'
import { foldsCase } from '../files/inside.ts'
import {
  baseRecordsPath,
  demandSeparateFiles,
  dotFolder,
  paths,
  recordsPath,
  schemaPath,
} from '../files/layout.ts'
import { countLines, LineWriter } from '../files/lines.ts'
import { Staging } from '../files/staging.ts'
import { stageIncoming } from './incoming.ts'
import { type Conflict, MergedFiles, mergeRecords, type Resolution } from './merge-records.ts'

export interface Updating {
  readonly folder: Folder
  readonly source: VersionSource
  readonly head: VersionHead
  readonly resolution: Resolution
  /** Discards all changes of the folder; changed records are backed up. */
  readonly discardsOurs: boolean
  readonly cache: string
  readonly onProgress: (progress: { records: number; files: number }) => void
}

/** A schema or metadata member that both sides changed. */
export interface PartConflict {
  readonly part: 'schema' | 'metadata'
  readonly name: string
}

/** Outcome of an update. */
export interface Updated {
  /** With `resolution: 'stop'` and any conflict, the folder stays unchanged. */
  readonly conflicts: readonly (Conflict | PartConflict)[]
  /** Number of all conflicts; `conflicts` has the first thousand. */
  readonly totalConflicts: number
  /** Number of records that differ in the other version. */
  readonly records: number
  /** Path of the backup of discarded records, from the root. */
  readonly setAside?: string
}

/** Maximum number of conflicts kept in memory. */
const conflictsKept = 1_000

/** Stages everything before it moves anything into place, so that an error leaves the content of the folder unchanged. */
export async function updateFolder(updating: Updating): Promise<Updated> {
  const { folder, source, head, cache } = updating
  const { root, base } = folder
  demandSeparateFiles(Object.keys(head.version.schemas), foldsCase(root))
  const staging = new Staging(root)
  let records = 0
  const changed = await stageIncoming(staging, source, base, head, (count) => {
    records = count
    updating.onProgress({ records, files: 0 })
  })
  const outcome = new Outcome(updating, staging)
  const parts = mergeParts(updating, outcome)
  const types = updating.discardsOurs ? everyType(folder, changed) : changed
  for (const type of types) mergeType(updating, staging, type, changed.includes(type), outcome)
  outcome.close()
  if (outcome.total > 0 && updating.resolution === 'stop' && !updating.discardsOurs) {
    staging.discard()
    return outcome.result(0)
  }
  stageParts(staging, folder, parts)
  await stageFiles(updating, staging, cache)
  staging.text(paths.baseVersion, jsonText(baseOf(head)))
  folder.index.save()
  staging.commit()
  return outcome.result(records)
}

const everyType = ({ records, base }: Folder, changed: readonly string[]): string[] =>
  [...new Set([...changed, ...records.keys(), ...Object.keys(base?.schemas ?? {})])].sort(compareUtf8)

/** Collects conflicts, and writes discarded records to a backup file. */
class Outcome {
  readonly #conflicts: (Conflict | PartConflict)[] = []
  readonly #updating: Updating
  readonly #staging: Staging
  readonly #path: string
  #aside: LineWriter | undefined
  total = 0

  constructor(updating: Updating, staging: Staging) {
    this.#updating = updating
    this.#staging = staging
    this.#path = `${dotFolder}/set-aside/${new Date().toISOString().replaceAll(':', '-')}.ndjson`
  }

  add(conflict: Conflict | PartConflict): void {
    this.total++
    if (this.#conflicts.length < conflictsKept) this.#conflicts.push(conflict)
    const { discardsOurs, resolution } = this.#updating
    const givesUp = discardsOurs || resolution === 'theirs'
    if (!givesUp || 'part' in conflict || conflict.ours === undefined) return
    this.#aside ??= new LineWriter(this.#staging.root, this.#staging.file(this.#path))
    this.#aside.write(`{"type":${JSON.stringify(conflict.type)},${conflict.ours.trim().slice(1)}`)
  }

  close(): void {
    this.#aside?.close()
  }

  result(records: number): Updated {
    const setAside = this.#aside === undefined ? undefined : this.#path
    return { conflicts: this.#conflicts, totalConflicts: this.total, records, setAside }
  }
}

function mergeType(
  updating: Updating,
  staging: Staging,
  type: string,
  isIncoming: boolean,
  outcome: Outcome,
): void {
  const { folder, resolution, discardsOurs } = updating
  const { root, index, records } = folder
  const ourFiles = records.get(type) ?? []
  const stats = ourFiles.map((path) => statFile(root, path))
  const wasUnchanged = ourFiles.length > 0 && index.isUnchanged(type, stats)
  if (!isIncoming && wasUnchanged) return
  const theirPath = isIncoming ? staging.peek(baseRecordsPath(type)) : baseRecordsPath(type)
  const targets = ourFiles.length === 0 ? [recordsPath(type)] : ourFiles
  const output = new MergedFiles(
    root,
    targets.map((path) => ({
      target: staging.file(path),
      lines: ourFiles.length > 1 ? countLines(root, path) : 0,
    })),
  )
  const before = outcome.total
  mergeRecords(
    {
      root,
      type,
      baseFile: baseRecordsPath(type),
      theirFile: theirPath,
      ourFiles,
      resolution,
      discardsOurs,
      onConflict: (conflict) => outcome.add(conflict),
    },
    output,
  )
  for (const path of targets) if (!output.wrote(staging.peek(path))) staging.remove(path)
  const isTheirs = discardsOurs || (wasUnchanged && outcome.total === before)
  if (isTheirs && output.count > 0)
    index.rememberWritten(
      type,
      targets.filter((path) => output.wrote(staging.peek(path))).map((path) => staging.stat(path)),
    )
  else index.forgetRecords(type)
}

interface Parts {
  readonly schemas: ReadonlyMap<string, Json | undefined>
  readonly metadata: JsonObject
}

/** Merges schemas and metadata members like records, by name. */
function mergeParts({ folder, head, resolution, discardsOurs }: Updating, outcome: Outcome): Parts {
  const { base } = folder
  const target = baseOf(head)
  const choose = (
    part: PartConflict['part'],
    name: string,
    b?: Json,
    t?: Json,
    o?: Json,
  ): Json | undefined => {
    if (isSameJson(o, b) || discardsOurs) return t
    if (isSameJson(t, b) || isSameJson(t, o)) return o
    outcome.add({ part, name })
    return resolution === 'theirs' ? t : o
  }
  const merge = (part: PartConflict['part'], b: JsonObject, t: JsonObject, o: JsonObject) =>
    namesOf(b, t, o).map((name): [string, Json | undefined] => [
      name,
      choose(part, name, own(b, name), own(t, name), own(o, name)),
    ])
  const ours = Object.fromEntries([...folder.schemas].map(([type, { source }]) => [type, source]))
  const schemas = merge('schema', base?.schemas ?? {}, target.schemas, ours)
  const metadata = merge('metadata', base?.metadata ?? {}, target.metadata, folder.metadata)
  return {
    schemas: new Map(schemas),
    metadata: Object.fromEntries(metadata.filter((entry): entry is [string, Json] => entry[1] !== undefined)),
  }
}

const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
const namesOf = (...objects: JsonObject[]): string[] => [
  ...new Set(objects.flatMap((one) => Object.keys(one))),
]

/** Writes only changed parts, so that a file keeps the user's formatting. */
function stageParts(staging: Staging, { schemas, metadata }: Folder, parts: Parts): void {
  for (const [type, schema] of parts.schemas) {
    if (isSameJson(schema, schemas.get(type)?.source)) continue
    if (schema === undefined) staging.remove(schemaPath(type))
    else staging.text(schemaPath(type), jsonText(schema))
  }
  if (!isSameJson(parts.metadata, metadata)) stageMetadata(staging, parts.metadata)
}

/**
 * Downloads new files of the other version, and removes files that it dropped, whatever their names. A missing file of the base was removed
 * on purpose, so it is downloaded again only if all changes are discarded.
 */
async function stageFiles(
  { folder, source, head, discardsOurs, onProgress }: Updating,
  staging: Staging,
  cache: string,
): Promise<void> {
  const known = discardsOurs ? folder.files : [...folder.files, ...(folder.base?.files ?? [])]
  const isKnown = new Set(known.map(({ hash }) => hash))
  const taken = new Set(discardsOurs ? [] : folder.files.map(({ path }) => path))
  let files = 0
  for (const file of head.files) {
    if (isKnown.has(file.hash)) continue
    const target = staging.file(freePath(`${paths.files}/${nameOfFile(file)}`, taken))
    await fetchFile(source, file, { root: staging.root, path: target }, cache)
    onProgress({ records: 0, files: ++files })
  }
  const kept = new Set(head.files.map(({ hash }) => hash))
  const dropped = new Set(folder.base?.files.map(({ hash }) => hash).filter((hash) => !kept.has(hash)))
  for (const { path, hash } of folder.files) if (dropped.has(hash)) staging.remove(path)
}

/** A free path: does not overwrite another file of this name. */
const freePath = (path: string, taken: ReadonlySet<string>): string =>
  taken.has(path) ? freePath(path.replace(/(?=\.|$)/, '_'), taken) : path
