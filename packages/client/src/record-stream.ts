/** `records.ndjson` as an iterator that resumes after broken connections. http-api §7. */
import { parseJson } from '@ulmus/content'
import { requestOf } from './calls.ts'
import { readLines } from './chunks.ts'
import { readVersion } from './collections.ts'
import { cursorAfter } from './cursor.ts'
import { type CollectionRef, versionParts } from './places.ts'
import { pageMax, type RecordOf, readRecords } from './record-pages.ts'
import { Failures } from './retry.ts'
import { demandSame } from './subject.ts'
import { asFailure, type Transport } from './transport.ts'

export interface StreamOptions {
  readonly type?: string
  /** Begin after this record (see `cursorAfter`). */
  readonly after?: string
  readonly signal?: AbortSignal
  /** Called each time the stream resumes after a broken connection. */
  readonly onResume?: () => void
}

/**
 * Records of a version in order. `latest` is resolved once at the beginning, so that a resumed stream continues
 * in the same version. Every received record resets the count of failures. @throws UlmusError, the signal's reason
 */
export async function* streamRecords<T>(
  transport: Transport,
  ref: CollectionRef,
  version: string,
  options: StreamOptions,
): AsyncGenerator<RecordOf<T>, void, undefined> {
  const { signal } = options
  const fixed = version === 'latest' ? (await readVersion(transport, ref, 'latest', signal)).semver : version
  const params = versionParts(ref, fixed)
  let after = options.after
  let received = 0
  let expected: number | undefined
  const failures = new Failures(transport.policy)
  const receive = (record: RecordOf<T>) => {
    received++
    failures.end()
    after = cursorAfter(record.type, record.id)
  }
  let isStuck = false
  for (;;) {
    if (isStuck) {
      const query = { type: options.type, after, limit: pageMax }
      for (const record of (await readRecords<T>(transport, ref, fixed, query, signal)).body.records) {
        receive(record)
        yield record
      }
      if (expected !== undefined && received >= expected) return
    }
    const receivedBefore = received
    const request = requestOf('GET /api/collections/:owner/:slug/versions/:v/records.ndjson', params, {
      query: { type: options.type, after },
      signal,
    })
    // Retried by itself; only a stream that breaks off counts below.
    const { response, drop } = await transport.open(request)
    // Only a stream from the first record has the total number of records in its header.
    if (after === undefined) expected = readCount(response.headers)
    try {
      try {
        for await (const line of readLines(response, transport.timeoutMs)) {
          const record = parseJson(line) as RecordOf<T>
          demandSame('the type', options.type, record.type)
          receive(record)
          yield record
        }
      } finally {
        drop(undefined)
      }
      if (expected === undefined || received >= expected) return
      throw new Error(`the stream ended after ${received} of ${expected} records`)
    } catch (error) {
      // The registry breaks off a stream at a damaged record without a reason, and records before it may be lost in a buffer. It refuses
      // the page of that record with the reason.
      isStuck = received === receivedBefore
      const failure = asFailure(error, request.path, signal)
      await failures.wait(failure, { repeatable: true, signal, onRetry: options.onResume })
    }
  }
}

function readCount(headers: Headers): number | undefined {
  const text = headers.get('x-record-count')
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined
}
