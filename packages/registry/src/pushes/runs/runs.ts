/** The runs of a session in the blob store: kept while it is open, read at its commit, dropped at its end. */
import {
  deletePushRuns,
  expirePushes,
  insertPushRun,
  listEndedPushesWithRuns,
  listPushRuns,
  type PushRunRow,
  replacePushRuns,
  runName,
  touchOpenPush,
} from '@ulmus/storage'
import { v4 as randomId } from 'uuid'
import { type Acting, demandStill } from '../../access/authority.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { freeWhole } from '../../threads/free.ts'
import { type Lease, leaseLost } from '../state/lease.ts'
import type { PushEntry } from './entry.ts'
import { type FrameEntries, RunDamaged } from './frame.ts'
import { groupsToMerge, mergeRuns, runsAtOnceMax, type Superseded } from './merge.ts'
import { encodeRunStream, readRun } from './run.ts'

export type RunRole = PushRunRow['role']

/**
 * Stores a run, which it takes over, and adds it to its session, or takes it back when the session has ended meanwhile.
 * @throws push_not_open; what `demandStill` does.
 */
export async function keepRun(
  context: Context,
  pushId: string,
  made: { role: RunRole; run: Uint8Array; entries: number },
  touch: { expiresAt: Date; receivedRecords: number },
  by: Acting,
): Promise<void> {
  const name = runName(pushId, randomId())
  const bytes = made.entries === 0 ? 0 : await context.blobs.put(name, made.run)
  freeWhole(made.run)
  try {
    await context.database.transact(async (tx) => {
      await demandStill(context, tx, by)
      if (!(await touchOpenPush(tx, pushId, { now: context.now(), ...touch })))
        throw new RegistryError('push_not_open', { say: { status: 'no longer open' } })
      if (made.entries > 0)
        await insertPushRun(tx, { pushId, role: made.role, name, entries: made.entries, bytes })
    })
  } catch (error) {
    if (error instanceof RegistryError) await context.blobs.remove(name)
    throw error
  }
}

/**
 * The runs of a session's entries in order of arrival, few enough of each role to be read at once: where there are more, some
 * neighbours are merged into longer ones, which take their place.
 * @param superseded as of `mergeRuns`, for runs of a manifest
 * @throws push_not_open when `lease` is lost.
 */
export async function tieredRuns(
  context: Context,
  lease: Lease,
  superseded: Superseded,
): Promise<PushRunRow[]> {
  for (;;) {
    const received = await listPushRuns(context.database, lease.pushId)
    const runs = received.filter(({ role }) => role !== 'schemas')
    const crowded = (['records', 'manifest'] as const).find(
      (role) => runs.filter((run) => run.role === role).length > runsAtOnceMax,
    )
    if (crowded === undefined) return runs
    for (const group of groupsToMerge(runs.filter((run) => run.role === crowded)))
      await mergeGroup(context, lease, group, crowded === 'manifest' ? superseded : undefined)
  }
}

async function mergeGroup(
  context: Context,
  lease: Lease,
  group: PushRunRow[],
  superseded: Superseded | undefined,
): Promise<void> {
  const last = group.at(-1)!
  const name = runName(last.pushId, randomId())
  let entries = 0
  async function* counted(): AsyncGenerator<PushEntry[]> {
    for await (const batch of mergedEntries(context, group, superseded)) {
      entries += batch.length
      yield batch
    }
  }
  const bytes = await context.blobs.put(name, encodeRunStream(counted()))
  const replaced = await context.database.transact((tx) =>
    replacePushRuns(tx, group, { ...last, name, entries, bytes }, lease.holder),
  )
  for (const one of replaced ? group.map((run) => run.name) : [name]) await context.blobs.remove(one)
  if (!replaced) throw leaseLost()
}

/** The entries of some runs as one sorted stream; see `mergeRuns`. */
export const mergedEntries = (
  context: Context,
  runs: readonly PushRunRow[],
  superseded?: Superseded,
): AsyncGenerator<PushEntry[]> =>
  mergeRuns(
    runs.map((run) => entriesOf(context, run)),
    superseded,
  )

/** The entries of a stored run. @throws object_corrupt when it is not what was received: nothing is made of it. */
export async function* entriesOf(context: Context, run: PushRunRow): AsyncGenerator<FrameEntries> {
  let entries = 0
  try {
    for await (const frame of readRun(context.blobs.stream(run.name))) {
      entries += frame.length
      yield frame
    }
    if (entries !== run.entries) throw new RunDamaged('a run ends too soon')
  } catch (cause) {
    if (!(cause instanceof RunDamaged)) throw cause
    throw new RegistryError('object_corrupt', { say: { received: run.name }, cause })
  }
}

/** What an ended session had received is of no more use. Failing is harmless: the next tidying does it. */
export async function dropRuns(context: Context, pushId: string): Promise<void> {
  try {
    for (const run of await listPushRuns(context.database, pushId)) await context.blobs.remove(run.name)
    await context.database.transact((tx) => deletePushRuns(tx, pushId))
  } catch (error) {
    context.log.warn({ err: error, pushId }, 'could not drop the runs of an ended push session')
  }
}

/** Ends sessions that nobody used in time, and drops what ended ones had received. */
export async function tidySessions(context: Context): Promise<void> {
  await context.database.transact((tx) => expirePushes(tx, context.now()))
  for (const pushId of await listEndedPushesWithRuns(context.database)) await dropRuns(context, pushId)
}
