/**
 * Worker tasks of push sessions in this process, aborted when their session is cancelled. A task on another server continues; its
 * result is refused when it is stored.
 */

import { RegistryError } from '../../errors/errors.ts'
import type { TaskFor } from '../../work/task.ts'

export class UnderWay {
  /** Tasks by session. */
  readonly #tasks = new Map<string, Set<AbortController>>()

  /** @throws push_not_open if the session is cancelled meanwhile; the signal's reason; the rejection of `work`. */
  async run<T>(pushId: string, { owner, signal }: TaskFor, work: (by: TaskFor) => Promise<T>): Promise<T> {
    const ending = new AbortController()
    const leave = () => ending.abort(signal!.reason)
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave)
    const others = this.#tasks.get(pushId)
    if (others === undefined) this.#tasks.set(pushId, new Set([ending]))
    else others.add(ending)
    try {
      return await work({ owner, signal: ending.signal })
    } finally {
      signal?.removeEventListener('abort', leave)
      const tasks = this.#tasks.get(pushId)
      tasks?.delete(ending)
      if (tasks?.size === 0) this.#tasks.delete(pushId)
    }
  }

  /** Aborts all tasks of a cancelled session. */
  end(pushId: string): void {
    const reason = new RegistryError('push_not_open', { details: { status: 'cancelled' } })
    for (const ending of this.#tasks.get(pushId) ?? []) ending.abort(reason)
  }
}
