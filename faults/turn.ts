/** An operation and the context of its turn. */
import type { LimitedKeys } from './limited-keys.ts'
import type { CollectionModel } from './model.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { Answer, Ask, Fate, Requests } from './requests.ts'

export interface Turn {
  readonly random: Random
  readonly requests: Requests
  readonly report: Report
  /** Collections of the worker that exist or may exist. */
  readonly collections: readonly CollectionModel[]
  readonly limitedKeys: LimitedKeys
  ask(method: string, path: string, asked?: Ask): Promise<Answer>
  /** Adds a collection to the worker's own, before it is requested. */
  own(collection: CollectionModel): void
  /** A new collection with a unique slug. */
  newCollection(options?: { isFork?: boolean; like?: CollectionModel }): CollectionModel
  /** A number unique to each change of this worker, so that no two versions are equal. */
  newNumber(): number
}

export interface Operation {
  readonly name: string
  /** Relative frequency. */
  readonly weight: number
  /** True: it makes a collection, and needs room for one. */
  readonly makes?: true
  /** Selects suitable collections among those with a certain state; absent: it gets a new collection. */
  readonly for?: (collection: CollectionModel) => boolean
  /** Runs it, and reports acknowledgements to the model. No other worker uses the collection meanwhile. */
  readonly run: (turn: Turn, collection: CollectionModel) => Promise<Fate>
}
