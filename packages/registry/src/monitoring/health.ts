/** Health of the database, the object store, the disk and the background work, for the probes of load balancers and operators. */
import type { Context } from '../context.ts'
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
      const { database: at, blobs, space } = context
      const [database, objects, isFull, works] = await Promise.all([
        answers(at.ping()),
        answers(blobs.ping()),
        space.isFull(),
        inTime(isAlive(at)),
      ])
      const newer = newerRelease.name()
      const isMissed = !isFull && works !== true
      return {
        ready: database && objects && newer === undefined && !isEnding,
        database,
        objects,
        storage: isFull ? 'full' : 'ok',
        worker: isFull ? 'paused' : isMissed ? 'missing' : 'ok',
        problems: [
          ...(newer === undefined
            ? []
            : [`The release ${newer} has migrated the database: this server ends.`]),
          ...(isEnding ? [ending] : []),
          ...(database ? [] : ['The database does not answer.']),
          ...(objects ? [] : ['The object store does not answer, or cannot be written to.']),
          ...(isFull ? [diskIsFull] : []),
          ...(database && isMissed ? [noWorker] : []),
        ],
      }
    },
  }
}

const ending = 'The server ends soon. It still answers; send new requests to another one.'
const diskIsFull = 'The disk is full: writes are answered 507 until there is room. Reads go on.'
const noWorker = 'No server does background work: start one with `worker` in ROLES.'

const answers = async (ping: Promise<void>): Promise<boolean> =>
  (await inTime(ping.then(() => true))) === true
