/** Two servers on one database: what one of them accepts for the background begins on the other one at once. */
import { openDatabase, openMemoryStore } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood, median } from '../../content/src/testing/measured.ts'
import type { Jobs } from './jobs.ts'
import { type Metadata, metadataOf } from './metadata/metadata.ts'
import type { PushOpening } from './pushes/opening/opening-body.ts'
import { type Pushes, pushesOf } from './pushes/pushes.ts'
import { PushSessions } from './pushes/session/sessions.ts'
import { addAccount, addCollection, addVersion, callerOf, contextOn } from './testing/context.ts'

const startedMillisecondsMax = 50
const tries = 9

async function* body(...values: unknown[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
}

// The embedded database has one server, of which jobs.test.ts tells the same.
describe.each(databases.filter(({ name }) => name === 'server'))(
  'background work on $name',
  (testDatabase) => {
    const ending = new AsyncDisposableStack()
    let api: ReturnType<typeof contextOn>
    let metadata: Metadata
    let pushes: Pushes
    /** When the other server began work. */
    const started: number[] = []

    beforeAll(async () => {
      const { settings, dispose } = await testDatabase.settings()
      ending.defer(dispose)
      const blobs = openMemoryStore()
      const server = async (works: boolean) => {
        const database = await openDatabase(settings)
        ending.defer(() => database.close())
        const context = contextOn({ database, blobs }, { works })
        ending.defer(() => context.dispose())
        return context
      }
      api = await server(false)
      const worker = await server(true)
      const jobs: Jobs = {
        ...worker.jobs,
        take: (kind, taken) =>
          worker.jobs.take(kind, {
            ...taken,
            run(row) {
              started.push(performance.now())
              return taken.run(row)
            },
          }),
      }
      metadataOf({ ...worker, jobs })
      new PushSessions({ ...worker, jobs })
      metadata = metadataOf(api)
      pushes = pushesOf(api, new PushSessions(api))
      await api.jobs.start()
      await worker.jobs.start()
      // Both have looked, and listen.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
    })
    afterAll(() => ending.disposeAsync())

    test('an update and a commit start within 50 ms of the answer that accepts them', async () => {
      const ada = await addAccount(api, 'ada')
      const me = callerOf(ada)
      const startOf = async (requested: number) => {
        await expect.poll(() => started.length, { interval: 2 }).toBe(1)
        return started.splice(0)[0]! - requested
      }
      let number = 0
      const commit = async () => {
        const row = await addCollection(api, ada, { slug: `c${number++}` })
        const path = { owner: 'ada', slug: row.slug }
        const { session_id: session } = await pushes.open(
          me,
          path,
          body({ base_version: null, schemas: { A: {} } }),
          (outline) => outline as PushOpening,
        )
        await pushes.receive(me, path, session, 'records', body({ id: '1', type: 'A', data: {} }))
        await pushes.commit(me, path, session, { async: true })
        const delay = await startOf(performance.now())
        await expect.poll(async () => (await pushes.state(me, path, session)).status).toBe('committed')
        return delay
      }
      const update = async () => {
        const updated = await addCollection(api, ada, { slug: `u${number++}` })
        await addVersion(api, updated)
        await metadata.start(me, { owner: 'ada', slug: updated.slug }, { number })
        return startOf(performance.now())
      }
      for (const start of [commit, update]) {
        const several = async () => {
          const delays: number[] = []
          while (delays.length < tries) delays.push(await start())
          return median(delays)
        }
        const delay = await firstGood(several, (one) => one < startedMillisecondsMax)
        expect(delay).toBeLessThan(startedMillisecondsMax)
      }
    }, 120_000)
  },
)
