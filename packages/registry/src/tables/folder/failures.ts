/** Tables that could not be built, which are not tried again for a while. */
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TableFailedError } from '../build-table.ts'
import type { EngineError } from '../engine/engine.ts'
import type { TableSource } from '../table-source.ts'

/** Another server, release or limit may build the table. Milliseconds. */
const failedMilliseconds = 600_000
/** Failures to remember. */
const failuresMax = 10_000

export interface TableFailure {
  readonly id: string
  /** Id of the account that owns the collection. */
  readonly owner: string
  readonly records: number
  readonly at: Date
  /** Without the engine's message, which may quote a record. */
  readonly kind: EngineError['kind']
}

export class TableFailures {
  /** By path of the table file. */
  readonly #failures = new LRUCache<string, { failure: TableFailure; error: TableFailedError }>({
    max: failuresMax,
    ttl: failedMilliseconds,
  })

  note(path: string, { owner, tree }: TableSource, error: TableFailedError): void {
    const { kind } = error.cause as EngineError
    const failure = { id: randomUUID(), owner, records: tree.count, at: new Date(), kind }
    this.#failures.set(path, { failure, error })
  }

  /** The error of a table that must not be tried again yet. */
  of(path: string): TableFailedError | undefined {
    return this.#failures.get(path)?.error
  }

  /** The latest first. */
  list(): TableFailure[] {
    return [...this.#failures.values()].map(({ failure }) => failure)
  }

  /** Lets the next question build the table. Returns false if it is allowed to already. */
  forget(id: string): boolean {
    for (const [path, { failure }] of this.#failures.entries())
      if (failure.id === id) return this.#failures.delete(path)
    return false
  }
}
