/**
 * Reading threads decode the leaves of long streams, and leaves of which a reader wants a single record: the event loop stays free for
 * other requests, and a stream uses more than one core. Separate from the push workers, behind which no reader should wait.
 */

import { threadsUsual } from '../memory.ts'
import type { CompareOutcome, CompareTask, LeafChange } from '../stored-leaves/compare-leaves.ts'
import type { FindOutcome, FindTask, FoundRecord } from '../stored-leaves/find-record.ts'
import type { LeafOutcome, LeafTask } from '../stored-leaves/write-leaf.ts'
import { type OnDamage, refuseDamaged } from '../threads/damage.ts'
import { wholeBuffers } from '../threads/free.ts'
import { openThreadPool } from '../threads/thread-pool.ts'
import { Turns } from '../threads/turns.ts'
import { youngMebibytes } from './workers.ts'

/** `reader`: who takes turns with others (`readerOf`). */
export interface ReadingThreads {
  /**
   * A leaf's records as lines, checked. Takes the buffer of the task over, and what was read if nothing else lies beside it in memory.
   * @throws ObjectCorrupt; TreeError when the leaf is not what its parent says.
   */
  writeLeaf(task: LeafTask, reader: string): Promise<Exclude<LeafOutcome, { kind: 'damaged' }>>
  /** Differences between two leaves. Takes over the buffers likewise. @throws likewise. */
  compareLeaves(task: CompareTask, reader: string): Promise<LeafChange[]>
  /** One record of a leaf; undefined when the leaf has none with that id. Takes over likewise. @throws likewise. */
  findRecord(task: FindTask, reader: string): Promise<FoundRecord | undefined>
  /** Whether there is a thread that need not be waited for until it has begun. If there is none, one begins. */
  hasBegun(): boolean
  /** Waits for running tasks. */
  close(): Promise<void>
}

/** Threads of their own (`openThreadPool`). */
export function openReadingThreads(onDamage?: OnDamage): ReadingThreads {
  const pool = openThreadPool({
    filename: new URL('./reading.ts', import.meta.url).href,
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
  })
  const turns = new Turns({ places: threadsUsual })
  const run = <Outcome>(name: string, task: object, over: ArrayBuffer[], reader: string): Promise<Outcome> =>
    turns.run(reader, () => pool.run(task, { name, transferList: over }))
  let beginning = false
  async function begin(): Promise<void> {
    beginning = true
    try {
      await pool.run(undefined, { name: 'begin' })
    } catch {
      // The pool closed meanwhile, or the next task reports the error.
    } finally {
      beginning = false
    }
  }
  return {
    async writeLeaf(task, reader) {
      const over = [...wholeBuffers([task]), ...(task.buffer === undefined ? [] : [task.buffer])]
      return refuseDamaged(await run<LeafOutcome>('writeLeaf', task, over, reader), onDamage)
    },
    async compareLeaves(task, reader) {
      const over = wholeBuffers([task.before, task.after])
      return refuseDamaged(await run<CompareOutcome>('compareLeaves', task, over, reader), onDamage).changes
    },
    async findRecord(task, reader) {
      const found = refuseDamaged(
        await run<FindOutcome>('findRecord', task, wholeBuffers([task]), reader),
        onDamage,
      )
      return found.kind === 'found' ? found : undefined
    },
    hasBegun() {
      if (pool.threads.length === 0) void begin()
      return !beginning
    },
    async close() {
      await turns.close()
      await pool.close()
    },
  }
}
