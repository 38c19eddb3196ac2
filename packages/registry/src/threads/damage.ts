/** Damage found by worker threads, passed to the calling thread. */
import { ObjectCorrupt } from '@ulmus/storage/decoding'

/** A damaged object, as ObjectCorrupt names it: errors of our own do not go from thread to thread. */
export interface Damaged {
  kind: 'damaged'
  object: Pick<ObjectCorrupt, 'kind' | 'hash' | 'pack'>
}

/** In the worker: what the work gives, or what it found damaged. */
export async function orDamaged<T>(work: Promise<T>): Promise<T | Damaged> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ObjectCorrupt)) throw error
    const { kind, hash, pack } = error
    return { kind: 'damaged', object: { kind, hash, pack } }
  }
}

/** Called with each damaged object: its remembered location may be outdated. */
export type OnDamage = (kind: ObjectCorrupt['kind'], hash: ObjectCorrupt['hash']) => void

/** In the asking thread. @throws ObjectCorrupt. */
export function refuseDamaged<T extends { kind: string }>(outcome: T | Damaged, onDamage?: OnDamage): T {
  if (!isDamaged(outcome)) return outcome
  const { kind, hash, pack } = outcome.object
  onDamage?.(kind, hash)
  throw new ObjectCorrupt(kind, hash, pack)
}

const isDamaged = (outcome: { kind: string }): outcome is Damaged => outcome.kind === 'damaged'
