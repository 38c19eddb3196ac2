/** Sessions of pushes that an earlier program opened. http-api §9. */
import { call } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

export const pushSessionCalls = (transport: Transport) => ({
  /** How a session is, and what became of its commit. To ask keeps an open one open. @throws push_not_found */
  get: async (ref: CollectionRef, session: string, signal?: AbortSignal) =>
    call(
      transport,
      'GET /api/collections/:owner/:slug/pushes/:id',
      { ...partsOf(ref), id: session },
      { signal },
    ),
  /** Gives a session up; nothing of it is published. @throws push_not_found, push_not_open */
  cancel: async (ref: CollectionRef, session: string, signal?: AbortSignal): Promise<void> => {
    await call(
      transport,
      'DELETE /api/collections/:owner/:slug/pushes/:id',
      { ...partsOf(ref), id: session },
      { signal },
    )
  },
})
