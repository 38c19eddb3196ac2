/**
 * Figures for metrics (`apps/server/src/plugins/metrics.ts`), of this process and of the whole registry. None contains names, data
 * or accounts. A slow database must not delay the others, so its figures have a time limit.
 */
import {
  countJobs,
  countOpenReports,
  countPushesUnderWay,
  findLastBackup,
  lastEndOf,
  logProgress,
  storedBytes,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { refusedWrites } from '../stores/write-watch.ts'
import { sweeping } from '../upkeep/sweep.ts'
import { secondsSinceBeat } from './heartbeat.ts'
import { inTime } from './in-time.ts'

export type Figures = ReturnType<typeof figuresOf>

/** Each figure is a function, so that a scrape reads only what it reports. */
export function figuresOf(context: Context) {
  const { database, objects, leafPairs, commitCounters, space } = context
  return {
    databaseKind: database.kind,
    /** Read from memory. */
    process: () => ({
      commits: [...commitCounters.commits],
      commitRecords: commitCounters.records,
      cachedBytes: objects.cachedBytes() + leafPairs.bytes,
      connections: database.connections(),
      failedTasks: context.jobs.failed().length,
    }),
    /** True while a store is full. */
    isFull: async () => (await refusedWrites(context)).some(({ isFull }) => isFull),
    /** On the disk with this process's data; Infinity if unknown. */
    freeBytes: () => space.free(),
    /** Each of the following runs one database statement; undefined if the database did not answer in time. */
    jobs: () => inTime(countJobs(database)),
    pushes: () => inTime(countPushesUnderWay(database)),
    /** Seconds since the last heartbeat of any worker; Infinity if there was none. */
    workerSeconds: () =>
      inTime(secondsSinceBeat(database).then((seconds) => seconds ?? Number.POSITIVE_INFINITY)),
    /** Undefined also until a sweep has ended. */
    lastSweep: () => inTime(lastEndOf(database, sweeping)),
    openReports: () => inTime(countOpenReports(database)),
    /** Null: there was none. */
    lastBackup: () => inTime(findLastBackup(database).then((made) => made ?? null)),
    /** Undefined also until the signed log has begun. */
    log: () => inTime(logProgress(database)),
    /** Bytes of packs, files and blobs set aside. Reads one row for each pack and file. */
    stored: () => inTime(storedBytes(database)),
  }
}
