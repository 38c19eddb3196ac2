/** Turns a server's clock back while it runs, or before it restarts. The clock may stay so until the next such fault. */
import { type Fault, onEach, rowsAlone } from './fault.ts'

const minute = 60_000
const shifts = [-minute, -90 * minute, -2 * 24 * 60 * minute]

export const clockBack: Fault = {
  kind: 'the clock turns back',
  weight: 4,
  isPossible: () => true,
  prepare({ stage, random, lastsMax }) {
    const server = random.pick(stage.servers)
    const shift = random.pick(shifts)
    const [killed, stays] = [random.chance(0.5), random.chance(0.5)]
    return {
      what: `of ${server.name}, by ${-shift / minute} min${killed ? ', and it is killed' : ''}${stays ? ', to stay so' : ''}`,
      lasts: random.between(1_000, Math.max(3_000, lastsMax >> 1)),
      ...(!killed && { meanwhile: onEach([server], rowsAlone, [200]) }),
      async begin() {
        if (killed) await server.end('SIGKILL')
        server.turnClock(shift)
        if (killed) server.start()
      },
      async end() {
        if (!stays) server.turnClock(0)
      },
    }
  },
}
