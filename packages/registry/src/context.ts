/** Dependencies of the registry's services, created once in `open.ts`. */
import type { BlobStore, Database, DiskSpace, ObjectReader } from '@ulmus/storage'
import type { BodyBudget } from './budgets/body-budget.ts'
import type { Jobs } from './jobs.ts'
import type { Limits, OperatorsConfig } from './limits.ts'
import type { Log } from './log.ts'
import type { Readmes } from './metadata/readmes.ts'
import type { CommitCounters } from './monitoring/commit-counters.ts'
import type { ReadingThreads } from './workers/reading-threads.ts'
import type { Workers } from './workers/workers.ts'

export interface Context {
  readonly database: Database
  readonly blobs: BlobStore
  readonly space: DiskSpace
  readonly objects: ObjectReader
  readonly jobs: Jobs
  readonly limits: Limits
  readonly operators: OperatorsConfig
  readonly workers: Workers
  readonly reading: ReadingThreads
  readonly bodies: BodyBudget
  readonly commitCounters: CommitCounters
  readonly readmes: Readmes
  readonly log: Log
  /** The clock, so that tests can move it. */
  now(): Date
}
