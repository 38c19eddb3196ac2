/**
 * Dependencies of the registry's services, created once in `open.ts`. Functions that need only some take a `Pick` of it, so that
 * tests and commands can call them without the rest.
 */
import type { BlobStore, Database, DiskSpace, ObjectReader } from '@ulmus/storage'
import type { BodyBudget } from './budgets/body-budget.ts'
import type { CommitCounters } from './commit-counters.ts'
import type { TrustedIssuer } from './issuers.ts'
import type { Jobs } from './jobs.ts'
import type { Limits, OperatorsConfig } from './limits.ts'
import type { Log } from './log.ts'
import type { Outside } from './outside/ask.ts'
import type { Readmes } from './readmes.ts'
import type { Sealing } from './secrets/sealing.ts'
import type { MailConfig } from './smtp/transport.ts'
import type { LeafPairs } from './stored-leaves/leaf-pairs.ts'
import type { WriteWatch } from './stores/write-watch.ts'
import type { Work } from './work/work.ts'

export interface Context {
  readonly database: Database
  /** Store of packs, files and spills, by blob name. */
  readonly blobs: BlobStore
  /** Free space of this process's disk. */
  readonly space: DiskSpace
  /** Stores that refuse writes. */
  readonly writes: WriteWatch
  /** Reads, verifies and caches objects, by hash. */
  readonly objects: ObjectReader
  /** Compares leaves, and caches the changes. */
  readonly leafPairs: LeafPairs
  readonly jobs: Jobs
  readonly limits: Limits
  readonly operators: OperatorsConfig
  /** Issuers whose tokens may be exchanged for keys. Empty: trusted publishing is off. */
  readonly issuers: readonly TrustedIssuer[]
  /** Runs tasks in worker threads. */
  readonly work: Work
  /** Memory for request bodies. */
  readonly bodies: BodyBudget
  readonly commitCounters: CommitCounters
  readonly readmes: Readmes
  /** For requests to other servers; null: the operator allows none. */
  readonly outside: Outside | null
  /** Encrypts secrets that are read again; null: the operator gave no key. */
  readonly sealing: Sealing | null
  /** Server and sender of mail; null: none is sent. */
  readonly mail: MailConfig | null
  /** Address of this registry, as `https://registry.example`. */
  origin(): string
  readonly log: Log
  /** The clock; tests can move it. */
  now(): Date
}
