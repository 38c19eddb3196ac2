/** Whether what the registry stands on answers. */
import type { Context } from './context.ts'

export type Health = ReturnType<typeof healthOf>

/** How long a store may take to answer. Milliseconds. */
const answerMillisecondsMax = 2_000

export function healthOf(context: Context) {
  return {
    /** Never rejects. The database's tables are up to date whenever it is open: opening it migrates. */
    async check(): Promise<{ ready: boolean; database: boolean; objects: boolean }> {
      const [database, objects] = await Promise.all([answers(context.database), answers(context.blobs)])
      return { ready: database && objects, database, objects }
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
