/** Reads pages of the records of a version. http-api §7. */
import type { CollectionRecord, RecordsPage } from '@ulmus/wire'
import { requestOf } from './calls.ts'
import { type CollectionRef, versionParts } from './places.ts'
import { demandSame } from './subject.ts'
import type { Transport } from './transport.ts'

/** A record with a known type of data. */
export type RecordOf<T> = Omit<CollectionRecord, 'data'> & { data: T }

export interface RecordsFilter {
  readonly type?: string
  readonly id?: string
  /** Records per page: at most 2,000, default 100. */
  readonly limit?: number
  /** Begin after this record: `cursorAfter(type, id)`, or a page's `nextCursor`. */
  readonly after?: string
}

/** Largest page. Records. */
export const pageMax = 2_000

/** A page of records with its headers, each of the requested type and id. */
export async function readRecords<T>(
  transport: Transport,
  ref: CollectionRef,
  version: string,
  query: RecordsFilter,
  signal?: AbortSignal,
) {
  const name = 'GET /api/collections/:owner/:slug/versions/:v/records'
  const answer = await transport.json<Omit<RecordsPage, 'records'> & { records: RecordOf<T>[] }>(
    requestOf(name, versionParts(ref, version), { query, signal }),
  )
  for (const { type, id } of answer.body.records) {
    demandSame('the type', query.type, type)
    demandSame('the id', query.id, id)
  }
  return answer
}
