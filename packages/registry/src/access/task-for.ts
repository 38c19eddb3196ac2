/** Owners of worker tasks, and the signals that cancel them. */

import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import type { TaskFor } from '../work/task.ts'

/** @param signal of the request: it ends the task, and the waiting for it, when its connection is closed */
export const taskFor = (who: Principal, signal?: AbortSignal): TaskFor => ({
  owner: who.kind === 'anonymous' ? '' : who.accountId,
  signal: signal && explained(signal),
})

/** Reason for aborting; no client receives it. */
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
