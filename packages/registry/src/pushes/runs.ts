/** The runs of a session in the blob store: kept while it is open, read at its commit, dropped at its end. */
import {
  deletePushRuns,
  expirePushes,
  insertPushRun,
  listEndedPushesWithRuns,
  listPushRuns,
  type PushRunRow,
  runName,
  touchOpenPush,
} from '@ulmus/storage'
import { v4 as randomId } from 'uuid'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors.ts'
import type { PushEntry } from './entry.ts'
import { mergeRuns, type Superseded } from './merge.ts'
import { readRun } from './run.ts'

export type RunRole = PushRunRow['role']

/**
 * Stores a run and adds it to its session, or takes it back when the session has ended meanwhile.
 * @throws push_not_open.
 */
export async function keepRun(
  context: Context,
  pushId: string,
  made: { role: RunRole; run: Uint8Array; entries: number },
  touch: { expiresAt: Date; receivedRecords: number },
): Promise<void> {
  const name = runName(pushId, randomId())
  const bytes = made.entries === 0 ? 0 : await context.blobs.put(name, made.run)
  const isOpen = await context.database.transact(async (tx) => {
    if (!(await touchOpenPush(tx, pushId, { now: context.now(), ...touch }))) return false
    if (made.entries > 0)
      await insertPushRun(tx, { pushId, role: made.role, name, entries: made.entries, bytes })
    return true
  })
  if (isOpen) return
  await context.blobs.remove(name)
  throw new RegistryError('push_not_open', { say: { status: 'no longer open' } })
}

/** The entries of some runs as one sorted stream; see `mergeRuns`. */
export const mergedEntries = (
  context: Context,
  runs: readonly PushRunRow[],
  superseded?: Superseded,
): AsyncGenerator<PushEntry[]> =>
  mergeRuns(
    runs.map((run) => readRun(context.blobs.stream(run.name))),
    superseded,
  )

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
