/** Versions as documents for programs describe them: their facts, types and files, in the view of the caller. */
import { type JsonObject, type TableColumn, tableColumns } from '@ulmus/content'
import { countAnswer, giveWay, type Principal, type Registry, RegistryError } from '@ulmus/registry'
import type { Version, VersionPath } from '@ulmus/wire'
import { type CitedCollection, type CitedVersion, oneLine } from '../data/citation.ts'
import type { VersionResponse } from '../data/collection.ts'
import { cutText, withoutUnseen } from '../format.ts'
import { jsonBytes, readJson } from '../page.ts'
import { apiVersionPath, type VersionPlace, withQuery } from '../paths.ts'

/** Names the files of a version. */
export interface FilePlace extends VersionPlace {
  /** Semver. */
  readonly version: string
  readonly origin: string
  /** False: this server has no CSV. */
  readonly hasTables: boolean
  /** True: a member asked for the public view. */
  readonly asPublic: boolean
}

export interface DescribedVersion extends CitedCollection, FilePlace {
  readonly description: string
  readonly shown: VersionResponse
  /** The same, with its metadata parsed. */
  readonly cited: CitedVersion
}

/** A type with the file of its records. */
export interface DescribedType {
  readonly name: string
  readonly schema: JsonObject
  /** Columns of its table; undefined beyond `fieldsMax`. */
  readonly columns: readonly TableColumn[] | undefined
  readonly file: DataFile
}

export interface DataFile {
  readonly url: string
  readonly mediaType: string
  readonly format: 'csv' | 'ndjson'
}

/** Described fields of all types. A schema of 4 MiB may have half a million, each of which takes some 400 bytes of a document. */
const fieldsMax = 5_000
/** Bytes of a document for each byte of its schemas, for the memory budget. */
const bytesPerSchemaByte = 4
/** Longer descriptions are cut. Characters. */
const descriptionMax = 10_000
const keywordsMax = 100

/** @throws collection_not_found, MovedError, version_not_found, version_withdrawn, busy */
export async function describeVersion(
  registry: Registry,
  who: Principal,
  path: VersionPath,
  { origin, asPublic }: { origin: string; asPublic: boolean },
): Promise<DescribedVersion> {
  const shown = await registry.collections.shown(who, path, { asPublic, withVersion: true })
  const { facts, version, next } = shown
  if (version === null) {
    const wereWithdrawn = next.content !== 'v1.0.0'
    throw new RegistryError('version_not_found', { say: { isEmpty: true, wereWithdrawn } })
  }
  const cited = { ...version, metadata: readJson<Version['metadata']>(version.metadata) }
  const { description } = cited.metadata
  const text = typeof description === 'string' ? description : (facts.description ?? '')
  return {
    ...{ owner: path.owner, slug: path.slug, version: version.semver, origin, asPublic },
    name: facts.name,
    ownerName: facts.ownerName,
    isPublic: facts.public,
    hasTables: registry.tables.isAvailable,
    // The standards require a description.
    description:
      text.trim() === ''
        ? `${oneLine(facts.name)}, a collection of ${version.recordCount} records by ${oneLine(facts.ownerName)}.`
        : cutText(withoutUnseen(text), descriptionMax),
    shown: version,
    cited,
  }
}

/** Parses the schemas one by one, up to 4 MiB in total, so that other requests get turns of the event loop. @throws busy */
export async function describedTypes(described: DescribedVersion): Promise<DescribedType[]> {
  const types: DescribedType[] = []
  let fields = 0
  for (const [name, text] of Object.entries(described.shown.schemas)) {
    countAnswer(bytesPerSchemaByte * jsonBytes(text))
    const schema = readJson<JsonObject>(text)
    await giveWay()
    const columns = tableColumns(schema)
    const isTold = fields + columns.length <= fieldsMax
    if (isTold) fields += columns.length
    types.push({ name, schema, columns: isTold ? columns : undefined, file: dataFileOf(name, described) })
    await giveWay()
  }
  return types
}

/** The file with the records of a type: CSV, or lines of JSON if this server has no tables. */
export function dataFileOf(type: string, { origin, hasTables, asPublic, ...place }: FilePlace): DataFile {
  if (!hasTables) {
    const url = origin + withQuery(apiVersionPath(place, 'records.ndjson'), { type })
    return { url, mediaType: 'application/x-ndjson', format: 'ndjson' }
  }
  const view = asPublic ? 'public' : undefined
  const url = origin + withQuery(apiVersionPath(place, 'tables', `${type}.csv`), { view })
  return { url, mediaType: 'text/csv', format: 'csv' }
}

/** Words in `metadata.keywords`: texts, or one text with commas. */
export function keywordsOf(keywords: unknown): string[] {
  const words = typeof keywords === 'string' ? keywords.split(',', keywordsMax) : keywords
  if (!Array.isArray(words)) return []
  const some = words.slice(0, keywordsMax).filter((word) => typeof word === 'string')
  return [...new Set(some.map(oneLine))].filter((word) => word !== '')
}

/** Title and description of a field, for people. */
export function wordsOf({ title, description }: JsonObject): { title?: string; description?: string } {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  }
}
