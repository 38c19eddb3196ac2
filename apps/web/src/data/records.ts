/** Reads records for pages. Large ones come without their data, which is not parsed either. */

import {
  compareUtf8,
  type Field,
  fieldsMax,
  fieldsOf,
  type Json,
  matchOrder,
  numberOrder,
  type PlainSchema,
  parseJson,
  type QueryText,
  tellingField,
  withMembersInOrder,
} from '@ulmus/content'
import { type Building, giveWay, type JsonText } from '@ulmus/registry'
import { jsonBytes, own, readJson, type Visit } from '../page.ts'
import { schemaIn, type VersionResponse, type VisitedCollection, versionOf } from './collection.ts'

/** A record for a page. */
export interface PageRecord {
  readonly id: string
  readonly type: string
  readonly hash: string
  /** Undefined if it is too large for a page. */
  readonly data: Readonly<Record<string, unknown>> | undefined
  /** Size of its canonical form. */
  readonly bytes: number
}

/** A record in a table. */
export type TableRecord = Omit<PageRecord, 'hash'>

/** Only the size is shown for larger records, with a link to their JSON. Bytes. */
export const shownRecordBytesMax = 262_144

export interface RecordsPage {
  readonly records: readonly PageRecord[]
  readonly total: number
  readonly nextCursor: string | null
}

/** Records per page of the table. */
export const recordsAPage = 50

/** @throws invalid_request for a malformed cursor */
export async function readRecords(
  visit: Visit,
  seen: VisitedCollection,
  {
    schema,
    ...ask
  }: { type: string; id?: string; after?: string; limit?: number; schema: PlainSchema | undefined },
): Promise<RecordsPage> {
  const page = await visit.registry.records.page(seen.who, versionOf(seen), { limit: recordsAPage, ...ask })
  const { total, nextCursor } = page.pagination
  const records: PageRecord[] = []
  for (const record of page.records) records.push(await shownRecord(record, ask.type, schema))
  return { records, total, nextCursor }
}

/**
 * The order of records on pages, unless the question has one: the best matches of words first, else by id.
 * @param isNumbered all ids are whole numbers
 */
export function orderedSort({ q = '', sort }: QueryText, isNumbered: boolean): string | undefined {
  if (sort !== undefined) return sort
  if (q !== '') return matchOrder
  return isNumbered ? numberOrder : undefined
}

/** Records that match a question. */
export interface Matches {
  readonly records: readonly TableRecord[]
  readonly total: number
  /** `offset` of the next page; null on the last one. */
  readonly next: number | null
}

/**
 * Records that match, a page of them unless there is a `limit`, or the progress of the table that must be built first.
 * @throws unknown_field, invalid_request, busy, query_too_costly, tables_unavailable
 */
export async function readMatches(
  { registry }: Visit,
  seen: VisitedCollection,
  {
    type,
    schema,
    query,
    limit = recordsAPage,
  }: { type: string; schema: PlainSchema; query: QueryText; limit?: number },
): Promise<Matches | Building> {
  const path = { ...versionOf(seen), type }
  const answer = await registry.tables.rows(seen.who, path, { ...query, limit })
  if ('building' in answer) return answer
  const records: TableRecord[] = []
  for (const { id, data: text } of answer.rows) {
    const bytes = jsonBytes(text)
    const data = bytes <= shownRecordBytesMax ? await inOrder(await readTurn<Json>(text), schema) : undefined
    records.push({ id, type, data, bytes })
  }
  return { records, total: answer.total, next: answer.next }
}

async function shownRecord(
  text: JsonText,
  type: string,
  schema: PlainSchema | undefined,
): Promise<PageRecord> {
  const bytes = jsonBytes(text)
  if (bytes <= shownRecordBytesMax) {
    const record = await readTurn<PageRecord>(text)
    return { ...record, data: await inOrder(record.data as Json, schema), bytes }
  }
  return { ...endsOf(text), type, data: undefined, bytes }
}

/** Parses in a turn of its own: the records of a page may have 4 MiB. */
async function readTurn<T>(text: JsonText): Promise<T> {
  await giveWay()
  return readJson<T>(text)
}

async function inOrder(data: Json, schema: PlainSchema | undefined): Promise<PageRecord['data']> {
  await giveWay()
  return withMembersInOrder(data, schema) as PageRecord['data']
}

/** Id and hash of unparsed JSON: `{"id":…,"type":…,"data":…,"hash":…}`. Ids have at most 1,024 bytes, and six times as many with escapes. */
function endsOf({ pieces }: JsonText): { id: string; hash: string } {
  const whole = Buffer.concat(pieces)
  const [, id = '""'] = /^\{"id":("(?:[^"\\]|\\.)*")/.exec(whole.subarray(0, 8_192).toString()) ?? []
  const [, hash = ''] = /"hash":"([0-9a-f]{64})"\}$/.exec(whole.subarray(-100).toString()) ?? []
  return { id: parseJson(id) as string, hash }
}

/** Members of records that are not among the fields, by name, the first `fieldsMax`; all members if the schema has no `properties`. */
export function fieldsBeside(fields: readonly Field[], records: readonly TableRecord[]): Field[] {
  const known = new Set(fields.map(({ name }) => name))
  const names = new Set<string>()
  for (const { data } of records) {
    if (names.size >= fieldsMax) break
    for (const name of isObject(data) ? Object.keys(data) : [])
      if (names.size < fieldsMax && !known.has(name)) names.add(name)
  }
  const beside = [...names].sort(compareUtf8)
  return fieldsOf({ properties: Object.fromEntries(beside.map((name) => [name, {}])) })
}

/** Without a schema, data may be any JSON value. */
export const isObject = (data: unknown): data is Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** False: the value nests deeper, which costs the engine and a page much. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1)))

/** Members of a title that has several texts, such as `name.common`. */
export const titleMembers = ['common', 'full', 'name', 'title', 'en']

/** Label of a record: the text of its title field, if any. */
export function nameOf({ data }: { data: unknown }, field: string | undefined): string | undefined {
  const value = field === undefined || !isObject(data) ? undefined : own(data, field)
  const texts = isObject(value) ? titleMembers.map((name) => own(value, name)) : [value]
  return texts.find((text): text is string => typeof text === 'string' && text !== '')
}

/** Maximum number of references of a page with labels. Each takes a query. */
const namedReferencesMax = 20

/** Labels of the records to which a record refers, by `type/id`. Omits missing and unlabelled records. */
export const namesOfReferences = (
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  { data }: PageRecord,
  fields: readonly Field[],
): Promise<ReadonlyMap<string, string>> => {
  const references = fields.flatMap(({ name, refersTo: type }) =>
    type === undefined || !isObject(data)
      ? []
      : [own(data, name)].flat().flatMap((id) => (typeof id === 'string' ? [{ type, id }] : [])),
  )
  return labelsOf(visit, seen, version, references)
}

/** Labels of the first of some records, by `type/id`, without a table. Omits missing and unlabelled records. */
export async function labelsOf(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  references: readonly { readonly type: string; readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const known = references.filter(({ type }) => Object.hasOwn(version.schemas, type))
  const distinct = new Map(known.map((one) => [`${one.type}/${one.id}`, one]))
  const some = [...distinct].slice(0, namedReferencesMax)
  const types = new Set(some.map(([, { type }]) => type))
  const tellingFields = new Map(
    Array.from(types, (type) => [type, tellingField(fieldsOf(schemaIn(version, type)!, fieldsMax))]),
  )
  const named = some.map(async ([key, { type, id }]) => {
    const telling = tellingFields.get(type)
    if (telling === undefined) return []
    const [record] = (await readRecords(visit, seen, { type, id, schema: undefined })).records
    const name = record && nameOf(record, telling)
    return name === undefined ? [] : [[key, name] as const]
  })
  return new Map((await Promise.all(named)).flat())
}
