/** Metadata updates, synchronous or as a job. interface.md "Version metadata"; http-api §5. */
import type { ReadonlyJsonObject } from '@ulmus/content'
import type { MetadataPatch, MetadataResult, StartedMetadataJob } from '@ulmus/wire'
import { call } from './calls.ts'
import { UlmusError } from './errors.ts'
import { type CollectionRef, partsOf } from './places.ts'
import { sleep } from './retry.ts'
import type { Transport } from './transport.ts'

export interface WaitOptions {
  /** Total time to wait. Milliseconds, default 600,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** First wait between polls: short, since an update takes milliseconds whatever the collection's size. Milliseconds. */
const pollMs = 20
/** Longest wait between polls. Milliseconds. */
const pollMsMax = 2_000

export const metadataCalls = (transport: Transport) => {
  const job = async (ref: CollectionRef, id: string, signal?: AbortSignal) =>
    call(
      transport,
      'GET /api/collections/:owner/:slug/metadata/jobs/:job_id',
      { ...partsOf(ref), job_id: id },
      { signal },
    )
  return {
    /**
     * Merges into the latest version's metadata and makes a patch version; a null removes a member.
     * @throws metadata_update_in_progress (`body.job_id` identifies it), no_versions, too_large
     */
    patch: async (ref: CollectionRef, patch: ReadonlyJsonObject) =>
      (await call(transport, 'PATCH /api/collections/:owner/:slug/metadata', partsOf(ref), {
        json: patch as MetadataPatch,
      })) as MetadataResult,
    /** Starts the same update as a job, and returns at once. */
    patchAsync: async (ref: CollectionRef, patch: ReadonlyJsonObject) =>
      (await call(transport, 'PATCH /api/collections/:owner/:slug/metadata', partsOf(ref), {
        query: { async: true },
        json: patch as MetadataPatch,
      })) as StartedMetadataJob,
    job,
    /** Waits for the job and returns the answer of the synchronous call. @throws the errors of the synchronous call; `timeout` */
    waitForJob: async (
      ref: CollectionRef,
      id: string,
      options: WaitOptions = {},
    ): Promise<MetadataResult> => {
      const until = Date.now() + (options.timeoutMs ?? 600_000)
      for (let wait = pollMs; ; wait = Math.min(pollMsMax, wait * 1.6)) {
        const state = await job(ref, id, options.signal)
        if (state.status === 'completed' && state.result !== undefined) return state.result
        if (state.status === 'failed') throw UlmusError.fromBody(state.error ?? {})
        if (Date.now() + wait > until) {
          throw new UlmusError(`The metadata job ${id} is still running. Ask for it again later.`, {
            status: 0,
            code: 'timeout',
          })
        }
        await sleep(wait, options.signal)
      }
    },
  }
}
