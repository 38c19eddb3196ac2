/** Backup, restore and move keep every digest. On both databases, in a folder and in a bucket. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { makeBucket, s3Server } from '@ulmus/storage/testing/buckets'
import { afterEach, describe, expect, test } from 'vitest'
import { openStores, type StoresConfig } from '../stores/stores.ts'
import { contextOn } from '../testing/context.ts'
import { digestsOf, type Filled, fillWithAll, kept, me, openPush, pushMore } from '../testing/filled.ts'
import { type Home, openHome, start } from '../testing/home.ts'
import { openStoreCommands } from '../upkeep/store-commands.ts'
import { sweep } from '../upkeep/sweep.ts'
import { backUp } from './backup.ts'
import { move, moveBack } from './move.ts'
import { checkBackup, restore } from './restore.ts'
import type { ShelfPlace } from './shelf.ts'

const ending: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-shelf-'))
  ending.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const [embedded, server] = databases as [TestDatabase, TestDatabase]
const isThere = { folder: true, bucket: s3Server() !== null }
type Where = keyof typeof isThere

async function home(database: TestDatabase, where: Where): Promise<Home> {
  let bucket: Awaited<ReturnType<typeof makeBucket>> | undefined
  if (where === 'bucket') {
    bucket = await makeBucket()
    ending.push(bucket.dispose)
  }
  const made = await openHome(database, bucket?.settings)
  ending.push(made.dispose)
  return made
}

async function shelf(where: Where): Promise<ShelfPlace> {
  if (where === 'folder') return { folder: join(temporary(), 'backups') }
  const bucket = await makeBucket()
  ending.push(bucket.dispose)
  return { bucket: { ...bucket.settings, prefix: 'backups/of/ulmus/' } }
}

async function expectSame(config: StoresConfig, filled: Filled): Promise<void> {
  expect(await digestsOf(config)).toEqual(filled)
  const commands = await openStoreCommands(config)
  const report = await commands.fsck({ files: true, onDamage: (damage) => expect(damage).toBeUndefined() })
  await commands.close()
  expect(report).toMatchObject({ damages: 0, versions: filled.versions.length, files: filled.files.length })
}

/** Requires that a server starts on the stores and accepts a push. */
async function expectServes(config: StoresConfig): Promise<void> {
  const registry = await start(config)
  try {
    await pushMore(registry, 'after')
  } finally {
    await registry.close()
  }
}

const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const by = 'test'

describe.each([
  { from: embedded, at: 'folder', to: server, on: 'bucket', by: 'folder' },
  { from: server, at: 'bucket', to: embedded, on: 'folder', by: 'folder' },
  { from: embedded, at: 'bucket', to: embedded, on: 'bucket', by: 'bucket' },
  { from: server, at: 'folder', to: server, on: 'folder', by: 'folder' },
  // The rows above have both halves of it, if there are buckets.
  ...(isThere.bucket
    ? []
    : ([{ from: embedded, at: 'folder', to: embedded, on: 'folder', by: 'folder' }] as const)),
] as const)('from $from.name and $at to $to.name and $on, backups in a $by', (one) => {
  const runs = isThere[one.at] && isThere[one.on] && isThere[one.by]

  test.runIf(runs)(
    'a backup that is made while the server serves restores to the same digests; the next copies what is new',
    async () => {
      const { config } = await home(one.from, one.at)
      const place = await shelf(one.by)
      const filled = await fillWithAll(config)
      const registry = await start(config)
      let pushing = true
      const meanwhile = (async () => {
        for (let i = 0; pushing; i++) await pushMore(registry, `meanwhile-${i}`)
      })()
      const first = await backUp(config, place, { by })
      pushing = false
      await meanwhile
      expect(first.unrecorded).toBeUndefined()
      const recorded = await registry.figures.lastBackup()
      expect(recorded!.bytes).toBeGreaterThan(first.blobs.bytes)
      expect(recorded!.secondsAgo).toBeLessThan(240)
      await registry.close()
      expect(first.copied).toEqual(first.blobs)
      const now = await digestsOf(config)
      const second = await backUp(config, place, { by })
      expect(second.copied.count).toBeGreaterThan(0)
      expect(second.copied.count).toBeLessThan(second.blobs.count)
      const third = await backUp(config, place, { by })
      expect(third.copied).toEqual({ count: 0, bytes: 0 })
      expect(third.unrecorded).toBeUndefined()

      const target = await home(one.to, one.on)
      expect(await restore(place, target.config)).toMatchObject({ id: third.id, copied: third.blobs })
      await expectSame(target.config, now)
      await expectServes(target.config)
      await expect(restore(place, target.config)).rejects.toThrow(/nothing is put over/)

      const early = await home(one.to, one.on)
      await restore(place, early.config, first.id)
      const then = await digestsOf(early.config)
      expect(then.files).toEqual(expect.arrayContaining([...filled.files]))
      for (const version of filled.versions) expect(then.versions).toContainEqual(version)
      for (const version of then.versions) expect(now.versions).toContainEqual(version)
    },
    240_000,
  )

  test.runIf(runs)(
    'a move leaves the same digests, and a way back',
    async () => {
      const { config } = await home(one.from, one.at)
      const filled = await fillWithAll(config)
      const there = await home(one.to, one.on)
      const report = await move(config, there.config)
      expect(report.copied).toEqual(report.blobs)
      await expectSame(there.config, filled)
      await expectServes(there.config)
      const moved = await digestsOf(there.config)
      const back = await home(one.from, one.at)
      await move(there.config, back.config)
      await expectSame(back.config, moved)
    },
    240_000,
  )
})

describe('a backup', () => {
  test.each(databases)(
    'is whole though a sweep removes packs while it is made ($name)',
    async (database) => {
      const { config } = await home(database, 'folder')
      const place = await shelf('folder')
      await fillWithAll(config)
      let sweeps = 0
      const report = await backUp(config, place, {
        by,
        async onStep(step) {
          if (step !== 'dumped' || sweeps++ > 0) return
          // Delete collections, and with them at once the data that a sweep keeps for a week.
          const registry = await start(config)
          for (const owner of ['ada', 'acme'])
            await registry.collections.remove(await me(registry), { owner, slug: 'kept' })
          await registry.close()
          await using opened = new AsyncDisposableStack()
          const stores = await openStores(config, opened, 'check')
          const context = contextOn(stores, { now: () => new Date(Date.now() + 1_000) })
          await sweep(context, { graceSeconds: 0, asideSeconds: 0, force: true })
          await sweep(context, { graceSeconds: 0, asideSeconds: 0, force: true })
          await context.dispose()
        },
      })
      expect(sweeps).toBe(2)
      const target = await home(database, 'folder')
      expect(await restore(place, target.config)).toMatchObject({ id: report.id })
      await expectSame(target.config, await digestsOf(config))
    },
    120_000,
  )

  test('is not there when something that the database names is gone, and says what', async () => {
    const { config } = await home(server, 'folder')
    const place = await shelf('folder')
    const { files } = await fillWithAll(config)
    const [hash] = files
    rmSync(join(config.dataFolder, 'objects/files', hash!.slice(0, 2), hash!))
    await expect(backUp(config, place, { by })).rejects.toThrow(
      /lacks files\/.* no backup can be whole.*fsck/,
    )
    await expect(restore(place, (await home(server, 'folder')).config)).rejects.toThrow(
      /There is no backup in/,
    )
  })

  test('is not there when a pack or a file of the registry has one flipped bit, and neither is a move', async () => {
    const { config } = await home(server, 'folder')
    await fillWithAll(config)
    for (const folder of ['packs', 'files']) {
      const place = await shelf('folder')
      const [path] = filesUnder(join(config.dataFolder, 'objects', folder))
      const whole = readFileSync(path!)
      for (const at of [0, whole.length >> 1, whole.length - 1]) {
        const bytes = Buffer.from(whole)
        bytes[at]! ^= 1
        writeFileSync(path!, bytes)
        const refused = new RegExp(`${folder}/.* damaged.*in the registry itself.*fsck`)
        await expect(backUp(config, place, { by }), `byte ${at}`).rejects.toThrow(refused)
        await expect(move(config, (await home(server, 'folder')).config)).rejects.toThrow(refused)
      }
      writeFileSync(path!, whole)
      const { id } = await backUp(config, place, { by })
      expect(
        await checkBackup(place, undefined, (sentence) => expect(sentence).toBeUndefined()),
      ).toMatchObject({ id })
    }
  }, 120_000)

  test('refuses the data folder, objects of a registry, and backups of another installation', async () => {
    const [one, other] = [await home(server, 'folder'), await home(server, 'folder')]
    await fillWithAll(one.config)
    await fillWithAll(other.config)
    const own = { folder: join(one.config.dataFolder, 'backups') }
    await expect(backUp(one.config, own, { by })).rejects.toThrow(/is in the data folder/)
    const objects = { folder: join(other.config.dataFolder, 'objects') }
    await expect(backUp(one.config, objects, { by })).rejects.toThrow(/holds the objects of a registry/)
    const place = await shelf('folder')
    await backUp(one.config, place, { by })
    await expect(backUp(other.config, place, { by })).rejects.toThrow(/backups of another installation/)
  })

  test('keeps as many as are asked for, and what they need', async () => {
    const { config } = await home(server, 'folder')
    const place = await shelf('folder')
    await fillWithAll(config)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const registry = await start(config)
      await pushMore(registry, `more-${i}`)
      await registry.close()
      const days = 2 * i
      const now = () => new Date(Date.now() + days * 86_400_000)
      const { id, removed } = await backUp(config, place, { by, keep: 2, now })
      ids.push(id)
      expect(removed).toEqual(i < 2 ? [] : [ids[0]])
    }
    await expect(restore(place, config, ids[0])).rejects.toThrow(`It has ${ids[1]}, ${ids[2]}.`)
    for (const id of ids.slice(1)) {
      const target = await home(server, 'folder')
      await restore(place, target.config, id)
      const commands = await openStoreCommands(target.config)
      expect(await commands.fsck({ files: true, onDamage: () => undefined })).toMatchObject({ damages: 0 })
      await commands.close()
    }
  })
})

describe('restoring', () => {
  async function madeBackup() {
    const { config } = await home(server, 'folder')
    const place = { folder: join(temporary(), 'backups') }
    const filled = await fillWithAll(config)
    const { id } = await backUp(config, place, { by })
    return { config, place, filled, id }
  }
  test('finds a pack, a file, the list and the database damaged; nothing starts on what was half restored; mended, it goes on', async () => {
    const { place, filled, id } = await madeBackup()
    const [pack] = filesUnder(join(place.folder, 'packs'))
    const [file] = filesUnder(join(place.folder, 'files'))
    for (const [path, sentence] of [
      [pack!, /packs\/.* is damaged: its SHA-256/],
      [file!, /files\/.* is damaged: its SHA-256/],
      [join(place.folder, 'backups', id, 'blobs'), /blobs (?:of the backup .* )?is damaged/],
      [join(place.folder, 'backups', id, 'database'), /database is damaged|dump of the database is damaged/],
    ] as const) {
      const target = await home(server, 'folder')
      const whole = readFileSync(path)
      const bytes = Buffer.from(whole)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(path, bytes)
      await expect(restore(place, target.config), path).rejects.toThrow(sentence)
      if (!path.endsWith('blobs'))
        await expect(start(target.config)).rejects.toThrow(
          `is running or was interrupted. Run the same \`ulmus-server restore\` again, with --backup ${id}`,
        )
      writeFileSync(path, whole)
      await restore(place, target.config)
      await expectSame(target.config, filled)
    }
  }, 120_000)

  test('a check lists every fault; blobs that are deleted then are copied again by the next backup', async () => {
    const { config, place, filled, id } = await madeBackup()
    const checked = async (wanted?: string) => {
      const faults: string[] = []
      const report = await checkBackup(place, wanted, (sentence) => faults.push(sentence))
      return { id: report.id, faults: faults.toSorted() }
    }
    expect(await checked()).toEqual({ id, faults: [] })
    const [[pack], [file]] = [
      filesUnder(join(place.folder, 'packs')),
      filesUnder(join(place.folder, 'files')),
    ]
    rmSync(pack!)
    const bytes = readFileSync(file!)
    bytes[0]! ^= 1
    writeFileSync(file!, bytes)
    expect(await checked()).toEqual({
      id,
      faults: [
        expect.stringMatching(/^files\/.* is damaged: its SHA-256 is/),
        expect.stringMatching(/^packs\/.* is missing/),
      ],
    })
    const target = await home(server, 'folder')
    await expect(restore(place, target.config)).rejects.toThrow(
      new RegExp(`^The backup ${id} in ${place.folder}(:| lacks) (?:packs|files)/.*restore --check`),
    )
    rmSync(file!)
    const { id: next } = await backUp(config, place, { by, now: () => new Date(Date.now() + 60_000) })
    for (const one of [id, next]) expect(await checked(one)).toEqual({ id: one, faults: [] })
    await restore(place, target.config, id)
    await expectSame(target.config, filled)
  })

  test('finds what is too long', async () => {
    const { place } = await madeBackup()
    appendFileSync(filesUnder(join(place.folder, 'packs'))[0]!, 'x')
    await expect(restore(place, (await home(server, 'folder')).config)).rejects.toThrow(
      /more than the \d+ bytes that it should have/,
    )
  })

  test.each(databases)('refuses a database and a folder that hold anything ($name)', async (database) => {
    const { place, config } = await madeBackup()
    const used = await home(database, 'folder')
    await fillWithAll(used.config)
    await expect(restore(place, used.config)).rejects.toThrow(
      /^There are objects in .* nothing is put over them/,
    )
    rmSync(join(used.config.dataFolder, 'objects'), { recursive: true })
    await expect(restore(place, used.config)).rejects.toThrow(/^The database .* is not empty/)
    await expect(move(config, used.config)).rejects.toThrow(/is not empty/)
  })
})

describe('a move', () => {
  test('of the database alone leaves the objects where they are, and of the objects alone the database', async () => {
    const { config } = await home(embedded, 'folder')
    const filled = await fillWithAll(config)
    const { databaseUrl } = (await home(server, 'folder')).config
    const onServer = { ...config, databaseUrl: databaseUrl! }
    expect(await move(config, onServer)).toMatchObject({ objects: undefined, blobs: { count: 0 } })
    await expectSame(onServer, filled)
    const elsewhere = { ...onServer, dataFolder: join(temporary(), 'data') }
    expect(await move(onServer, elsewhere)).toMatchObject({ database: undefined, rows: 0 })
    await expectSame(elsewhere, filled)
    await expect(move(elsewhere, elsewhere)).rejects.toThrow(/already/)
    // Both old homes are refused, the one with the present objects, too.
    await expect(start(config)).rejects.toThrow(
      /^The database in .* was moved to the database at DATABASE_URL/,
    )
    await expect(start(onServer)).rejects.toThrow(
      `were moved to objects in ${elsewhere.dataFolder}/objects (20`,
    )
    // The database is the same: going back would lose the objects that were written since.
    await expectServes(elsewhere)
    const went = await digestsOf(elsewhere)
    await expect(moveBack(onServer)).rejects.toThrow(/refers to \d+ blobs? that the objects in .* lack/)
    await expect(start(onServer)).rejects.toThrow('were moved to')
    await expectSame(elsewhere, went)
  })

  test.each(databases)(
    'keeps servers, commands and backups from the old stores until it is given up ($name)',
    async (database) => {
      const { config } = await home(database, 'folder')
      const filled = await fillWithAll(config)
      const place = await shelf('folder')
      const { id } = await backUp(config, place, { by })
      const there = await home(server, 'folder')
      await move(config, there.config)
      await expectServes(there.config)
      for (const use of [start, openStoreCommands])
        await expect(use(config)).rejects.toThrow(
          /^The database .* was moved to .*`ulmus-server move --back`/,
        )
      await expect(move(config, (await home(server, 'folder')).config)).rejects.toThrow(/was moved to/)
      await expect(backUp(config, place, { by })).rejects.toThrow(/was moved to/)
      const restored = await home(server, 'folder')
      await restore(place, restored.config, id)
      await expectSame(restored.config, filled)

      expect(await moveBack(config)).toMatchObject({ places: { length: 2 }, log: 'restarts' })
      expect(await moveBack(config)).toEqual({ places: [], log: 'untouched' })
      await expectSame(config, filled)
      await expectServes(config)
    },
  )

  test.each(databases)('is refused while a server runs ($name)', async (database) => {
    const { config } = await home(database, 'folder')
    await fillWithAll(config)
    const registry = await start(config)
    const target = await home(server, 'folder')
    await expect(move(config, target.config)).rejects.toThrow(/in use by process|A server has the database/)
    await registry.close()
    await move(config, target.config)
  })

  test('waits for the connections of a server that stops', async () => {
    const { config } = await home(server, 'folder')
    await fillWithAll(config)
    await using opened = new AsyncDisposableStack()
    await openStores(config, opened, 'check')
    const stopping = sleep(500).then(() => opened.disposeAsync())
    const target = await home(embedded, 'folder')
    expect(await move(config, target.config)).toMatchObject({ objects: expect.any(String) })
    await stopping
  })
})

test('data received by a push is backed up, and the push is committed after the restore', async () => {
  const { config } = await home(server, 'folder')
  await fillWithAll(config)
  const place = await shelf('folder')
  const registry = await start(config)
  const session = await openPush(registry)
  const { blobs } = await backUp(config, place, { by })
  await registry.close()
  const target = await home(embedded, 'folder')
  expect(await restore(place, target.config)).toMatchObject({ blobs })
  const again = await start(target.config)
  const committed = await again.pushes.commit(await me(again), kept, session, { async: false })
  expect(committed).toMatchObject({ kind: 'committed', result: { semver: 'v1.3.0' } })
  await again.close()
})
