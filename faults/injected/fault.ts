/** A fault: it begins, lasts and ends; some operations must keep working meanwhile. */
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
  /** For people: what is broken, and how. */
  readonly what: string
  /** Milliseconds. */
  readonly lasts: number
  /** How long after its beginning what is expected must be so: until then connections are still being given up. Milliseconds. */
  readonly noticed?: number
  readonly meanwhile?: readonly Expectation[]
  /** True: the disk is full, so that writes are 507, and the process may end and be started again. */
  readonly fillsDisk?: boolean
  begin(): Promise<void>
  end(): Promise<void>
}

export interface FaultContext {
  readonly stage: Stage
  readonly random: Random
  /** Of whatever lasts. Milliseconds. */
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
