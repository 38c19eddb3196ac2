/** Fills the disk. */
import { reserveBytes } from '../stage-embedded.ts'
import { type Fault, onEach, rowsAlone } from './fault.ts'

export const fullDisk: Fault = {
  kind: 'the disk is full',
  weight: 4,
  isPossible: ({ disk }) => disk !== undefined,
  prepare({ stage, random, lastsMax }) {
    const bytesLeft = random.pick([0, reserveBytes >> 1, reserveBytes - 2 ** 20])
    const [server] = stage.servers
    const killed = random.chance(0.3)
    return {
      what: `${Math.round(bytesLeft / 2 ** 20)} MiB are left${killed ? ', and the server is killed on it' : ''}`,
      lasts: random.between(2_000, Math.max(4_000, lastsMax)),
      fillsDisk: true,
      // With no bytes left the process may exit, and is restarted.
      ...(bytesLeft > 0 && !killed && { meanwhile: onEach(stage.servers, rowsAlone, [200]) }),
      async begin() {
        stage.disk!.fill(bytesLeft)
        if (!killed) return
        await server!.end('SIGKILL')
        server!.start()
      },
      end: async () => stage.disk!.clear(),
    }
  },
}
