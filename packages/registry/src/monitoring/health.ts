/** Whether what the registry stands on answers. */
import type { Context } from '../context.ts'
import { isAlive } from './heartbeat.ts'

export type Health = ReturnType<typeof healthOf>

/** How long a store may take to answer. Milliseconds. */
const answerMillisecondsMax = 2_000

export function healthOf(context: Context) {
  return {
    /**
     * Never rejects. The database's tables are up to date whenever it is open: opening it migrates. A full disk and the want of background
     * work are told, and do not make it unready: what is stored can be read, and a load balancer would take that away, too.
     */
    async check(): Promise<{
      ready: boolean
      database: boolean
      objects: boolean
      storage: 'full' | 'ok'
      /** Whether any process does background work; `paused` while there is no room for it. */
      worker: 'ok' | 'missing' | 'paused'
    }> {
      const { database: at, blobs, space } = context
      const [database, objects, isFull, works] = await Promise.all([
        within(at.ping()),
        within(blobs.ping()),
        space.isFull(),
        within(isAlive(at).then((alive) => alive || Promise.reject(new Error('nobody works')))),
      ])
      return {
        ready: database && objects,
        database,
        objects,
        storage: isFull ? 'full' : 'ok',
        worker: isFull ? 'paused' : works ? 'ok' : 'missing',
      }
    },
  }
}

/** Whether an answer comes in time, and is none of refusal. */
async function within(asked: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), answerMillisecondsMax)
  })
  const answer = asked.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answer, patience])
  } finally {
    clearTimeout(timer)
  }
}
