/** Tables of new versions are built without any question, once for each server, of what outsiders may read. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, TypeEntry } from '@ulmus/content'
import { StorageFullError, unlimitedSpace } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '../../answers/json-text.ts'
import { anonymous } from '../../principal.ts'
import { schedule } from '../../schedule.ts'
import { idleJobs } from '../../testing/context.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import { seeVersion } from '../../versions/versions.ts'
import { type InstalledTables, keyOf } from '../find-table.ts'
import { installTables } from '../install.ts'
import { tablesOf, usualTables } from '../tables.ts'
import { buildLandedTables } from './build-landed.ts'

const City: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, secret: { type: 'string', private: true } },
}
const schemas = { City }
const city = (id: string, data: JsonObject = { name: `city ${id}` }) => ({ id, type: 'City', data })

describe.each(databases)('tables of new versions on $name', (database) => {
  const ending = new AsyncDisposableStack()
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
    ending.defer(() => world.dispose())
  })
  afterAll(() => ending.disposeAsync())

  /** A server with a folder of its own, which builds when the test says so. */
  async function server({ most = 1_000, space = unlimitedSpace } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-landed-'))
    ending.defer(() => rmSync(folder, { recursive: true, force: true }))
    const { context } = world
    const place = { folder, space, bytesMax: 1e9, log: context.log }
    const installed = (await installTables(place, ending)) as InstalledTables
    let step = async () => {}
    const jobs: typeof context.jobs = {
      ...idleJobs,
      repeat(task, work) {
        if (task === schedule.tablesAhead) step = work
      },
    }
    const rest = { times: 0, least: 0 }
    const { close } = buildLandedTables({ ...context, jobs }, installed, { most, rest })
    const isBuilt = async (path: Path, v: string, type = 'City') => {
      const found = await seeVersion(context, anonymous, { ...path, v })
      const entry = found.roots.types[type] as TypeEntry
      return installed.files.isBuilt(await keyOf(context, found, type, entry))
    }
    const tables = tablesOf(context, usualTables, installed)
    const names = () =>
      readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.duckdb'))
    return { step, close, isBuilt, tables, names }
  }

  test('a table and its statistics are there after a push, on each server', async () => {
    const path = await world.collection()
    const puts = [city('1', { name: 'Oslo', secret: 'hidden' })]
    await world.push(path, { base: null, schemas, puts })
    for (const one of [await server(), await server()]) {
      expect(await one.isBuilt(path, 'latest')).toBe(false)
      await one.step()
      expect(await one.isBuilt(path, 'latest')).toBe(true)
      const known = await one.tables.knownStatistics(anonymous, { ...path, v: 'latest', type: 'City' })
      const text = jsonOf(known).toString()
      expect(text).toContain('Oslo')
      // The full view is built when a member asks.
      expect(text).not.toContain('hidden')
      expect(one.names()).toHaveLength(1)
      await one.step()
      expect(one.names()).toHaveLength(1)
    }
  })

  test('a version that was superseded before its turn is skipped, and so are metadata and forks', async () => {
    const one = await server()
    await one.step()
    const before = one.names().length
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: [city('2')] })
    await world.push(path, { base: 'v1.0.0', puts: [city('3')] })
    await one.step()
    expect([await one.isBuilt(path, 'v1.0.0'), await one.isBuilt(path, 'v1.1.0')]).toEqual([false, true])
    await world.patch(path, { description: 'new' })
    await world.fork(path)
    await one.step()
    expect(one.names()).toHaveLength(before + 1)
  })

  test('neither private and withdrawn versions nor large types are built', async () => {
    const one = await server({ most: 2 })
    await one.step()
    const before = one.names().length
    const [hidden, withdrawn, large] = [
      await world.collection(),
      await world.collection(),
      await world.collection(),
    ]
    for (const [n, path] of [hidden, withdrawn].entries())
      await world.push(path, { base: null, schemas, puts: [city(`p${n}`)] })
    await world.collections.patch(world.me, hidden, { public: false })
    await world.withdrawals.withdraw(world.me, { ...withdrawn, v: 'v1.0.0' }, { reason: 'r' })
    const Town: JsonObject = { type: 'object', properties: { name: { type: 'string' } } }
    const towns = [{ id: '1', type: 'Town', data: { name: 'Elm' } }]
    const puts = [city('a'), city('b'), city('c'), ...towns]
    await world.push(large, { base: null, schemas: { City, Town }, puts })
    await one.step()
    expect(await one.isBuilt(large, 'latest', 'City')).toBe(false)
    expect(await one.isBuilt(large, 'latest', 'Town')).toBe(true)
    expect(one.names()).toHaveLength(before + 1)
  })

  test('a table that waits for its turn counts as being built, in the public view', async () => {
    const [older, newer] = [await world.collection(), await world.collection()]
    for (const path of [older, newer])
      await world.push(path, { base: null, schemas, puts: [city('w', { name: 'W', secret: 'x' })] })
    const gate = Promise.withResolvers<void>()
    const one = await server({ space: { ...unlimitedSpace, demand: () => gate.promise } })
    const isBuilding = (who: typeof anonymous | typeof world.me) =>
      one.tables.isBuilding(who, { ...older, v: 'latest', type: 'City' })
    const done = one.step()
    await expect.poll(() => isBuilding(anonymous), { timeout: 20_000 }).toBe(true)
    expect(await isBuilding(world.me)).toBe(false)
    gate.resolve()
    await done
    expect([await isBuilding(anonymous), await one.isBuilt(older, 'latest')]).toEqual([false, true])
  })

  test('a full disk and a stop end the work without an error', async () => {
    const demand = () => Promise.reject(new StorageFullError('full'))
    const full = await server({ space: { ...unlimitedSpace, demand } })
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: [city('4')] })
    await full.step()
    expect(full.names()).toEqual([])
    const stopped = await server()
    stopped.close()
    await stopped.step()
    expect(await stopped.isBuilt(path, 'latest')).toBe(false)
    expect(world.log.errors).toEqual([])
  })
})
