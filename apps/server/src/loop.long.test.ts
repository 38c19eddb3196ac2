/** No request blocks the event loop for long: the most expensive requests of every route. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineSlowness } from './testing/machine-speed.ts'
import { whenBuilt } from './testing/test-client.ts'
import { startWatched, type WatchedServer } from './testing/watched-server.ts'
import { buildWorstCase, type WorstCase } from './testing/worst-case.ts'
import { askAtWorst, worstRequests } from './testing/worst-requests.ts'

/** Limit of one turn of the event loop. Milliseconds of CPU time: 20 on the machine of docs/performance.md. */
const heldMillisecondsMax = 20 * machineSlowness()

let server: WatchedServer
let worst: WorstCase
const folder = mkdtempSync(join(tmpdir(), 'ulmus-loop-'))

beforeAll(async () => {
  server = await startWatched({ DATA_DIR: folder })
  worst = await buildWorstCase(server.url)
  const rows = worstRequests(worst)['GET /api/collections/:owner/:slug/versions/:v/tables/:type/rows']![0]!
  await whenBuilt(() => worst.anyone.get(rows.path('latest', '')))
}, 600_000)
afterAll(async () => {
  await server?.end()
  rmSync(folder, { recursive: true, force: true })
})

test('every route of the description is asked', async () => {
  const { paths } = (await worst.anyone.get('/openapi.json')).json
  const routes = Object.entries<Record<string, unknown>>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`),
  )
  const table = worstRequests(worst)
  expect(
    routes.filter((route) => !(route in table)),
    'Give the route an entry in `worst-requests.ts`.',
  ).toEqual([])
})

test('no request holds the event loop', async () => {
  const faults: string[] = []
  for (const [route, requests] of Object.entries(worstRequests(worst))) {
    for (const request of requests) {
      let { held, name, wrong } = await askAtWorst(server, worst, request, heldMillisecondsMax)
      // Repeat, because garbage collection may fall into a turn by chance.
      for (let again = 0; again < 3 && held > heldMillisecondsMax && wrong === undefined; again++)
        ({ held, name, wrong } = await askAtWorst(server, worst, request, heldMillisecondsMax))
      if (wrong !== undefined) faults.push(`${route}: ${name} was answered with ${wrong}`)
      if (held > heldMillisecondsMax) faults.push(`${route}: ${name} held the loop for ${held.toFixed(1)} ms`)
    }
  }
  expect(faults).toEqual([])
}, 900_000)
