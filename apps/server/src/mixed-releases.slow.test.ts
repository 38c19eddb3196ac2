/** The process of a server under which a newer release migrates, and starts beside it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { addMigration } from '@ulmus/storage/testing/next-migration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from './testing/server-process.ts'

describe.each(databases)('on $name', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-mixed-'))
  const migrations = join(folder, 'migrations')
  const ending = new AsyncDisposableStack()
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  let env: Record<string, string>
  let settings: { url: string } | { folder: string }
  beforeAll(async () => {
    const made = await database.settings()
    ending.defer(made.dispose)
    const { url } = made.settings
    env = { DATA_DIR: join(folder, 'data'), ...(url !== undefined && { DATABASE_URL: url }) }
    settings = url === undefined ? { folder: join(folder, 'data/database') } : { url }
  })
  afterAll(() => ending.disposeAsync())
  const upgrade = async (force = false) =>
    (await openDatabase({ ...settings, migrations: { folder: migrations, force }, release: '0.2.0' })).close()

  test('a server ends by itself, in order, and does not start again', async () => {
    const first = await startProcess(env)
    ending.defer(async () => void (await first.end('SIGKILL')))
    addMigration(migrations, 'select 1;')
    if (database.name === 'server') {
      await expect(upgrade()).rejects.toThrow(/ulmus-server start --force/)
      const ended = first.ended
      await upgrade(true)
      expect(await ended).toBe(0)
      expect(first.output.out).toContain('The database was migrated by another release (0.2.0)')
    } else {
      // Another process never gets to the migrations of an embedded database.
      await expect(upgrade(true)).rejects.toThrow(/in use/)
      await first.end('SIGKILL')
      await upgrade()
    }
    await expect(startProcess(env)).rejects.toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Ulmus cannot start. The database is of a newer release \(0\.2\.0\)/),
    })
  }, 120_000)

  test('a server that ended in order is not waited for', async () => {
    if (database.name === 'embedded') return
    const url = (await database.settings()).settings.url!
    const server = await startProcess({ DATA_DIR: join(folder, 'other'), DATABASE_URL: url })
    expect(await server.end('SIGTERM')).toBe(0)
    await (await openDatabase({ url, migrations: { folder: migrations }, release: '0.2.0' })).close()
  }, 120_000)
})
