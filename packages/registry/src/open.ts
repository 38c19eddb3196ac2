/** From configuration to a running registry: stores opened, services made, background work started; closed in reverse. */
import { openObjectReader } from '@ulmus/storage'
import { accountsOf } from './accounts.ts'
import { AnswerRoom } from './answer-room.ts'
import { BodyRoom } from './body-room.ts'
import { collectionsOf } from './collections.ts'
import type { Context } from './context.ts'
import { diffsOf } from './diffs.ts'
import { exportsOf } from './exports.ts'
import { figuresOf } from './figures.ts'
import { filesOf } from './files.ts'
import { forksOf } from './forks.ts'
import { scheduleGathering } from './gathering.ts'
import { healthOf } from './health.ts'
import { beat, scheduleHeartbeat } from './heartbeat.ts'
import { historiesOf } from './histories.ts'
import { jobsOf } from './jobs.ts'
import { keysOf } from './keys.ts'
import type { Limits } from './limits.ts'
import { manifestsOf } from './manifests.ts'
import { membersOf } from './members.ts'
import { metadataOf } from './metadata.ts'
import { pushSessionsOf } from './pushes/sessions.ts'
import { pushesOf } from './pushes.ts'
import { openReadingThreads } from './reading-threads.ts'
import { recordsOf } from './records.ts'
import { sessionsOf } from './sessions.ts'
import { snapshotsOf } from './snapshots.ts'
import { roomFor } from './storage-room.ts'
import { openStores, type StoresConfig } from './stores.ts'
import { scheduleSweeps } from './sweep/daily.ts'
import { Tally } from './tally.ts'
import { scheduleUpkeep } from './upkeep.ts'
import { versionsOf } from './versions.ts'
import { openWorkers } from './workers.ts'

export interface RegistryConfig extends StoresConfig {
  limits: Limits
  /** True: this process also does background work (jobs, recovery, tidying). At least one process must. */
  works: boolean
  /** Decoded objects kept in memory at most. Bytes. Default 256 MiB. */
  cacheBytesMax?: number
  /** Default: the system's clock. */
  now?: () => Date
}

const cacheBytesUsual = 256 * 1024 ** 2

export type Registry = Awaited<ReturnType<typeof openRegistry>>

/** @throws what `openStores` throws. */
export async function openRegistry(config: RegistryConfig) {
  const { log } = config
  const opened = new AsyncDisposableStack()
  try {
    const { database, blobs, space, demandSame } = await openStores(config, opened, 'serve')
    const workers = openWorkers()
    opened.defer(() => workers.close())
    const cacheBytesMax = config.cacheBytesMax ?? cacheBytesUsual
    const objects = openObjectReader({ database, blobs, cacheBytesMax })
    const reading = openReadingThreads(objects.forget)
    opened.defer(() => reading.close())
    const context: Context = {
      database,
      blobs,
      space,
      objects,
      jobs: jobsOf({ database, space, log, works: config.works }),
      workers,
      reading,
      bodies: new BodyRoom(),
      answers: new AnswerRoom(),
      tally: new Tally(),
      limits: config.limits,
      log,
      now: config.now ?? (() => new Date()),
    }
    const services = servicesOf(context)
    scheduleGathering(context)
    scheduleSweeps(context, demandSame)
    scheduleUpkeep(context)
    scheduleHeartbeat(context)
    // A server that is ready says so of its own background work at once.
    if (config.works && !(await space.isFull())) await beat(context)
    opened.defer(() => services.keys.settle())
    await context.jobs.start()
    opened.defer(() => context.jobs.stop())
    return { ...services, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Each service defines its background work as it is made. */
function servicesOf(context: Context) {
  const pushSessions = pushSessionsOf(context)
  return {
    accounts: accountsOf(context),
    members: membersOf(context),
    keys: keysOf(context),
    sessions: sessionsOf(context),
    collections: collectionsOf(context),
    metadata: metadataOf(context),
    forks: forksOf(context),
    pushes: pushesOf(context, pushSessions),
    snapshots: snapshotsOf(context, pushSessions),
    versions: versionsOf(context),
    records: recordsOf(context),
    files: filesOf(context),
    manifests: manifestsOf(context),
    diffs: diffsOf(context),
    histories: historiesOf(context),
    exports: exportsOf(context),
    health: healthOf(context),
    figures: figuresOf(context),
    room: roomFor(context),
  }
}
