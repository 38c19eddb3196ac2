/** Push sessions opened by an earlier run of a program. http-api §9. */
import { call } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

export const pushSessionCalls = (transport: Transport) => ({
  /** State of a session, and the result of its commit. The request keeps an open session alive. @throws push_not_found */
  get: async (ref: CollectionRef, session: string, signal?: AbortSignal) =>
    call(
      transport,
      'GET /api/collections/:owner/:slug/pushes/:id',
      { ...partsOf(ref), id: session },
      { signal },
    ),
  /** Cancels a session; nothing of it is published. @throws push_not_found, push_not_open */
  cancel: async (ref: CollectionRef, session: string, signal?: AbortSignal): Promise<void> => {
    await call(
      transport,
      'DELETE /api/collections/:owner/:slug/pushes/:id',
      { ...partsOf(ref), id: session },
      { signal },
    )
  },
})
