/** Dependencies of the registry's services, created once in `open.ts`. */
import type { BlobStore, Database, DiskSpace, ObjectReader } from '@ulmus/storage'
import type { BodyBudget } from './budgets/body-budget.ts'
import type { CommitCounters } from './commit-counters.ts'
import type { Jobs } from './jobs.ts'
import type { Limits, OperatorsConfig } from './limits.ts'
import type { Log } from './log.ts'
import type { Readmes } from './readmes.ts'
import type { Work } from './work/work.ts'

export interface Context {
  readonly database: Database
  readonly blobs: BlobStore
  readonly space: DiskSpace
  readonly objects: ObjectReader
  readonly jobs: Jobs
  readonly limits: Limits
  readonly operators: OperatorsConfig
  /** Runs tasks in worker threads. */
  readonly work: Work
  readonly bodies: BodyBudget
  readonly commitCounters: CommitCounters
  readonly readmes: Readmes
  readonly log: Log
  /** The clock; tests can move it. */
  now(): Date
}
