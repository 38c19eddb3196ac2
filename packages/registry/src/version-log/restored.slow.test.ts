/** A restored backup never signs a second log of one name; a moved registry goes on with its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkContinues, openCheckpoint, parseSkey, parseVkey, type Tile, tilePath } from '@ulmus/content/log'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { backUp } from '../backups/backup.ts'
import { move } from '../backups/move.ts'
import { restore } from '../backups/restore.ts'
import { defaultLimits } from '../limits.ts'
import { openRegistry, type Registry } from '../open.ts'
import { anonymous } from '../principal.ts'
import type { StoresConfig } from '../stores/stores.ts'
import { kept, me, pushMore } from '../testing/filled.ts'
import { fill, openHome } from '../testing/home.ts'
import { newLogKey } from './key-file.ts'

const ending: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})
const [embedded, server] = databases as [TestDatabase, TestDatabase]

test.each([
  { from: embedded, to: server },
  { from: server, to: embedded },
])('from $from.name to $to.name', { timeout: 240_000 }, async ({ from, to }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-restored-'))
  ending.push(() => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, 'log.key')
  const key = newLogKey('https://registry.example')
  writeFileSync(keyFile, key)
  const home = async (database: TestDatabase) => {
    const made = await openHome(database)
    ending.push(made.dispose)
    return made.config
  }
  async function running<T>(config: StoresConfig, work: (registry: Registry) => Promise<T>): Promise<T> {
    const registry = await openRegistry({
      ...{ ...config, limits: defaultLimits, works: true },
      versionLog: { keyFile },
    })
    try {
      return await work(registry)
    } finally {
      await registry.close()
    }
  }
  /** Size and note once the log has so many entries. */
  const noteOf = async ({ versionLog }: Registry, size: number) => {
    await vi.waitFor(async () => expect((await versionLog.latest()).size).toBe(size), { timeout: 20_000 })
    return { note: await versionLog.checkpoint(), ...(await versionLog.latest()) }
  }

  const config = await home(from)
  await fill(config)
  await running(config, async (registry) => {
    await registry.collections.patch(await me(registry), kept, { public: true })
    await noteOf(registry, 2)
  })
  const place = { folder: join(folder, 'backups') }
  const yesterday = await running(config, (registry) => noteOf(registry, 2))
  await backUp(config, place, { by: 'test' })
  const published = await running(config, async (registry) => {
    await pushMore(registry, 'after-the-backup')
    return noteOf(registry, 3)
  })
  const { origin } = yesterday
  expect(origin).toBe('registry.example/log/1')

  const names = new Set([origin])
  for (const _ of [1, 2]) {
    const there = await home(to)
    await restore(place, there)
    await running(there, async (registry) => {
      const after = await noteOf(registry, 3)
      expect(after.origin).toMatch(/^registry\.example\/log\/2-\d{8}t\d{9}z$/)
      names.add(after.origin)
      const { keys } = await registry.versionLog.facts()
      expect(keys).toHaveLength(1)
      // The old version is proven by the new checkpoint; a reader who has the old one sees another log.
      const { proof } = await registry.versionLog.ofVersion(anonymous, { ...kept, v: 'v1.0.0' })
      expect(proof).toContain(`\n${after.origin}\n3\n`)
      openCheckpoint(after.note, { keys: [parseVkey(keys[0]!.vkey)] })
      const known = parseSkey(key.trim())
      expect(() => openCheckpoint(after.note, { keys: [known] })).toThrow('No key that you trust has signed')
      await expect(checkContinues(published, after, tileOf(registry))).rejects.toThrow(`was ${origin} before`)
      // All leaves of the backup are there, in their order.
      await checkContinues({ ...yesterday, origin: after.origin }, after, tileOf(registry))
      await pushMore(registry, 'again')
      await noteOf(registry, 4)
    })
  }
  expect(names.size).toBe(3)

  const same = await home(to)
  await restore(place, same, undefined, { kind: 'continues', witnesses: [], outside: null })
  await running(same, async (registry) => {
    expect((await noteOf(registry, 2)).note).toBe(yesterday.note)
  })

  const moved = await home(to)
  await move(config, moved)
  await running(moved, async (registry) => {
    expect((await noteOf(registry, 3)).note).toBe(published.note)
    await pushMore(registry, 'moved')
    await checkContinues(published, await noteOf(registry, 4), tileOf(registry))
  })
})

const tileOf =
  ({ versionLog }: Registry) =>
  async (tile: Tile): Promise<Uint8Array> =>
    (await versionLog.tile(tilePath(tile)))!
