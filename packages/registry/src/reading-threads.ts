/**
 * The threads that decode what long streams are made of: so that the event loop has time for everyone else, and a stream
 * takes more than one core. They are others than those of pushes, behind which no reader is to wait.
 */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { CompareOutcome, CompareTask, LeafChange } from './workers/compare-leaves.ts'
import { refuseDamaged } from './workers/damage.ts'
import type { LeafOutcome, LeafTask } from './workers/write-leaf.ts'
import { youngMebibytes } from './workers.ts'

export interface ReadingThreads {
  /**
   * A leaf's records as lines, checked. Takes the room of the task over, and what was read if nothing else lies beside it in memory.
   * @throws ObjectCorrupt; TreeError when the leaf is not what its parent says.
   */
  writeLeaf(task: LeafTask): Promise<Exclude<LeafOutcome, { kind: 'damaged' }>>
  /** What differs between two leaves. @throws likewise. */
  compareLeaves(task: CompareTask): Promise<LeafChange[]>
  /** Waits for running tasks. */
  close(): Promise<void>
}

/** As many threads as cores; they start when first needed and end after 30 s of idleness. */
export function openReadingThreads(): ReadingThreads {
  const pool = new Piscina({
    filename: new URL('./workers/reading.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: 30_000,
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
  })
  return {
    async writeLeaf(task) {
      const transferList = [...wholeBuffers(task), ...(task.room === undefined ? [] : [task.room])]
      return refuseDamaged((await pool.run(task, { name: 'writeLeaf', transferList })) as LeafOutcome)
    },
    async compareLeaves(task) {
      const outcome = (await pool.run(task, { name: 'compareLeaves' })) as CompareOutcome
      return refuseDamaged(outcome).changes
    },
    close: () => pool.close(),
  }
}

/** The buffers of which the task uses every byte, so that nobody else can want them, and which are not Node's own pool. */
function wholeBuffers({ node, body }: LeafTask): ArrayBuffer[] {
  const used = new Map<ArrayBufferLike, number>()
  for (const { bytes } of [...node.chain, ...body.chain])
    used.set(bytes.buffer, (used.get(bytes.buffer) ?? 0) + bytes.byteLength)
  const whole = [...used].filter(([{ byteLength }, bytes]) => bytes === byteLength)
  return whole.map(([buffer]) => buffer as ArrayBuffer).filter((one) => one.byteLength > Buffer.poolSize)
}
