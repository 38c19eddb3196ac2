/** Refuses work on a database that a server uses, because it would contradict or lose what the server writes meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { otherConnections } from '@ulmus/storage'
import { StoresUnfitError } from './installation.ts'

/** Time that connections get to end. PostgreSQL lists those of a server that stopped for a moment. Milliseconds. */
const endingMilliseconds = 3_000

/**
 * Call it before this process opens the database. An embedded one needs no check: it has a lock.
 * @param url undefined: embedded
 * @param harm what would happen to writes of the server, for the message
 * @throws StoresUnfitError for a database with other connections of this program
 */
export async function demandNoServer(url: string | undefined, harm: string): Promise<void> {
  if (url === undefined) return
  const until = performance.now() + endingMilliseconds
  let others = await otherConnections(url)
  while (others > 0 && performance.now() < until) {
    await sleep(100)
    others = await otherConnections(url)
  }
  if (others > 0)
    throw new StoresUnfitError(
      `A server has the database at DATABASE_URL open (connections: ${others}). Stop all servers first: ${harm}.`,
    )
}
