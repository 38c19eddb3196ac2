/** The audit log as an iterator. http-api §11. */
import { parseJson } from '@ulmus/content'
import type { AuditEvent } from '@ulmus/wire'
import { requestOf } from './calls.ts'
import { readLines } from './chunks.ts'
import type { PageOptions } from './lists.ts'
import { asFailure, type Transport } from './transport.ts'

/** Filter of events: all given conditions must match. */
export interface AuditFilters {
  /** Slug of the actor. */
  readonly actor?: string
  /** Such as `version.made`. */
  readonly action?: string
  /** Only events after this instant, in ISO 8601 with a time zone. */
  readonly after?: string
}

export type AuditOptions = AuditFilters & PageOptions

/** All events, newest first. Rejects if the stream breaks off, because a newest-first list cannot be resumed. @throws UlmusError */
export async function* streamAudit(
  transport: Transport,
  slug: string,
  filters: AuditFilters,
  signal?: AbortSignal,
): AsyncGenerator<AuditEvent, void, undefined> {
  const request = requestOf('GET /api/accounts/:slug/audit.ndjson', { slug }, { query: filters, signal })
  const { response, drop } = await transport.open(request)
  try {
    for await (const line of readLines(response, transport.timeoutMs)) yield parseJson(line) as AuditEvent
  } catch (error) {
    throw asFailure(error, request.path, signal)
  } finally {
    drop(undefined)
  }
}
