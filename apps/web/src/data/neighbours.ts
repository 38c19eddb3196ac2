/** Records around one: the previous and the next in a result, and those that refer to it. */
import { findColumns, type JsonObject, type QueryText, tableColumns } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import type { Visit } from '../page.ts'
import { schemaIn, type VersionResponse, type VisitedCollection, versionOf } from './collection.ts'
import { leniently, soon } from './profiles.ts'
import { orderedSort } from './records.ts'

/** Maximum number of types and fields that are asked for references. Each takes a query. */
const referrersMax = 10

/** A record of a version. */
interface RecordName {
  readonly type: string
  readonly id: string
}

/** Ids beside a record in a result; undefined: there is none. */
export interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
  /** Number of the records in the result; undefined: all of the type, by id. */
  readonly total: number | undefined
}

/** @param place of the record in the result of `query`, from 0; without a query: among all records, by id */
export async function readNeighbours(
  visit: Visit,
  seen: VisitedCollection,
  { type, id }: RecordName,
  result: { query: QueryText; place: number } | undefined,
): Promise<Neighbours | undefined> {
  const path = { ...versionOf(seen), type }
  const { tables } = visit.registry
  if (!tables.isAvailable) return undefined
  const ids = async (query: QueryText) => {
    const answer = await soon(tables.rows(seen.who, path, { ...query, columns: '_id' }))
    return answer === undefined || 'building' in answer ? undefined : answer
  }
  return leniently(async () => {
    if (result !== undefined) {
      const first = Math.max(0, result.place - 1)
      const found = await ids({
        ...result.query,
        sort: orderedSort(result.query, false),
        offset: first,
        limit: 3,
      })
      const at = found?.rows.findIndex((row) => row.id === id) ?? -1
      if (found === undefined || at < 0) return undefined
      return { previous: found.rows[at - 1]?.id, next: found.rows[at + 1]?.id, total: found.total }
    }
    if (!(await tables.answersSoon(seen.who, path))) return undefined
    const text = JSON.stringify(id)
    const [before, after] = await Promise.all([
      ids({ filter: `_id lt ${text}`, sort: '-_id', limit: 1 }),
      ids({ filter: `_id gt ${text}`, limit: 1 }),
    ])
    if (before === undefined || after === undefined) return undefined
    return { previous: before.rows[0]?.id, next: after.rows[0]?.id, total: undefined }
  })
}

/** Records of a type that refer to a record in one of their fields. */
export interface Referrers {
  readonly type: string
  /** Field for people: `place.land`. */
  readonly label: string
  /** Filter that finds them. */
  readonly filter: string
  readonly count: number
}

/** As far as tables answer soon. Fields without such records are omitted. */
export async function readReferrers(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  { type: wanted, id }: RecordName,
): Promise<readonly Referrers[]> {
  const { tables } = visit.registry
  if (!tables.isAvailable) return []
  const fields: Omit<Referrers, 'count'>[] = []
  // One by one, so that other requests get turns of the event loop: the schemas may have 4 MiB.
  for (const type of Object.keys(version.schemas)) {
    const schema = schemaIn(version, type) as JsonObject
    await giveWay()
    for (const { names, type: form, refersTo } of findColumns(tableColumns(schema))) {
      if (refersTo !== wanted || (form !== 'text' && form !== 'list')) continue
      const field = names.map((name) => JSON.stringify(name)).join('.')
      const operator = form === 'list' ? 'contains' : 'eq'
      fields.push({ type, label: names.join('.'), filter: `${field} ${operator} ${JSON.stringify(id)}` })
    }
    await giveWay()
    if (fields.length >= referrersMax) break
  }
  const found: Referrers[] = []
  for (const field of fields.slice(0, referrersMax)) {
    const { type, filter } = field
    const path = { ...versionOf(seen), type }
    const answer = await leniently(async () =>
      (await tables.answersSoon(seen.who, path))
        ? soon(tables.rows(seen.who, path, { filter, columns: '_id', limit: 1 }))
        : undefined,
    )
    if (answer !== undefined && !('building' in answer) && answer.total > 0)
      found.push({ ...field, count: answer.total })
  }
  return found
}
