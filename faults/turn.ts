/** An operation and the context of its turn. */
import type { CollectionModel } from './model.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { Answer, Ask, Fate, Requests } from './requests.ts'

export interface Turn {
  readonly random: Random
  readonly requests: Requests
  readonly report: Report
  ask(method: string, path: string, asked?: Ask): Promise<Answer>
  /** Takes a collection into the worker's own, before it is asked for. */
  own(collection: CollectionModel): void
  /** A new collection under a slug that no other ever has. */
  newCollection(options?: { isFork?: boolean; like?: CollectionModel }): CollectionModel
  /** A number that no other change of this worker has, so that no two versions are alike. */
  newNumber(): number
}

export interface Operation {
  readonly name: string
  /** How often it is chosen, beside the others. */
  readonly weight: number
  /** True: it makes a collection, for which there must be room. */
  readonly makes?: true
  /** Which collections it is for, of those of which all is known; absent: it is given a new one. */
  readonly for?: (collection: CollectionModel) => boolean
  /** Runs it, and reports acknowledgements to the model. No other worker uses the collection meanwhile. */
  readonly run: (turn: Turn, collection: CollectionModel) => Promise<Fate>
}
