/** Law for every reading route: with the largest records and schemas it neither holds the event loop nor takes memory beyond its budget. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildHostile, type HostileCollection } from '../apps/server/src/testing/hostile-content.ts'
import { type HostileRequest, hostileRequests } from '../apps/server/src/testing/hostile-requests.ts'
import { machineSlowness } from '../apps/server/src/testing/machine-speed.ts'
import type { TestClient } from '../apps/server/src/testing/test-client.ts'
import { startWatched, type WatchedServer } from '../apps/server/src/testing/watched-server.ts'
import { clientsFor } from '../apps/server/src/testing/worst-case.ts'
import { watchMemory } from './tables/process-tree.ts'

/** Milliseconds of CPU time: 20 on the machine of docs/performance.md. */
const heldMillisecondsMax = 20 * machineSlowness()
const tries = 4
const atOnce = 60
/** Memory limit of the server with its processes. docs/tuning.md */
const memoryMebibytes = 2_048
/** Settings of `npm start` (docs/tuning.md), and the heap that V8 allows itself in a container of this size. */
const inContainer = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  NODE_OPTIONS: [
    '--max-semi-space-size=8',
    '--v8-pool-size=1',
    `--max-old-space-size=${memoryMebibytes / 2}`,
    `--import=data:text/javascript,process.constrainedMemory=()=>${memoryMebibytes * 1024 ** 2}`,
  ].join(' '),
}
/** Read of an answer; then the caller disconnects. Bytes. */
const readMax = 4 * 1024 ** 2
/** Statuses of a faulty route. */
const wrong = (status: number) => status === 400 || (status >= 500 && status !== 503)

let server: WatchedServer
let clients: Record<HostileRequest['as'], TestClient>
let collections: HostileCollection[]
const folder = mkdtempSync(join(tmpdir(), 'ulmus-hostile-'))

beforeAll(async () => {
  server = await startWatched({ DATA_DIR: folder, ...inContainer })
  const { asOwner, owner, outside } = await clientsFor(server.url)
  clients = { anyone: outside, owner: asOwner }
  collections = await buildHostile(owner)
}, 600_000)
afterAll(async () => {
  await server?.end()
  rmSync(folder, { recursive: true, force: true })
})

test('no reading route holds the event loop', async () => {
  const faults: string[] = []
  for (const request of collections.flatMap(hostileRequests)) {
    let held = Number.POSITIVE_INFINITY
    // The minimum, so that garbage collection and compilation do not count.
    for (let again = 0; again < tries && held > heldMillisecondsMax; again++) {
      const once = await server.held(async () => {
        const status = await ask(request)
        if (wrong(status)) faults.push(`${nameOf(request)} was answered with ${status}`)
      })
      held = Math.min(held, once)
    }
    if (held > heldMillisecondsMax) faults.push(`${nameOf(request)} held the loop for ${held.toFixed(1)} ms`)
  }
  expect(faults).toEqual([])
}, 900_000)

test('sixty at once stay in the memory of the server', async () => {
  const faults: string[] = []
  for (const collection of collections) {
    const first = new Map(hostileRequests(collection).map((request) => [request.route, request]))
    for (const request of first.values()) {
      const memory = watchMemory(server.pid)
      const statuses = await Promise.all(Array.from({ length: atOnce }, () => ask(request)))
      const { all } = memory.stop()
      for (const status of new Set(statuses))
        if (wrong(status)) faults.push(`${nameOf(request)} was answered with ${status}`)
      if (all > memoryMebibytes) faults.push(`${nameOf(request)} took ${all.toFixed(0)} MiB`)
    }
  }
  expect(faults).toEqual([])
}, 900_000)

let asked = 0
/** Reads the beginning of an answer. Pages are asked by an address of their own, so that no answer is a remembered one. */
async function ask({ route, path, as }: HostileRequest): Promise<number> {
  const own = route.startsWith('page') ? `${path.includes('?') ? '&' : '?'}asked=${asked++}` : ''
  const response = await clients[as].open('GET', `${path}${own}`)
  let size = 0
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length
      if (size > readMax) break
    }
  } catch {
    // The server may end an answer that it cannot finish.
  }
  return response.statusCode!
}

const nameOf = ({ route, path }: HostileRequest) =>
  `${route} (${path.replaceAll(/(.)\1{9,}/g, '$1…').slice(0, 200)})`
