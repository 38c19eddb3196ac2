/** Kills sweeps while they run. */
import type { Fault } from './fault.ts'

export const killSweep: Fault = {
  kind: 'kill -9 of a sweep',
  weight: 5,
  isPossible: () => true,
  prepare({ stage, random }) {
    const server = random.pick(stage.servers)
    // A sweep opens its stores in about a second, and then runs for one or two seconds.
    const lasts = random.between(500, 5_000)
    const signal = random.pick(['SIGKILL', 'SIGTERM'] as const)
    let sweep: ReturnType<typeof stage.sweep> | undefined
    return {
      what: stage.sweepsAlone ? `after ${signal} of ${server.name}` : `at the stores of ${server.name}`,
      lasts,
      async begin() {
        if (stage.sweepsAlone) await server.end(signal)
        sweep = stage.sweep(server)
      },
      async end() {
        sweep?.kill()
        await sweep?.ended
        if (stage.sweepsAlone) server.start()
      },
    }
  },
}
