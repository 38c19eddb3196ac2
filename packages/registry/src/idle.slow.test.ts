/** A server without requests asks its database little. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { defaultLimits } from './limits.ts'
import { openRegistry } from './open.ts'
import { keepLog } from './testing/context.ts'

const watchedSeconds = 20

describe.each(databases)('an idle server on $name', (testDatabase) => {
  const { query } = pg.Client.prototype
  afterAll(() => {
    pg.Client.prototype.query = query
  })

  test('makes at most two statements a second', async () => {
    const { settings, dispose } = await testDatabase.settings()
    const dataFolder = mkdtempSync(join(tmpdir(), 'ulmus-idle-'))
    const registry = await openRegistry({
      ...(settings.url !== undefined && { databaseUrl: settings.url }),
      ...{ dataFolder, log: keepLog(), limits: defaultLimits, works: true },
    })
    try {
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      const made = new Map<string, number>()
      pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
        const [statement] = args as [string | { text?: string }]
        const text = typeof statement === 'string' ? statement : (statement.text ?? '')
        const known = text.trim().slice(0, 80)
        made.set(known, (made.get(known) ?? 0) + 1)
        return Reflect.apply(query, this, args)
      } as typeof query
      await new Promise((resolve) => setTimeout(resolve, watchedSeconds * 1_000))
      const count = [...made.values()].reduce((sum, one) => sum + one, 0)
      console.log(`${(count / watchedSeconds).toFixed(2)} statements a second`, made)
      expect(count / watchedSeconds).toBeLessThanOrEqual(2)
    } finally {
      await registry.close()
      await dispose()
      rmSync(dataFolder, { recursive: true, force: true })
    }
  }, 120_000)
})
