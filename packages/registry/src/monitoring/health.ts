/** Health of the database, the object store, the disk and the background work, for the probes of load balancers and operators. */
import { connectionRefusal } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { refusedWrites } from '../stores/write-watch.ts'
import { isAlive } from './heartbeat.ts'
import { inTime } from './in-time.ts'
import type { NewerRelease } from './newer-release.ts'

export type Health = ReturnType<typeof healthOf>

export function healthOf(context: Context, newerRelease: NewerRelease = { name: () => undefined }) {
  let isEnding = false
  return {
    /** From now on the server is not ready, so that load balancers send it no requests before it ends. */
    drain(): void {
      isEnding = true
    },
    isDraining: (): boolean => isEnding,
    /**
     * Never rejects. Does not check the schema: opening the database migrates it. A full disk or missing background work leaves
     * `ready` true, because reads still work and a load balancer would stop them.
     */
    async check(): Promise<{
      ready: boolean
      database: boolean
      objects: boolean
      storage: 'full' | 'ok'
      /** `ok` if any process does background work; `paused` while the disk is full. */
      worker: 'ok' | 'missing' | 'paused'
      /** Messages for the operator; none if all is well. */
      problems: string[]
    }> {
      const { database: at, blobs } = context
      const [pinged, objects, refused, beat] = await Promise.all([
        outcomeOf(at.ping()),
        outcomeOf(blobs.ping()),
        refusedWrites(context),
        outcomeOf(isAlive(at)),
      ])
      const isFull = refused.some(({ store }) => store === 'disk')
      const newer = newerRelease.name()
      // A database that refuses new connections may still answer on an old one.
      const database = pinged.isAnswered && beat.isAnswered
      const isMissed = !isFull && beat.value !== true
      return {
        ready: database && objects.isAnswered && newer === undefined && !isEnding,
        database,
        objects: objects.isAnswered,
        storage: refused.some((one) => one.isFull) ? 'full' : 'ok',
        worker: isFull ? 'paused' : isMissed ? 'missing' : 'ok',
        problems: [
          ...(newer === undefined
            ? []
            : [`The release ${newer} has migrated the database: this server ends.`]),
          ...(isEnding ? [ending] : []),
          ...(database ? [] : [databaseProblem(pinged.fault ?? beat.fault)]),
          ...(objects.isAnswered ? [] : ['The object store does not answer, or cannot be written to.']),
          ...refused.map(({ store, isFull }) => refusals[isFull && store === 'objects' ? 'full' : store]),
          ...(database && isMissed ? [noWorker] : []),
        ],
      }
    },
  }
}

const ending = 'The server ends soon. It still answers; send new requests to another one.'
const refusals = {
  disk: 'The disk is full: writes are answered 507 until there is room. Reads go on.',
  database: 'The disk of the database server is full: writes are answered 507. Reads go on.',
  full: 'The object store is full: writes are answered 507. Reads go on.',
  objects: 'The object store takes no writes: they are answered 503.',
}
const noWorker = 'No server does background work: start one with `worker` in ROLES.'

/** Without names and addresses, since `/readyz` is public. */
const databaseProblem = (fault: unknown): string =>
  connectionRefusal(fault) === undefined
    ? 'The database does not answer.'
    : 'The database refuses the connections of this server. The log says why.'

interface Outcome<T> {
  readonly isAnswered: boolean
  readonly value?: T
  readonly fault?: unknown
}

const outcomeOf = async <T>(answer: Promise<T>): Promise<Outcome<T>> =>
  (await inTime<Outcome<T>>(
    answer.then(
      (value) => ({ isAnswered: true, value }),
      (fault: unknown) => ({ isAnswered: false, fault }),
    ),
  )) ?? { isAnswered: false }
