/** For whom workers do what a request asks. */

import type { Principal } from '../access/principal.ts'
import { RegistryError } from '../errors/errors.ts'

/** For whom a task is done. */
export interface TaskFor {
  /** Takes turns with others: the id of the account that asks or, for a commit, that owns the collection. */
  owner: string
  /** Ends the task, and the waiting for it: nobody takes its outcome any more. Its reason is what the task rejects with. */
  signal?: AbortSignal | undefined
}

/** @param signal of the request: it ends the task, and the waiting for it, when its connection is closed */
export const taskFor = (who: Principal, signal?: AbortSignal): TaskFor => ({
  owner: who.kind === 'anonymous' ? '' : who.accountId,
  signal: signal && explained(signal),
})

/** What nobody reads any more. */
const closed = () =>
  new RegistryError('invalid_request', {
    say: { reason: 'The connection was closed before the request was answered.' },
    details: { issues: [] },
  })

/** The same signal, with a reason that is a refusal. */
function explained(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(closed())
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
