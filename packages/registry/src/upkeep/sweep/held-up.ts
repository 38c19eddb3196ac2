/**
 * Erasures blocked by damage. A pack cannot be rewritten while a surviving object in it is damaged, an undecodable delta cannot
 * be rewritten without its base, and the objects below an unreadable node are unknown. Such a version stays queued, with all its
 * rows and packs in place, so that they can be found after a repair.
 */
import {
  BlobMissingError,
  findVersionById,
  ObjectCorruptError,
  ObjectMissingError,
  PackCorruptError,
  type Queries,
  type VersionToErase,
  versionsToErase,
} from '@ulmus/storage'
import { semverOf } from '../../versions/content.ts'
import type { Damage } from '../fsck/damage.ts'

export interface BlockedErasure {
  version: VersionToErase
  why: Error
}

/**
 * @returns the versions that damage keeps `erase` from erasing. Calls it with all versions first, and with one at a time if that
 * fails.
 */
export async function blockedAmong(
  requested: readonly VersionToErase[],
  erase: (some: readonly VersionToErase[]) => Promise<void>,
): Promise<BlockedErasure[]> {
  const why = await damageIn(erase(requested))
  if (why === undefined) return []
  const blocked: BlockedErasure[] = []
  for (const version of requested) {
    const own = requested.length === 1 ? why : await damageIn(erase([version]))
    if (own !== undefined) blocked.push({ version, why: own })
  }
  return blocked
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
  error instanceof ObjectCorruptError ||
  error instanceof ObjectMissingError ||
  error instanceof PackCorruptError ||
  error instanceof BlobMissingError

/**
 * Names of the blocked erasures, without those that another sweep has finished meanwhile or that were deleted with their
 * collection.
 */
export async function named(at: Queries, blocked: readonly BlockedErasure[]): Promise<Damage[]> {
  if (blocked.length === 0) return []
  const still = new Set((await versionsToErase(at)).map(({ id }) => id))
  const damages: Damage[] = []
  for (const { version, why } of blocked) {
    const row = still.has(version.id) ? await findVersionById(at, version.id) : undefined
    if (row === undefined) continue
    damages.push({ what: `version ${semverOf(row)} of collection ${version.collectionId}`, why: why.message })
  }
  return damages
}
