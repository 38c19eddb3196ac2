/** A fault with its beginning, duration and end. Some operations must keep working during it. */
import type { Random } from '../random.ts'
import type { FaultyServer } from '../server.ts'
import type { Stage } from '../stage.ts'

/** Expected answer during the fault. */
export interface Expectation {
  readonly server: FaultyServer
  readonly path: string
  readonly statuses: readonly number[]
}

export interface Injected {
  /** Description of the fault for people. */
  readonly what: string
  /** Duration in milliseconds. */
  readonly lasts: number
  /** Time after the beginning before expectations apply: until then, connections may still time out. Milliseconds. */
  readonly noticed?: number
  readonly meanwhile?: readonly Expectation[]
  /** True: a time of calm, in which no answer may fail. */
  readonly breaksNothing?: boolean
  /** True: the disk is full, so writes get 507, and the process may exit and be restarted. */
  readonly fillsDisk?: boolean
  /** True: it lasts at least until a write that began after it is acknowledged. */
  readonly untilWritten?: boolean
  begin(): Promise<void>
  end(): Promise<void>
}

export interface FaultContext {
  readonly stage: Stage
  readonly random: Random
  /** Maximum duration of a fault. Milliseconds. */
  readonly lastsMax: number
}

export interface Fault {
  readonly kind: string
  readonly weight: number
  readonly isPossible: (stage: Stage) => boolean
  readonly prepare: (context: FaultContext) => Injected
}

/** Requests that need only the database. */
export const rowsAlone = ['/api/accounts/me', '/api/accounts/keys', '/api/accounts/ada/collections']

export const onEach = (
  servers: Iterable<FaultyServer>,
  paths: readonly string[],
  statuses: readonly number[],
): Expectation[] => [...servers].flatMap((server) => paths.map((path) => ({ server, path, statuses })))
