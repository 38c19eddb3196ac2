/** Workers that keep running during faults. Each has its own collections and a random order of operations. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LimitedKeys } from './limited-keys.ts'
import { CollectionModel } from './model.ts'
import { operations } from './operations.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { Answer, Ask, Requests } from './requests.ts'
import { org, owner } from './stage.ts'
import type { Turn } from './turn.ts'

/** Maximum number of collections per worker, including forks. */
const collectionsMax = 4
const pauseMillisecondsMax = 60

export class Worker implements Turn {
  readonly name: string
  readonly random: Random
  readonly requests: Requests
  readonly report: Report
  /** Collections that exist or may exist. */
  collections: CollectionModel[] = []
  /** Recently deleted collections. */
  readonly deleted: CollectionModel[] = []
  readonly limitedKeys: LimitedKeys
  #slugs = 0
  #numbers = 0

  constructor(name: string, parts: { random: Random; requests: Requests; report: Report }) {
    this.name = name
    this.random = parts.random.child(name)
    this.requests = parts.requests
    this.report = parts.report
    this.limitedKeys = new LimitedKeys(`limited ${name}`)
  }

  ask(method: string, path: string, asked?: Ask): Promise<Answer> {
    return this.requests.ask(this.random, method, path, asked)
  }

  own(collection: CollectionModel): void {
    this.collections.push(collection)
  }

  newCollection({
    isFork = false,
    like,
  }: {
    isFork?: boolean
    like?: CollectionModel
  } = {}): CollectionModel {
    const slug = `${this.name}-${++this.#slugs}`
    const name = like?.names[0]
    return new CollectionModel(isFork ? org : owner, slug, { isFork, ...(name !== undefined && { name }) })
  }

  newNumber(): number {
    return ++this.#numbers
  }

  /** Removes deleted collections, except for a few that are looked up again. */
  sortOut(): void {
    const gone = this.collections.filter(({ existence }) => existence === 'absent')
    this.collections = this.collections.filter(({ existence }) => existence !== 'absent')
    this.deleted.push(...gone)
    this.deleted.splice(0, this.deleted.length - 10)
  }

  /** Runs one operation on one collection. */
  async step(): Promise<void> {
    const sure = this.collections.filter((one) => one.existence === 'present' && one.isSure)
    const hasRoom = this.collections.length < collectionsMax
    const possible = operations
      .map((operation) => ({
        operation,
        weight: operation.weight,
        on: operation.for && sure.filter(operation.for),
      }))
      .filter(
        ({ operation, on }) => (on === undefined || on.length > 0) && (hasRoom || operation.makes !== true),
      )
    const pause = this.random.between(0, pauseMillisecondsMax)
    if (possible.length > 0) {
      const { operation, on } = this.random.weighted(possible)
      const collection = on === undefined ? this.newCollection() : this.random.pick(on)
      const fate = await operation.run(this, collection)
      this.report.operation(operation.name, fate === 'wrong' ? 'refused' : fate)
      this.sortOut()
      // A refused connection fails at once: do not spin.
      if (fate === 'refused' || fate === 'open') await sleep(200)
    }
    await sleep(possible.length === 0 ? 200 : pause)
  }
}

/** Lets workers run, or blocks them. */
export class Gate {
  #open = Promise.withResolvers<void>()
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  passed(): Promise<void> {
    return this.#open.promise
  }

  open(): void {
    this.#open.resolve()
  }

  close(): void {
    this.#open = Promise.withResolvers()
  }

  /** Releases waiting workers and stops all work. */
  end(): void {
    this.#isOver = true
    this.#open.resolve()
  }
}
