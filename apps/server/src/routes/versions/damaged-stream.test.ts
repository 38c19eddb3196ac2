import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@ulmus/client'
import { hashText } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterEach, expect, test } from 'vitest'
import { serveForTest } from '../../testing/serve.ts'
import { pushVersion, put } from '../../testing/stage.ts'
import { testClient } from '../../testing/test-client.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

test.each(anyDatabase)(
  'a stream with a damaged record ends with that reason ($name)',
  async (database) => {
    const made = await database.settings()
    ending.push(made.dispose)
    const first = await serveForTest(made.settings)
    const { cookie } = await first.signIn('ada')
    const key = await first.keyFor(cookie, 'write')
    const ada = testClient(first.url, key)
    await ada.post('/accounts/ada/collections', { slug: 'birds' })
    const puts = Array.from({ length: 8_000 }, (_, n) => put(`r${10_000 + n}`, { text: hashText(`${n}`) }))
    await pushVersion(ada, '/collections/ada/birds', { base: null, opening: { schemas: { A: {} } }, puts })
    await first.stop()
    const folder = join(first.dataFolder, 'objects', 'packs')
    const [pack] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile())
      .sort((a, b) => statSync(b).size - statSync(a).size)
    const bytes = readFileSync(pack!)
    const at = Math.floor(bytes.length * 0.6)
    bytes.fill(0, at, at + 200)
    writeFileSync(pack!, bytes)
    rmSync(join(first.dataFolder, 'tables'), { recursive: true, force: true })
    const where =
      made.settings.url === undefined ? { folder: join(first.dataFolder, 'database') } : made.settings
    // Empty caches.
    const server = await serveForTest(where, { dataFolder: first.dataFolder })
    ending.push(() => server.close())
    const client = createClient({ baseUrl: server.url, apiKey: key })
    const ids: string[] = []
    const reading = (async () => {
      for await (const { id } of client.records.ndjson('ada/birds')) ids.push(id)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'object_corrupt', status: 500 })
    // Those that arrived before are the first ones, once each.
    expect(ids).toEqual(puts.slice(0, ids.length).map(({ id }) => id))
    expect(ids.length).toBeGreaterThan(0)
  },
  60_000,
)
