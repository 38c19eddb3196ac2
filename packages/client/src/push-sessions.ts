/** Sessions of pushes that an earlier program opened. http-api §9. */
import type { PushState } from '@ulmus/wire'
import { type CollectionRef, pushPlace } from './places.ts'
import type { Transport } from './transport.ts'

export const pushSessionCalls = (transport: Transport) => ({
  /** How a session is, and what became of its commit. To ask keeps an open one open. @throws push_not_found */
  get: async (ref: CollectionRef, session: string, signal?: AbortSignal) =>
    (await transport.json<PushState>({ path: pushPlace(ref, session), signal })).body,
  /** Gives a session up; nothing of it is published. @throws push_not_found, push_not_open */
  cancel: async (ref: CollectionRef, session: string, signal?: AbortSignal): Promise<void> => {
    await transport.json({ method: 'DELETE', path: pushPlace(ref, session), signal })
  },
})
