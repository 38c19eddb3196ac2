/**
 * Spills of a session in the blob store: stored while it is open, read by its commit, deleted at its end. A blob is written before
 * its row; a sweep removes blobs that a crash left behind.
 */
import {
  deletePushSpills,
  expirePushes,
  insertPushSpill,
  listEndedPushesWithSpills,
  listPushSpills,
  type PushSpillRow,
  replacePushSpills,
  spillName,
  touchOpenPush,
} from '@ulmus/storage'
import { v4 as randomId } from 'uuid'
import { type Acting, demandStill } from '../../access/authority.ts'
import { demandRoom } from '../../accounts/quotas.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { freeWhole } from '../../work/buffers.ts'
import { type Lease, leaseLost } from '../state/lease.ts'
import type { PushEntry } from './entries.ts'
import { type FrameEntries, SpillDamagedError } from './frame.ts'
import { groupsToMerge, mergeSpills, type Superseded, spillsAtOnceMax } from './merge.ts'
import { encodeSpillStream, readSpill } from './spill.ts'

/** Content of a spill: lines of records and deletes, or entries of a snapshot's manifest. */
export type SpillRole = PushSpillRow['role']

/**
 * Stores a spill, whose memory it takes over, and adds it to its session. Removes it again if the session has ended meanwhile.
 * @throws push_not_open; quota_exceeded; the errors of `demandStill`.
 */
export async function keepSpill(
  context: Context,
  pushId: string,
  made: { role: SpillRole; spill: Uint8Array; entries: number },
  touch: { expiresAt: Date; receivedRecords: number },
  by: Acting,
): Promise<void> {
  const name = spillName(pushId, randomId())
  const bytes = made.entries === 0 ? 0 : await context.blobs.put(name, made.spill)
  freeWhole(made.spill)
  try {
    await context.database.transact(async (tx) => {
      await demandStill(context, tx, by)
      if (!(await touchOpenPush(tx, pushId, { now: context.now(), ...touch })))
        throw new RegistryError('push_not_open', { say: { status: 'ended by now' } })
      if (made.entries > 0)
        await insertPushSpill(tx, { pushId, role: made.role, name, entries: made.entries, bytes })
      await demandRoom(context, tx, by)
    })
  } catch (error) {
    if (error instanceof RegistryError) await context.blobs.remove(name)
    throw error
  }
}

/**
 * Spills of a session in order of arrival, few enough of each role to be read concurrently: if there are more, merges adjacent
 * ones into longer ones, which replace them.
 * @param superseded as for `mergeSpills`, for spills of a manifest
 * @throws push_not_open if `lease` is lost.
 */
export async function tieredSpills(
  context: Context,
  lease: Lease,
  superseded: Superseded,
): Promise<PushSpillRow[]> {
  for (;;) {
    const spills = await listPushSpills(context.database, lease.pushId)
    const crowded = (['records', 'manifest'] as const).find(
      (role) => spills.filter((spill) => spill.role === role).length > spillsAtOnceMax,
    )
    if (crowded === undefined) return spills
    for (const group of groupsToMerge(spills.filter((spill) => spill.role === crowded)))
      await mergeGroup(context, lease, group, crowded === 'manifest' ? superseded : undefined)
  }
}

async function mergeGroup(
  context: Context,
  lease: Lease,
  group: PushSpillRow[],
  superseded: Superseded | undefined,
): Promise<void> {
  const last = group.at(-1)!
  const name = spillName(last.pushId, randomId())
  let entries = 0
  async function* counted(): AsyncGenerator<PushEntry[]> {
    for await (const batch of mergedEntries(context, group, superseded)) {
      entries += batch.length
      yield batch
    }
  }
  const bytes = await context.blobs.put(name, encodeSpillStream(counted()))
  const replaced = await context.database.transact((tx) =>
    replacePushSpills(tx, group, { ...last, name, entries, bytes }, lease.holder),
  )
  for (const one of replaced ? group.map((spill) => spill.name) : [name]) await context.blobs.remove(one)
  if (!replaced) throw leaseLost()
}

/** Merges the entries of spills into one sorted stream; see `mergeSpills`. */
export const mergedEntries = (
  context: Context,
  spills: readonly PushSpillRow[],
  superseded?: Superseded,
): AsyncGenerator<PushEntry[]> =>
  mergeSpills(
    spills.map((spill) => entriesOf(context, spill)),
    superseded,
  )

/** Reads a stored spill. @throws object_corrupt for a damaged one: for a damaged frame before any entry of it is used. */
export async function* entriesOf(context: Context, spill: PushSpillRow): AsyncGenerator<FrameEntries> {
  let entries = 0
  try {
    for await (const frame of readSpill(context.blobs.stream(spill.name))) {
      entries += frame.length
      yield frame
    }
    if (entries !== spill.entries) throw new SpillDamagedError('a spill ends too soon')
  } catch (cause) {
    if (!(cause instanceof SpillDamagedError)) throw cause
    throw new RegistryError('object_corrupt', { say: { received: spill.name }, cause })
  }
}

/** Deletes the spills of an ended session. Logs failures: the next expiry retries. */
export async function dropSpills(context: Context, pushId: string): Promise<void> {
  try {
    for (const spill of await listPushSpills(context.database, pushId)) await context.blobs.remove(spill.name)
    await context.database.transact((tx) => deletePushSpills(tx, pushId))
  } catch (error) {
    context.log.warn({ err: error, pushId }, 'could not drop the spills of an ended push session')
  }
}

/** Expires idle sessions, and drops the data of ended ones. */
export async function expireSessions(context: Context): Promise<void> {
  await context.database.transact((tx) => expirePushes(tx, context.now()))
  for (const pushId of await listEndedPushesWithSpills(context.database)) await dropSpills(context, pushId)
}
