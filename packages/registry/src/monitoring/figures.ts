/** Figures for metrics: of this process, and of what all share. Names, data and accounts are in none of them. */
import { countJobs, countPushesUnderWay, endOfChore, storedBytes } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { sweeping } from '../upkeep/sweep.ts'
import { secondsSinceBeat } from './heartbeat.ts'

export type Figures = ReturnType<typeof figuresOf>

export function figuresOf(context: Context) {
  const { database, objects, commitCounters } = context
  return {
    databaseKind: database.kind,
    /** Made of what is in memory. */
    process: () => ({
      commits: [...commitCounters.commits],
      commitRecords: commitCounters.records,
      cachedBytes: objects.cachedBytes(),
      connections: database.connections(),
    }),
    /** The rest ask the database, each by a statement that reads few rows, and reject while it is away. */
    jobs: () => countJobs(database),
    pushes: () => countPushesUnderWay(database),
    workerSeconds: () => secondsSinceBeat(database),
    lastSweep: () => endOfChore(database, sweeping),
    /** Bytes of packs, files and what is set aside. Reads a row for each pack and file. */
    stored: () => storedBytes(database),
  }
}
