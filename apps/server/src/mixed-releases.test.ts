/** A server under which a newer release migrates the database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { addMigration } from '@ulmus/storage/testing/next-migration'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { release } from './build.ts'
import { serveForTest, type TestServer } from './testing/serve.ts'

describe.each(databases.filter(({ name }) => name === 'server'))('on $name', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-mixed-'))
  const ending = new AsyncDisposableStack()
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  let server: TestServer
  let migrate: (force: boolean) => Promise<void>
  beforeAll(async () => {
    const { settings, dispose } = await database.settings()
    ending.defer(dispose)
    server = await serveForTest(settings)
    ending.defer(() => server.close())
    migrate = async (force) => {
      const migrations = { folder, force }
      await (await openDatabase({ ...settings, migrations, release: '0.2.0 (abcdef12, 2027-01-01)' })).close()
    }
  })
  afterAll(() => ending.disposeAsync())

  const get = async (path: string, accept = 'application/json') => {
    const answer = await fetch(`${server.url}${path}`, { headers: { accept } })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  test('compatible migrations let it go on, and others are refused while it is alive', async () => {
    addMigration(folder, '-- compatible\ncreate table later (id integer);')
    await migrate(false)
    addMigration(folder, 'alter table later add column more text;', 2_000)
    await expect(migrate(false)).rejects.toThrow(
      `would migrate the database while the server on ${hostname()} (release ${release}, seen`,
    )
    expect((await get('/api/collections')).status).toBe(200)
    expect(JSON.parse((await get('/readyz')).text)).toMatchObject({ ready: true })
  })

  test('after a forced migration it answers 503, except to probes', async () => {
    await migrate(true)
    await vi.waitUntil(async () => (await get('/api/collections')).status === 503, { timeout: 60_000 })
    const refused = await get('/api/collections')
    expect(JSON.parse(refused.text)).toEqual({
      error:
        'The registry was upgraded (0.2.0 (abcdef12, 2027-01-01)), and this server of an older release ends. Try again shortly.',
      ...{ code: 'unavailable', statusCode: 503 },
    })
    expect(refused.headers.get('retry-after')).toBe('5')
    for (const path of ['/', '/auth/login', '/docs', '/nothing/here']) {
      const page = await get(path, 'text/html')
      expect([path, page.status]).toEqual([path, 503])
      expect(page.text).toContain('The registry was upgraded')
    }
    expect((await get('/healthz')).status).toBe(200)
    expect((await get('/metrics')).status).toBe(200)
    await vi.waitUntil(async () => (await get('/readyz')).status === 503, { timeout: 60_000 })
    expect(JSON.parse((await get('/readyz')).text)).toMatchObject({
      ...{ ready: false, database: true, objects: true },
      problems: ['The release 0.2.0 (abcdef12, 2027-01-01) has migrated the database: this server ends.'],
    })
  })
})
