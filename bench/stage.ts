/** A server with a big collection and a small one: the stage of most benchmarks. */
import type { CommittedPush } from '@ulmus/wire'
import type { DatabaseKind } from './figures.ts'
import { bodiesOf, bodiesOfChanges, type Input } from './inputs.ts'
import { diskBytes, timed } from './measure.ts'
import { pushBodies } from './pushing.ts'
import { changedNumbers } from './records.ts'
import { Served, type ServedOptions } from './served.ts'

export type Spread = 'scattered' | 'clustered'

/** Key of a figure in `Figures`. */
export interface StagePlace {
  readonly database: DatabaseKind
  readonly size: number
}

/** Cost and result of a push. */
export interface PushFacts {
  readonly ms: number
  /** Objects on disk. */
  readonly bytes: number
  readonly peakMiB: number
  /** Peak memory before the push: the baseline of an almost idle server. */
  readonly peakBeforeMiB: number
  readonly loopDelayMs: number | undefined
  readonly result: CommittedPush
}

/** Records of the small collection, which budgets use for comparison. */
export const smallSize = 1_000

export class Stage {
  readonly served: Served
  readonly place: StagePlace
  /** `owner/slug` */
  readonly big = 'bencher/big'
  readonly small = 'bencher/small'
  readonly firstPush: PushFacts
  /** Peak memory of the process that made the data folder. */
  readonly firstStartMiB: number
  /** Latest version of the big collection. */
  head: string
  #revision = 0
  readonly #pairs = new Map<Spread, { from: string; to: string; revision: number }>()

  private constructor(
    served: Served,
    place: StagePlace,
    { firstPush, firstStartMiB }: Pick<Stage, 'firstPush' | 'firstStartMiB'>,
  ) {
    this.served = served
    this.place = place
    this.firstPush = firstPush
    this.firstStartMiB = firstStartMiB
    this.head = firstPush.result.semver
  }

  /** Starts on a new data folder. The small push warms up the process; the big one is measured. */
  static async open(
    place: StagePlace,
    options: ServedOptions & { input: Input; smallInput: Input },
  ): Promise<Stage> {
    const served = await Served.open(options)
    try {
      for (const slug of ['small', 'big'])
        await served.client.collections.create(served.owner, { slug, public: true })
      // Creating a database takes more memory than anything later, and does not belong to a push.
      const firstStartMiB = served.peakMiB()
      await served.restart()
      // A second after its start a server builds its pages from the sources, which a release has built: 0.8 s of CPU of no push.
      await (await served.ask('/')).arrayBuffer()
      await pushBodies(served, 'bencher/small', null, bodiesOf(options.smallInput))
      const facts = await measured(served, () =>
        pushBodies(served, 'bencher/big', null, bodiesOf(options.input)),
      )
      return new Stage(served, place, { firstPush: facts, firstStartMiB })
    } catch (error) {
      await served.close()
      throw error
    }
  }

  /** Pushes changes of 1 % to the big collection, different ones each time. */
  async pushChanges(spread: Spread): Promise<PushFacts> {
    const revision = ++this.#revision
    const from = this.head
    const bodies = bodiesOfChanges(changedNumbers(this.place.size, spread, revision), revision)
    const facts = await measured(this.served, () => pushBodies(this.served, this.big, from, bodies))
    this.head = facts.result.semver
    if (!this.#pairs.has(spread)) this.#pairs.set(spread, { from, to: this.head, revision })
    return facts
  }

  /** Two successive versions; the second changed 1 %, by `revision`. Pushes them if there are none. */
  async changedPair(spread: Spread): Promise<{ from: string; to: string; revision: number }> {
    if (!this.#pairs.has(spread)) await this.pushChanges(spread)
    return this.#pairs.get(spread)!
  }
}

async function measured(served: Served, push: () => Promise<CommittedPush>): Promise<PushFacts> {
  await served.hasDroppedRuns()
  const before = diskBytes(served.objects)
  const peakBeforeMiB = served.peakMiB()
  await served.loopDelayMs()
  const { ms, value: result } = await timed(push)
  const loopDelayMs = await served.loopDelayMs()
  await served.hasDroppedRuns()
  const bytes = diskBytes(served.objects) - before
  return { ms, bytes, peakMiB: served.peakMiB(), peakBeforeMiB, loopDelayMs, result }
}
