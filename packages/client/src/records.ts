/** Reads the records of a version: a page, one record, all page by page, all as a stream. http-api §7. */
import type { Json } from '@ulmus/content'
import type { EraseRecord, ProvenRecord, RecordsPage } from '@ulmus/wire'
import { call, readPage } from './calls.ts'
import { UlmusError } from './errors.ts'
import { everyItem, onward, type PageOptions } from './lists.ts'
import { type CollectionRef, partsOf, versionParts } from './places.ts'
import { pageMax, type RecordOf, type RecordsFilter, readRecords } from './record-pages.ts'
import { type StreamOptions, streamRecords } from './record-stream.ts'
import { versionOf } from './subject.ts'
import type { Transport } from './transport.ts'

export type ProvenRecordOf<T> = Omit<ProvenRecord, 'data'> & { data: T }

/** A path cannot contain these ids: URL parsers resolve them, percent-encoded or not. */
const isStep = (id: string): boolean => id === '.' || id === '..'

export const recordCalls = (transport: Transport) => {
  const page = async <T = Json>(
    ref: CollectionRef,
    version: string,
    filter: RecordsFilter = {},
  ): Promise<Omit<RecordsPage, 'records'> & { records: RecordOf<T>[] }> => {
    return (await readRecords<T>(transport, ref, version, filter)).body
  }

  async function one<T = Json>(
    ref: CollectionRef,
    version: string,
    type: string,
    id: string,
    options: { proof?: boolean } = {},
  ): Promise<ProvenRecordOf<T>> {
    if (isStep(id)) {
      if (options.proof)
        throw new TypeError(`No path can carry the id \`${id}\`, so no proof of it can be asked for.`)
      const found = await page<T>(ref, version, { type, id, limit: 1 })
      if (found.records[0] !== undefined) return found.records[0]
      throw new UlmusError(`There is no ${type} with the id \`${id}\`.`, {
        status: 404,
        code: 'record_not_found',
      })
    }
    const found = await call(
      transport,
      'GET /api/collections/:owner/:slug/versions/:v/records/:type/:id',
      { ...versionParts(ref, version), type, id },
      { query: { proof: options.proof || undefined } },
    )
    return found as ProvenRecordOf<T>
  }

  async function* iterate<T = Json>(
    ref: CollectionRef,
    version: string,
    filter: RecordsFilter = {},
  ): AsyncGenerator<RecordOf<T>, void, undefined> {
    const go = onward()
    let fixed = version
    for (let after = filter.after; ; ) {
      const { body, headers } = await readRecords<T>(transport, ref, fixed, {
        limit: pageMax,
        ...filter,
        after,
      })
      yield* body.records
      const { hasMore, nextCursor } = body.pagination
      if (!hasMore || nextCursor === null) return
      if (fixed === 'latest') fixed = versionOf(headers)!
      go(nextCursor)
      after = nextCursor
    }
  }

  return {
    /** A page of records in order of type, then id. */
    page,
    /** One record, with `proof` also the input of `verifyProof`. @throws record_not_found */
    one,
    /** All records, page by page, of the version that is the latest one at the beginning. */
    iterate,
    /**
     * All records as one stream, which resumes after a broken connection. `T` is the type of their data, which the version's schema
     * defines and the client does not check.
     */
    ndjson: <T = Json>(ref: CollectionRef, version = 'latest', options: StreamOptions = {}) =>
      streamRecords<T>(transport, ref, version, options),
    ...callsOfAllVersions(transport),
  }
}

const place = '/api/collections/:owner/:slug/records/:type/:id'

/** Calls about a record in all versions of its collection. */
function callsOfAllVersions(transport: Transport) {
  /** @throws TypeError */
  function recordParts(ref: CollectionRef, type: string, id: string) {
    if (isStep(id)) throw new TypeError(`No path can carry the id \`${id}\`.`)
    return { ...partsOf(ref), type, id }
  }

  const historyPage = (ref: CollectionRef, type: string, id: string, query: PageOptions) =>
    readPage(transport, `GET ${place}/history`, recordParts(ref, type, id), { query })

  return {
    /** A page of the versions in which a record changed, newest first. @throws record_not_found if no version had it */
    history: (ref: CollectionRef, type: string, id: string, options: PageOptions = {}) =>
      historyPage(ref, type, id, options),
    /** All of those versions, page by page. */
    historyAll: (ref: CollectionRef, type: string, id: string) =>
      everyItem(historyPage(ref, type, id, { limit: 100 })),
    /** What `erase` would do. @throws record_not_found if no version has the record; insufficient_role */
    erasure: async (ref: CollectionRef, type: string, id: string) =>
      call(transport, `GET ${place}/erasure`, recordParts(ref, type, id)),
    /** Removes a record from all versions: permanently withdraws and erases those that have it. @throws version_conflict */
    erase: async (ref: CollectionRef, type: string, id: string, confirmed: EraseRecord) =>
      call(transport, `POST ${place}/erase`, recordParts(ref, type, id), { json: confirmed }),
  }
}
