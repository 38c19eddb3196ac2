/** Whether what the registry stands on answers. */
import type { Context } from './context.ts'

export type Health = ReturnType<typeof healthOf>

/** How long a store may take to answer. Milliseconds. */
const answerMillisecondsMax = 2_000

export function healthOf(context: Context) {
  return {
    /**
     * Never rejects. The database's tables are up to date whenever it is open: opening it migrates. A full disk is told, and does not
     * make it unready: what is stored can be read, and a load balancer would take that away, too.
     */
    async check(): Promise<{ ready: boolean; database: boolean; objects: boolean; storage: 'full' | 'ok' }> {
      const stores = Promise.all([answers(context.database), answers(context.blobs)])
      const [[database, objects], isFull] = await Promise.all([stores, context.space.isFull()])
      return { ready: database && objects, database, objects, storage: isFull ? 'full' : 'ok' }
    },
  }
}

async function answers(store: { ping(): Promise<void> }): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), answerMillisecondsMax)
  })
  const answer = store.ping().then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answer, patience])
  } finally {
    clearTimeout(timer)
  }
}
