/**
 * Sweeping (content-model §8): removes objects that no version needs. Dead objects leave the index, and mostly dead packs are
 * rewritten. Empty packs and unrecorded leftovers are set aside, and removed from the store after a week. Files that any version
 * ever had stay; uploads that no version ever had are forgotten after a month.
 *
 * Sweeps run beside all other work, on any server, even several at once; storage's sql/objects/sweeps.ts explains how sweeps and
 * commits avoid conflicts. Blobs younger than a day stay.
 */
import {
  allSetAside,
  BlobMissingError,
  basesOfYoungRows,
  condemn,
  copyObjects,
  endPeriodicTask,
  forgetEmptyPacks,
  isStorageFull,
  momentAgo,
  moveRows,
  ObjectCorruptError,
  oldRows,
  openObjectReader,
  type PackEntry,
  packBytesMax,
  packsOf,
  pardon,
  recordedPacks,
  removeCondemned,
  rootsToKeep,
  rowsOfPack,
  type SweptRow,
  type WornPack,
  wornPacks,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import type { Context } from '../context.ts'
import { defaultLimits } from '../limits.ts'
import { eraseWithdrawn } from './sweep/erasure.ts'
import { Marks } from './sweep/marks.ts'
import { refuseMost } from './sweep/most.ts'
import { emptyReport, type SweepReport } from './sweep/report.ts'
import {
  add,
  addTo,
  forgetUploads,
  removeLongAside,
  removeSpills,
  setUnreferencedAside,
} from './sweep/unreferenced.ts'

/** Name of the periodic task: one server at a time starts it, and metrics report its outcome. */
export const sweeping = 'sweep'
const daySeconds = 86_400
/** Keeps younger blobs: those of running commits may not be recorded yet. */
const graceSecondsUsual = daySeconds
/** Cache of decoded objects while marking. Bytes. */
const cacheBytes = 33_554_432
/** Rows that one transaction condemns, pardons or removes; others may have to wait for it. */
const rowsAtOnceUsual = 5_000

export type { SweepReport } from './sweep/report.ts'

/** The dependencies of a sweep: it runs in servers and in the command `ulmus-server sweep`, which has no services. */
export type SweepContext = Pick<Context, 'database' | 'blobs' | 'log' | 'now'>

export interface SweepOptions {
  /** Younger objects stay. Default: a day. */
  graceSeconds?: number
  /** Time between setting blobs aside and removing them. Default: `Limits.keepDeletedDays`. */
  asideSeconds?: number
  /** Retention of uploads that no version has. Days. Default: `Limits.uploadDays`. */
  uploadDays?: number
  /** True: continue even if more than half of the store would be set aside. */
  force?: boolean
  /** Rows that one transaction condemns, pardons or removes; fewer in tests. */
  rowsAtOnce?: number
  /** Called between the steps, for tests. */
  onStep?: (step: 'erasing' | 'marked' | 'condemned' | 'pardoned') => Promise<void>
}

/**
 * Runs a sweep.
 * @throws SweepTooLargeError. Also if an object that a version needs is unreadable: nothing is removed while the living objects are
 * unknown. Run fsck.
 */
export async function sweep(context: SweepContext, options: SweepOptions = {}): Promise<SweepReport> {
  const ended = (succeeded: boolean) =>
    context.database.transactOnce((tx) => endPeriodicTask(tx, sweeping, succeeded))
  try {
    const report = await new Sweep(context, options).run()
    // An erasure blocked by damage does not resume by itself: the operator has to act.
    await ended(report.erasuresHeldUp.length === 0)
    return report
  } catch (error) {
    // The error matters more than a failure to record it.
    await ended(false).catch(() => undefined)
    throw error
  }
}

class Sweep {
  readonly #context: SweepContext
  readonly #id = newId()
  readonly #grace: number
  readonly #asideSeconds: number
  readonly #uploadDays: number
  readonly #force: boolean
  readonly #rowsAtOnce: number
  readonly #onStep: NonNullable<SweepOptions['onStep']>
  readonly #marks: Marks
  readonly #report = emptyReport()

  constructor(context: SweepContext, options: SweepOptions) {
    const { database, blobs } = context
    this.#context = context
    this.#grace = options.graceSeconds ?? graceSecondsUsual
    this.#asideSeconds = options.asideSeconds ?? defaultLimits.keepDeletedDays * daySeconds
    this.#uploadDays = options.uploadDays ?? defaultLimits.uploadDays
    this.#force = options.force ?? false
    this.#rowsAtOnce = options.rowsAtOnce ?? rowsAtOnceUsual
    this.#onStep = options.onStep ?? (async () => undefined)
    this.#marks = new Marks(database, openObjectReader({ database, blobs, cacheBytesMax: cacheBytes }))
  }

  async run(): Promise<SweepReport> {
    const before = new Date(this.#context.now().getTime() - this.#grace * 1_000)
    await this.#erase()
    const youngSince = await momentAgo(this.#context.database, this.#grace)
    await this.#mark(youngSince)
    const dead = await this.#dead(youngSince)
    if (!this.#force) await refuseMost(this.#context, dead, { before, graceSeconds: this.#grace })
    await this.#onStep('marked')
    // Bases are condemned before their deltas, and removed after them.
    dead.sort((a, b) => a.bases.length - b.bases.length)
    await this.#inSlices(dead, (tx, rows) => condemn(tx, this.#id, rows, youngSince))
    await this.#onStep('condemned')
    await this.#mark(youngSince)
    const doomed = await this.#pardonLiving(dead)
    await this.#onStep('pardoned')
    await this.#inSlices(
      doomed.toReversed(),
      async (tx, rows) => removeCondemned(tx, this.#id, rows),
      (removed) => {
        this.#report.objectsRemoved += removed
      },
    )
    await this.#forgetEmptyPacks()
    await this.#rewriteWornPacks()
    await this.#setUnreferencedAside(before)
    this.#report.versions = this.#marks.versions
    this.#report.living = this.#marks.living
    return this.#report
  }

  async #erase(): Promise<void> {
    const { versions, objects, removed, heldUp } = await eraseWithdrawn(this.#context, this.#id, () =>
      this.#onStep('erasing'),
    )
    for (const { what, why } of heldUp)
      this.#context.log.error({ what, why }, 'a version cannot be erased until the damage is repaired')
    this.#report.erasuresHeldUp = heldUp
    this.#report.versionsErased = versions
    this.#report.objectsRemoved += objects
    add(this.#report.removed, removed)
  }

  async #setUnreferencedAside(before: Date): Promise<void> {
    add(this.#report.setAside, await setUnreferencedAside(this.#context, before))
    const uploadsBefore = new Date(this.#context.now().getTime() - this.#uploadDays * daySeconds * 1_000)
    add(this.#report.uploadsForgotten, await forgetUploads(this.#context, uploadsBefore))
    add(this.#report.removed, await removeSpills(this.#context, before))
    add(this.#report.removed, await removeLongAside(this.#context, before, this.#asideSeconds))
    this.#report.aside = await allSetAside(this.#context.database)
  }

  /** Marks all versions except erased ones, and the bases of young rows: their commits may not have landed yet. */
  async #mark(youngSince: Date): Promise<void> {
    const { database } = this.#context
    await this.#marks.mark(await rootsToKeep(database))
    for (const base of await basesOfYoungRows(database, youngSince)) this.#marks.markAlone(base)
  }

  /** Old rows of objects that no version needs, directly or as a base. */
  async #dead(youngSince: Date): Promise<SweptRow[]> {
    if (this.#marks.hasGaps) return []
    const unmarked: SweptRow[] = []
    for await (const page of oldRows(this.#context.database, youngSince)) {
      for (const row of page) {
        if (this.#marks.lives(row)) this.#markBases(row)
        else unmarked.push(row)
      }
    }
    return this.#withoutLiving(unmarked)
  }

  #markBases({ kind, bases }: SweptRow): void {
    for (const hash of bases) this.#marks.markAlone({ kind, hash })
  }

  /** A row lists its whole chain, so reading each living row once finds all living bases. */
  #withoutLiving(rows: readonly SweptRow[]): SweptRow[] {
    for (const row of rows) if (this.#marks.lives(row)) this.#markBases(row)
    return rows.filter((row) => !this.#marks.lives(row))
  }

  /** Pardons living rows. Returns the others, in the order of their condemnation. */
  async #pardonLiving(condemned: readonly SweptRow[]): Promise<SweptRow[]> {
    const doomed = this.#marks.hasGaps ? [] : this.#withoutLiving(condemned)
    const still = new Set(doomed)
    const living = condemned.filter((row) => !still.has(row))
    await this.#inSlices(living, (tx, rows) => pardon(tx, this.#id, rows))
    return doomed
  }

  async #inSlices<T>(
    rows: readonly SweptRow[],
    work: (tx: Parameters<typeof pardon>[0], rows: readonly SweptRow[]) => Promise<T>,
    done?: (result: T) => void,
  ): Promise<void> {
    for (let i = 0; i < rows.length; i += this.#rowsAtOnce) {
      const slice = rows.slice(i, i + this.#rowsAtOnce)
      const result = await this.#context.database.transact((tx) => work(tx, slice))
      done?.(result)
    }
  }

  async #forgetEmptyPacks(): Promise<number> {
    const { database } = this.#context
    const { aside, forgotten } = await database.transact((tx) => forgetEmptyPacks(tx, this.#grace))
    addTo(this.#report.setAside, aside)
    this.#report.packsEmptied += forgotten
    return forgotten
  }

  async #rewriteWornPacks(): Promise<void> {
    const { database } = this.#context
    let gathered: { pack: WornPack; entries: PackEntry[] }[] = []
    let bytes = 0
    for (const pack of await wornPacks(database, this.#grace)) {
      const entries = await rowsOfPack(database, pack.id)
      gathered.push({ pack, entries })
      bytes += entries.reduce((sum, entry) => sum + entry.length, 0)
      if (bytes < packBytesMax / 2) continue
      await this.#rewrite(gathered)
      gathered = []
      bytes = 0
    }
    if (gathered.length > 0) await this.#rewrite(gathered)
  }

  async #rewrite(worn: readonly { pack: WornPack; entries: PackEntry[] }[]): Promise<void> {
    const { database, blobs } = this.#context
    try {
      const copy = await copyObjects(
        blobs,
        packsOf(this.#context),
        worn.map(({ pack, entries }) => ({ name: pack.name, entries })),
      )
      const from = worn.map(({ pack }) => pack.id)
      await database.transact((tx) => moveRows(tx, copy, from))
      this.#report.bytesWritten += copy.bytes
      this.#report.packsRewritten += await this.#forgetEmptyPacks()
    } catch (error) {
      // A later sweep may have room, perhaps freed by this one.
      if (isStorageFull(error)) return
      if (!(error instanceof ObjectCorruptError || error instanceof BlobMissingError)) throw error
      if (worn.length > 1) for (const one of worn) await this.#rewrite([one])
      else await this.#tellDamaged(worn[0]!.pack, error)
    }
  }

  /** Logs damage, unless another sweep has rewritten the pack meanwhile. */
  async #tellDamaged({ name: pack }: WornPack, err: Error): Promise<void> {
    if (!(await recordedPacks(this.#context.database, [pack])).has(pack)) return
    this.#context.log.error({ err, pack }, 'a worn pack is damaged and stays as it is')
  }
}
