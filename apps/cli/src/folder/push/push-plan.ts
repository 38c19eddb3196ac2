/**
 * Plan of a push: the folder's changes, validated by the registry's rules and written to disk in the order of type and id. The push sends
 * the plan, so later edits of the folder do not matter, and an interrupted push can be resumed.
 */
import { createHash } from 'node:crypto'
import {
  canonicalize,
  fileReferences,
  type Json,
  type JsonObject,
  madePublic,
  nameToConfirm,
  newNameFault,
  parseJson,
  recordsToConfirm,
  type Schema,
} from '@ulmus/content'
import type { Schemas } from '@ulmus/wire'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { type Counts, changesOf, type Folder, folderRecordChanges } from '../changes/changes.ts'
import type { RecordChange } from '../changes/record-changes.ts'
import type { StoredFile } from '../files/content.ts'
import { type FileStat, statFile } from '../files/file-index.ts'
import { fileAt, moveInside } from '../files/inside.ts'
import { paths } from '../files/layout.ts'
import { LineWriter, lineBatches } from '../files/lines.ts'
import { positionText } from '../files/record-line.ts'
import { exposureText } from './exposures.ts'

/** Changes of the running push, described by `PushState`. */
const changesPath = `${paths.push}/changes.ndjson`
/** Changes of a plan whose push has not begun. */
const plannedPath = `${paths.push}/planned.ndjson`

/** A line of the file. Without `data` the record is removed. */
export interface PlannedChange {
  readonly type: string
  readonly id: string
  readonly data?: Json
  readonly private?: true
}

/** Result of the plan. Its records are on disk. */
export interface PushPlan {
  /** Digest of the plan: equal plans have equal digests. */
  readonly digest: string
  /** By type, including removals of whole types. */
  readonly counts: ReadonlyMap<string, Counts>
  /** New and changed schemas, and null for types that are removed; undefined: unchanged. */
  readonly schemas: Readonly<Record<string, JsonObject | null>> | undefined
  /** Undefined: unchanged. */
  readonly metadata: JsonObject | undefined
  /** Files that the base lacks and records refer to. */
  readonly uploads: readonly StoredFile[]
  /** Files that the base lacks and no record refers to: they are added to the version. */
  readonly declared: readonly StoredFile[]
  /** File facts of each type from before they were read. */
  readonly stats: ReadonlyMap<string, readonly FileStat[]>
  readonly isEmpty: boolean
  /** With `--publish-private`: the first parts that become public, as text. */
  readonly exposed: readonly string[]
  /** Names of private fields and types that may become public. Undefined: none may. */
  readonly confirmPublic: readonly string[] | undefined
}

/** Maximum number of faults reported. */
const faultsReported = 20

/**
 * Writes the plan.
 * @param publishPrivate true if private parts of the base may become public
 * @throws CommandError (refused) with the lines of records that the registry would refuse, or that would become public
 */
export async function planPush(folder: Folder, publishPrivate: boolean): Promise<PushPlan> {
  const { root, schemas, records } = folder
  const changes = changesOf(folder)
  const stats = new Map(
    [...records].map(([type, files]) => [type, files.map((path) => statFile(root, path))]),
  )
  const checks = new Checks(folder)
  checks.schemas()
  await checks.repeatedFields()
  const writer = new LineWriter(root, plannedPath)
  const digest = createHash('sha256')
  const counts = new Map<string, Counts>()
  try {
    for await (const change of folderRecordChanges(folder)) {
      counts.set(change.type, counted(counts.get(change.type), change))
      // Removing a type also removes its records.
      if (!schemas.has(change.type)) continue
      checks.record(change)
      const line = JSON.stringify(plannedOf(change))
      writer.write(line)
      digest.update(line).update('\n')
    }
  } finally {
    writer.close()
  }
  checks.report(publishPrivate)
  const newSchemas =
    changes.schemas.length === 0
      ? undefined
      : Object.fromEntries(changes.schemas.map(({ type, after }) => [type, after ?? null]))
  const metadata = Object.keys(changes.metadata).length === 0 ? undefined : changes.metadata
  const uploads = changes.addedFiles.filter(({ hash }) => checks.referenced.has(hash))
  const declared = changes.addedFiles.filter(({ hash }) => !checks.referenced.has(hash))
  const rest = {
    schemas: newSchemas ?? null,
    metadata: metadata ?? null,
    files: declared.map(({ hash }) => hash),
  }
  digest.update(canonicalize(rest as unknown as Json))
  const isEmpty =
    writer.count === 0 && newSchemas === undefined && metadata === undefined && declared.length === 0
  return {
    digest: digest.digest('hex'),
    counts,
    schemas: newSchemas,
    metadata,
    uploads,
    declared,
    stats,
    isEmpty,
    exposed: checks.exposed,
    confirmPublic: publishPrivate
      ? [...checks.namesMadePublic, ...checks.typesOfRecordsMadePublic]
      : undefined,
  }
}

export const schemasOf = (schemas: ReadonlyMap<string, Schema>): Schemas =>
  Object.fromEntries([...schemas].map(([type, { source }]) => [type, source as JsonObject]))

function plannedOf({ type, id, after }: RecordChange): PlannedChange {
  if (after === undefined) return { type, id }
  return { type, id, data: after.data, ...(after.private ? { private: true } : {}) }
}

function counted(
  counts: Counts = { added: 0, updated: 0, removed: 0 },
  { before, after }: RecordChange,
): Counts {
  if (before === undefined) return { ...counts, added: counts.added + 1 }
  if (after === undefined) return { ...counts, removed: counts.removed + 1 }
  return { ...counts, updated: counts.updated + 1 }
}

/** Makes the last plan the plan of the running push. */
export function beginPlan(root: string): void {
  moveInside(root, plannedPath, changesPath)
}

/** True if a push is unfinished. */
export const hasPlan = (root: string): boolean => fileAt(root, changesPath) !== undefined

/** Changes of the running push, in order. */
export function* plannedChanges(root: string): Generator<PlannedChange, void, undefined> {
  for (const lines of lineBatches(root, changesPath))
    for (const { text } of lines) yield parseJson(text) as PlannedChange
}

/** Collects everything that the registry would refuse or make public, for a single report. */
class Checks {
  readonly #folder: Folder
  readonly #faults: string[] = []
  #faultCount = 0
  /** False: a fault is one of the record itself. */
  #areAllOfSchemas = true
  readonly exposed: string[] = []
  #exposedCount = 0
  readonly #knownFiles: ReadonlySet<string>
  /** Files that changed records refer to, as `sha256:<hex>`. */
  readonly referenced = new Set<string>()
  namesMadePublic: string[] = []
  /** Entries for all records of the types in which records lose their mark: the report lists them all. */
  readonly typesOfRecordsMadePublic = new Set<string>()

  constructor(folder: Folder) {
    this.#folder = folder
    this.#knownFiles = new Set([...(folder.base?.files ?? []), ...folder.files].map(({ hash }) => hash))
  }

  /** Types and fields that are private in the base and would become public. */
  schemas(): void {
    const { base, schemas } = this.#folder
    const before = new Map<string, Json>(Object.entries(base?.schemas ?? {}))
    const made = madePublic(before, new Map([...schemas].map(([type, { source }]) => [type, source])))
    for (const one of made) this.#expose(exposureText(one))
    this.namesMadePublic = [...new Set(made.map(nameToConfirm))]
  }

  /** New fields that repeat the values of a private field of the base. */
  async repeatedFields(): Promise<void> {
    if (this.#folder.base === null || changesOf(this.#folder).schemas.length === 0) return
    // Loads the readers of tables, which other pushes do not need.
    const { repeatedFields, repeatingText } = await import('./repeated-fields.ts')
    for (const one of repeatedFields(this.#folder))
      if (!this.namesMadePublic.includes(one.field)) this.#expose(repeatingText(one))
  }

  record({ type, id, before, after, place }: RecordChange): void {
    if (after === undefined || place === undefined) return
    const schema = this.#folder.schemas.get(type)!
    const strange = before === undefined ? newNameFault('id', id) : undefined
    if (strange !== undefined) {
      this.#areAllOfSchemas = false
      this.#fault(`${positionText(place)}: ${strange}`)
    }
    if (before?.private === true && !after.private) {
      this.#expose(`${type} ${JSON.stringify(id)} (${positionText(place)})`)
      this.typesOfRecordsMadePublic.add(recordsToConfirm(type))
    }
    const unknown = schema.unknownFields(after.data)
    const [issue] = unknown.length > 0 ? [] : schema.validate(after.data)
    const lost = this.#lostFile(after.data)
    if (unknown.length > 0)
      this.#fault(
        `${positionText(place)}: ${type} ${JSON.stringify(id)} has the field ${JSON.stringify(unknown[0])}, which its schema does not list.`,
      )
    else if (issue !== undefined)
      this.#fault(
        `${positionText(place)}: ${type} ${JSON.stringify(id)}: ${issue.path === '' ? 'it' : issue.path} ${issue.message}.`,
      )
    else if (lost !== undefined)
      this.#fault(
        `${positionText(place)}: ${type} ${JSON.stringify(id)} refers to ${lost}, which is not under ${paths.files}/.`,
      )
  }

  #lostFile(data: Json): string | undefined {
    const references = fileReferences(data).map((hash) => `sha256:${hash}`)
    for (const reference of references) this.referenced.add(reference)
    return references.find((reference) => !this.#knownFiles.has(reference))
  }

  #fault(sentence: string): void {
    this.#faultCount++
    if (this.#faults.length < faultsReported) this.#faults.push(sentence)
  }

  #expose(what: string): void {
    this.#exposedCount++
    if (this.exposed.length < faultsReported) this.exposed.push(what)
  }

  report(publishPrivate: boolean): void {
    if (this.#faultCount > 0)
      throw new CommandError(
        listed(
          `Nothing was pushed: records ${this.#areAllOfSchemas ? 'do not match their schemas' : 'are invalid'}.`,
          this.#faults,
          this.#faultCount,
        ),
        {
          exitCode: exitCodes.refused,
          code: this.#areAllOfSchemas ? 'schema_violation' : 'invalid_records',
        },
      )
    if (this.#exposedCount > 0 && !publishPrivate)
      throw new CommandError(
        listed('Nothing was pushed: private data would become public.', this.exposed, this.#exposedCount),
        {
          exitCode: exitCodes.refused,
          code: 'would_publish_private',
          next: ['ulmus push --publish-private'],
        },
      )
  }
}

const listed = (sentence: string, items: readonly string[], count: number): string =>
  [
    sentence,
    ...items.map((item) => `  ${item}`),
    ...(count > items.length ? [`  and ${count - items.length} more`] : []),
  ].join('\n')
