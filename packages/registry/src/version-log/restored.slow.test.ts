/** Neither a restored backup nor stores whose move is given up sign a second log of one name; a moved registry continues its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkContinues, openCheckpoint, parseSkey, parseVkey, type Tile, tilePath } from '@ulmus/content/log'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { backUp } from '../backups/backup.ts'
import { move, moveBack } from '../backups/move.ts'
import { restore } from '../backups/restore.ts'
import { defaultLimits } from '../limits.ts'
import { openRegistry, type Registry } from '../open.ts'
import { anonymous } from '../principal.ts'
import type { StoresConfig } from '../stores/stores.ts'
import { kept, me, pushMore } from '../testing/filled.ts'
import { fill, openHome } from '../testing/home.ts'
import { newLogKey } from './key-file.ts'
import type { RestoredLog } from './restored.ts'

const ending: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})
const [embedded, server] = databases as [TestDatabase, TestDatabase]

/** A folder with a key of the log, and homes whose servers sign with it. */
function withKey() {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-restored-'))
  ending.push(() => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, 'log.key')
  const key = newLogKey('https://registry.example')
  writeFileSync(keyFile, key)
  return {
    ...{ folder, key },
    async home(database: TestDatabase): Promise<StoresConfig> {
      const made = await openHome(database)
      ending.push(made.dispose)
      // With the embedded database the first start would make another key, and sign.
      writeFileSync(join(made.config.dataFolder, 'log.key'), key)
      return made.config
    },
    async running<T>(config: StoresConfig, work: (registry: Registry) => Promise<T>): Promise<T> {
      const registry = await openRegistry({
        ...{ ...config, limits: defaultLimits, works: true },
        versionLog: { keyFile },
      })
      try {
        return await work(registry)
      } finally {
        await registry.close()
      }
    },
  }
}

/** Size and note once the log has so many entries. */
async function noteOf({ versionLog }: Registry, size: number) {
  await vi.waitFor(async () => expect((await versionLog.latest()).size).toBe(size), { timeout: 20_000 })
  return { note: await versionLog.checkpoint(), ...(await versionLog.latest()) }
}

const ways = [
  { from: embedded, to: server },
  { from: server, to: embedded },
]

test.each(ways)('from $from.name to $to.name', { timeout: 240_000 }, async ({ from, to }) => {
  const { folder, key, home, running } = withKey()
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

test.each(ways)(
  'after a move from $from.name to $to.name that is given up',
  { timeout: 240_000 },
  async ({ from, to }) => {
    const { home, running } = withKey()
    const [config, there] = [await home(from), await home(to)]
    await fill(config)
    const before = await running(config, async (registry) => {
      await registry.collections.patch(await me(registry), kept, { public: true })
      return noteOf(registry, 2)
    })
    // No server started in the new place, so the old name is still true.
    await move(config, there)
    const keep: RestoredLog = { kind: 'continues', witnesses: [], outside: null }
    expect(await moveBack(config, keep)).toMatchObject({ places: { length: 2 }, log: 'continues' })
    expect((await running(config, (registry) => noteOf(registry, 2))).note).toBe(before.note)

    const again = await home(to)
    await move(config, again)
    const published = await running(again, async (registry) => {
      await pushMore(registry, 'in-the-new-place')
      return noteOf(registry, 3)
    })
    expect(published.origin).toBe(before.origin)
    expect(await moveBack(config)).toMatchObject({ places: { length: 2 }, log: 'restarts' })
    await running(config, async (registry) => {
      await pushMore(registry, 'in-the-old-place')
      const after = await noteOf(registry, 4)
      expect(after.origin).toMatch(/^registry\.example\/log\/2-\d{8}t\d{9}z$/)
      // All leaves from before the move are there, in their order.
      await checkContinues({ ...before, origin: after.origin }, after, tileOf(registry))
    })
  },
)

test('a move of the objects alone that is given up keeps the name', { timeout: 120_000 }, async () => {
  const { folder, home, running } = withKey()
  const config = await home(server)
  await fill(config)
  const before = await running(config, (registry) => noteOf(registry, 2))
  await move(config, { ...config, dataFolder: join(folder, 'data') })
  expect(await moveBack(config)).toMatchObject({ places: { length: 1 }, log: 'untouched' })
  expect((await running(config, (registry) => noteOf(registry, 2))).note).toBe(before.note)
})

const tileOf =
  ({ versionLog }: Registry) =>
  async (tile: Tile): Promise<Uint8Array> =>
    (await versionLog.tile(tilePath(tile)))!
