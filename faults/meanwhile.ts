/** Operations that must keep working during a fault. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Injected } from './injected/fault.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { Requests } from './requests.ts'

const everyMilliseconds = 250
/** Maximum duration of a request that does not need the broken store, or is refused after the fault was noticed. Milliseconds. */
const promptMillisecondsMax = 10_000
/** Requests sent this shortly before the end may already get the answers of a healthy server. Milliseconds. */
const lateMilliseconds = 500

/** Sends the expected requests during the fault. Resolves when the last one is answered. */
export async function watchMeanwhile(
  { what, lasts, noticed = 0, meanwhile = [] }: Injected,
  requests: Requests,
  report: Report,
  random: Random,
): Promise<void> {
  const began = performance.now()
  const over = () => performance.now() > began + lasts - lateMilliseconds
  await Promise.all(
    meanwhile.map(async ({ server, path, statuses }) => {
      await sleep(Math.min(noticed, lasts))
      while (!over()) {
        const from = performance.now()
        const { status } = await requests.ask(random.child('meanwhile'), 'GET', path, { server })
        const took = performance.now() - from
        if (!over() && !statuses.includes(status))
          report.violation(`${path} at ${server.name} is answered ${status} while broken is: ${what}`)
        if (took > promptMillisecondsMax)
          report.violation(`${path} at ${server.name} takes ${Math.round(took)} ms while broken is: ${what}`)
        report.operation('read what is not away', status === 200 ? 'done' : 'refused')
        await sleep(everyMilliseconds)
      }
    }),
  )
}
