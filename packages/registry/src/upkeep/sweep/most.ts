/** Refuses a sweep of most of the store: more likely, the database is the wrong one. */
import { oldPacks, type SweptRow } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { weighStore } from './unreferenced.ts'

/** A sweep may always remove this much, such as a first collection that was deleted again. Bytes. */
const trivialBytes = 1_048_576

/** A sweep would set aside more than half of the store, so it did nothing. The message is for the operator. */
export class SweepTooLargeError extends Error {
  override name = 'SweepTooLargeError'
  readonly bytes: number
  readonly storeBytes: number

  constructor(bytes: number, storeBytes: number) {
    super(
      `No version needs ${bytes} of the ${storeBytes} bytes in the object store, which is more than half, so nothing was removed. ` +
        'If much was deleted, that is right: `ulmus-server sweep --force` continues. If not, the database may be the wrong one, or restored ' +
        'from before the objects: check DATABASE_URL and DATA_DIR.',
    )
    this.bytes = bytes
    this.storeBytes = storeBytes
  }
}

/**
 * Refuses a sweep that is too large.
 * @param dead rows that the sweep is about to condemn
 * @throws SweepTooLargeError
 */
export async function refuseMost(
  context: Pick<Context, 'database' | 'blobs'>,
  dead: readonly SweptRow[],
  { before, graceSeconds }: { before: Date; graceSeconds: number },
): Promise<void> {
  const { storeBytes, unreferencedBytes } = await weighStore(context, before)
  const going = unreferencedBytes + (await packBytesGoing(context, dead, graceSeconds))
  if (going > trivialBytes && going * 2 > storeBytes) throw new SweepTooLargeError(going, storeBytes)
}

/** Bytes that the sweep would free: packs that will be empty, and the parts of rewritten packs that are not copied. */
async function packBytesGoing(
  { database }: Pick<Context, 'database'>,
  dead: readonly SweptRow[],
  graceSeconds: number,
): Promise<number> {
  const deadBytes = new Map<number, number>()
  for (const { packId, length } of dead) deadBytes.set(packId, (deadBytes.get(packId) ?? 0) + length)
  let going = 0
  for (const { id, bytes, objectBytes, livingBytes } of await oldPacks(database, graceSeconds)) {
    const left = livingBytes - (deadBytes.get(id) ?? 0)
    if (left === 0 || left * 2 < objectBytes) going += bytes - left
  }
  return going
}
