/** Background tasks of this process whose last run failed, for operators. */
import { loggedError } from '@ulmus/storage'

export interface FailedTask {
  readonly name: string
  /** Of the first failure since the last success. */
  readonly since: Date
  readonly times: number
  readonly error: string
}

/** Receives the end of each run. */
export interface TaskOutcome {
  succeeded(): void
  failed(error: unknown): void
}

/** Tasks have names of the program, so there are few. */
export class FailedTasks {
  readonly #now: () => Date
  readonly #failed = new Map<string, FailedTask>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Notes the runs of a task. */
  outcomeOf(name: string, logFailure: (error: unknown) => void): TaskOutcome {
    return {
      succeeded: () => void this.#failed.delete(name),
      failed: (error) => {
        const { since = this.#now(), times = 0 } = this.#failed.get(name) ?? {}
        this.#failed.set(name, { name, since, times: times + 1, error: messageOf(error) })
        logFailure(error)
      },
    }
  }

  /** Those that fail for longest first. */
  list(): readonly FailedTask[] {
    return [...this.#failed.values()]
  }
}

/** As in the log: without values of SQL statements, which may be private. */
export function messageOf(error: unknown): string {
  const logged = loggedError(error)
  const isMessage = typeof logged === 'object' && logged !== null && 'message' in logged
  return String(isMessage ? logged.message : logged)
}
