/**
 * Erasures that something damaged is in the way of: a pack cannot be written anew while an object in it that stays is not what was
 * stored, nor a delta to stand alone that cannot be decoded, and nobody can say what is below a node that cannot be read. Such a
 * version stays asked for, with all its rows and packs in their places, so that whoever mends the object finds what there is.
 */
import {
  BlobMissing,
  findVersionById,
  ObjectCorrupt,
  ObjectMissing,
  PackCorrupt,
  type Queries,
  type VersionToErase,
  versionsToErase,
} from '@ulmus/storage'
import { semverOf } from '../../versions/content.ts'
import type { Damage } from '../fsck/damage.ts'

export interface HeldUp {
  version: VersionToErase
  why: Error
}

/** @returns those that `erase` cannot do, for damage; it is called with all of them first, and with one at a time if that fails. */
export async function heldUpAmong(
  asked: readonly VersionToErase[],
  erase: (some: readonly VersionToErase[]) => Promise<void>,
): Promise<HeldUp[]> {
  const why = await damageIn(erase(asked))
  if (why === undefined) return []
  const held: HeldUp[] = []
  for (const version of asked) {
    const own = asked.length === 1 ? why : await damageIn(erase([version]))
    if (own !== undefined) held.push({ version, why: own })
  }
  return held
}

async function damageIn(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (isDamage(error)) return error
    throw error
  }
}

const isDamage = (error: unknown): error is Error =>
  error instanceof ObjectCorrupt ||
  error instanceof ObjectMissing ||
  error instanceof PackCorrupt ||
  error instanceof BlobMissing

/** What is told of them. One that another sweep has erased meanwhile, or that went with its collection, is not held up. */
export async function named(at: Queries, held: readonly HeldUp[]): Promise<Damage[]> {
  if (held.length === 0) return []
  const still = new Set((await versionsToErase(at)).map(({ id }) => id))
  const told: Damage[] = []
  for (const { version, why } of held) {
    const row = still.has(version.id) ? await findVersionById(at, version.id) : undefined
    if (row === undefined) continue
    told.push({ what: `version ${semverOf(row)} of collection ${version.collectionId}`, why: why.message })
  }
  return told
}
