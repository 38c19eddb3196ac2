import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BlobStore,
  findInstallation,
  installationName,
  openDatabase,
  openDiskStore,
  openS3Store,
  type S3Settings,
} from '@ulmus/storage'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { makeBucket, s3Server } from '@ulmus/storage/testing/buckets'
import { afterEach, describe, expect, test } from 'vitest'
import { contextOn } from '../testing/context.ts'
import { fill, type Home, openHome, start } from '../testing/home.ts'
import { openStoreCommands } from '../upkeep/store-commands.ts'
import { scheduleSweeps } from '../upkeep/sweep/daily.ts'
import { fillingName, StoresUnfitError } from './installation.ts'
import { openStores, type StoresConfig } from './stores.ts'

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const openBlobs = ({ dataFolder, bucket }: StoresConfig): Promise<BlobStore> =>
  bucket === undefined ? openDiskStore(join(dataFolder, 'objects')) : openS3Store(bucket)

async function withBlobs<T>(config: StoresConfig, work: (blobs: BlobStore) => Promise<T>): Promise<T> {
  const blobs = await openBlobs(config)
  try {
    return await work(blobs)
  } finally {
    await blobs.close()
  }
}

const namesIn = (config: StoresConfig) =>
  withBlobs(config, async (blobs) => {
    const names: string[] = []
    for await (const { name } of blobs.list('')) names.push(name)
    return names.toSorted()
  })

async function query(config: StoresConfig, text: string): Promise<Record<string, unknown>[]> {
  const where =
    config.databaseUrl === undefined
      ? { folder: join(config.dataFolder, 'database') }
      : { url: config.databaseUrl }
  const database = await openDatabase(where)
  try {
    return (await database.query(text)).rows
  } finally {
    await database.close()
  }
}

/** Requires that start, fsck and sweep fail with this message, and that the store is unchanged. */
async function expectRefused(config: StoresConfig, sentence: RegExp): Promise<void> {
  const before = await namesIn(config)
  for (const open of [() => start(config), () => openStoreCommands(config)]) {
    const refused = await open().then(
      () => undefined,
      (error: Error) => error,
    )
    expect(refused).toBeInstanceOf(StoresUnfitError)
    expect(refused?.message).toMatch(sentence)
  }
  expect(await namesIn(config)).toEqual(before)
}

/** The kind of database matters only for folders. */
const [embedded, database] = databases as [TestDatabase, TestDatabase]

describe('the installation of both stores', () => {
  describe.each([
    { where: 'on disk', isThere: true },
    { where: 'in a bucket', isThere: s3Server() !== null },
  ])('objects $where', ({ where, isThere }) => {
    async function home(of?: { shares: Home }): Promise<Home> {
      let bucket: S3Settings | undefined
      if (where === 'in a bucket') {
        if (of === undefined) {
          const made = await makeBucket()
          ending.push(made.dispose)
          bucket = made.settings
        } else bucket = of.shares.config.bucket
      }
      const made = await openHome(database, bucket)
      ending.push(made.dispose)
      if (of === undefined || bucket !== undefined) return made
      // Two data folders with one folder of objects: move it here.
      renameSync(join(of.shares.config.dataFolder, 'objects'), join(made.config.dataFolder, 'objects'))
      return made
    }

    test.runIf(isThere)('is made at the first start and is the same at the next', async () => {
      const { config } = await home()
      await fill(config)
      const [row] = await query(config, 'select id from installation')
      const read = () =>
        withBlobs(config, async (blobs) => Buffer.from(await blobs.read(installationName)).toString())
      expect(await read()).toBe(`${row!['id']}\n`)
      await (await start(config)).close()
      const opened = await openStoreCommands(config)
      expect(await opened.fsck({ onDamage() {} })).toMatchObject({ versions: 1, damages: 0 })
      await opened.close()
      expect([await query(config, 'select id from installation'), await read()]).toEqual([
        [row],
        `${row!['id']}\n`,
      ])
    })

    test.runIf(isThere)('another, new database is refused beside what is stored', async () => {
      const first = await home()
      await fill(first.config)
      const { config } = await home({ shares: first })
      await expectRefused(
        config,
        /^The database .* is new, but objects in .* are of the installation [0-9a-f-]{36}\..*--rebuild-index.*prefix/,
      )
    })

    test.runIf(isThere)('a half-filled store is refused, with the command to repeat', async () => {
      for (const [mark, command] of [
        [
          'restore 20261130T090000Z',
          /Run the same `ulmus-server restore` again, with --backup 20261130T090000Z/,
        ],
        ['move 0f0f', /Run `ulmus-server move` again, with the same settings/],
      ] as const) {
        const { config } = await home()
        await withBlobs(config, (blobs) => blobs.put(fillingName, Buffer.from(mark)))
        await expectRefused(config, command)
      }
    })

    test.runIf(isThere)('another installation is refused, even where neither has anything yet', async () => {
      const [first, second] = [await home(), await home()]
      for (const { config } of [first, second]) await (await start(config)).close()
      const mixed = { ...second.config, bucket: first.config.bucket }
      if (mixed.bucket === undefined) {
        rmSync(join(mixed.dataFolder, 'objects'), { recursive: true })
        renameSync(join(first.config.dataFolder, 'objects'), join(mixed.dataFolder, 'objects'))
      }
      await expectRefused(mixed, /are of different installations \([0-9a-f-]{36} and [0-9a-f-]{36}\)/)
    })

    test.runIf(isThere)(
      'a store that holds objects and no id is refused, by new and by known databases',
      async () => {
        const { config } = await home()
        await withBlobs(config, (blobs) => blobs.put('files/ab/abc', new Uint8Array(10)))
        await expectRefused(config, /is new, but there are objects in .*--rebuild-index/)
        await query(config, `insert into installation (id) values ('${randomUUID()}')`)
        await expectRefused(config, /lack installation\/id/)
      },
    )

    test.runIf(isThere)(
      'a start that crashed between row and blob is completed; a store that was lost is not created again',
      async () => {
        const { config } = await home()
        await query(config, `insert into installation (id) values ('${randomUUID()}')`)
        await fill(config)
        const [{ id }] = (await query(config, 'select id from installation')) as [{ id: string }]
        await withBlobs(config, async (blobs) => {
          expect(Buffer.from(await blobs.read(installationName)).toString()).toBe(`${id}\n`)
          for await (const { name } of blobs.list('')) await blobs.remove(name)
        })
        await expectRefused(config, /^There are no objects in .* refers to some/)
      },
    )

    test.runIf(isThere)('rebuilding the index gives a new database the id of the store', async () => {
      const first = await home()
      await fill(first.config)
      const { config } = await home({ shares: first })
      const rebuilt = await openStoreCommands(config, 'rebuild')
      expect(await rebuilt.rebuildIndex()).toMatchObject({ packs: 1, damages: [] })
      await rebuilt.close()
      await (await start(config)).close()
      const names = await namesIn(config)
      const opened = await openStoreCommands(config)
      expect((await opened.sweep({ graceSeconds: 0 })).removed).toEqual({ blobs: 0, bytes: 0 })
      await opened.close()
      expect(await namesIn(config)).toEqual(names)
    })

    test.runIf(isThere)('commands make nothing where no server has started', async () => {
      const { config } = await home()
      await expect(openStoreCommands(config)).rejects.toThrow(/^There is n/)
      expect(await query(config, 'select id from installation')).toEqual([])
      await expect(openStoreCommands(config, 'rebuild')).rejects.toThrow(/^There is n/)
      if (config.bucket !== undefined) expect(await namesIn(config)).toEqual([])
    })
  })

  test('servers that start at the same time on a new store agree', async () => {
    const made = await openHome(database)
    ending.push(made.dispose)
    const { config } = made
    await using opened = new AsyncDisposableStack()
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const { database: rows, demandSame } = await openStores(config, opened, 'serve')
        await demandSame()
        return findInstallation(rows)
      }),
    )
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toBeDefined()
  })

  test('the daily sweep does not begin where a store was exchanged beneath it', async () => {
    const { database: opened, dispose } = await database.open()
    ending.push(dispose)
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-exchanged-'))
    ending.push(async () => rmSync(folder, { recursive: true, force: true }))
    const blobs = await openDiskStore(folder)
    const lost = `packs/ab/${randomUUID()}`
    await blobs.put(lost, new Uint8Array(10))
    const later = () => new Date(Date.now() + 2 * 86_400_000)
    const context = contextOn({ database: opened, blobs }, { now: later })
    ending.push(() => context.dispose())
    await opened.query(
      "insert into periodic_tasks (name, begun_at) values ('sweep', now() - interval '2 days')",
    )
    let asked = 0
    scheduleSweeps(context, async () => {
      asked++
      throw new StoresUnfitError('another store')
    })
    await context.jobs.start()
    await expect
      .poll(() => context.log.errors, { timeout: 20_000 })
      .toMatchObject([{ line: 'daily sweep failed' }])
    expect(asked).toBe(1)
    expect((await opened.query('select name from blobs_set_aside')).rows).toEqual([])
  })
})

describe('folders of a data folder', { timeout: 90_000 }, () => {
  async function filled(): Promise<StoresConfig> {
    const { config, dispose } = await openHome(embedded)
    ending.push(dispose)
    await fill(config)
    return config
  }
  const folders = ({ dataFolder }: StoresConfig) => readdirSync(dataFolder).toSorted()

  test.each(['gone', 'empty'])(
    'a database that is %s beside objects is not created again',
    async (how) => {
      const config = await filled()
      const folder = join(config.dataFolder, 'database')
      rmSync(folder, { recursive: true })
      if (how === 'empty') mkdirSync(folder)
      const before = folders(config)
      await expect(start(config)).rejects.toThrow(
        /^There is no database in .* but there are objects in .*restore/,
      )
      await expect(openStoreCommands(config)).rejects.toThrow(/^There is no database in /)
      expect(folders(config)).toEqual(before)
      if (how === 'empty') return expect(readdirSync(folder)).toEqual([])
      const rebuilt = await openStoreCommands(config, 'rebuild')
      expect(await rebuilt.rebuildIndex()).toMatchObject({ packs: 1 })
      await rebuilt.close()
      await (await start(config)).close()
    },
    90_000,
  )

  test('objects that are gone are not taken for none', async () => {
    const config = await filled()
    rmSync(join(config.dataFolder, 'objects'), { recursive: true })
    await expect(start(config)).rejects.toThrow(/^There are no objects in /)
    await expect(openStoreCommands(config)).rejects.toThrow(/^There is no folder of objects /)
    await expect(openStoreCommands(config, 'rebuild')).rejects.toThrow(/^There is no folder of objects /)
    expect(folders(config)).toEqual(['database', 'log.key', 'secrets.key', 'tables'])
  })

  test('commands refuse a data folder that is not there, and make none', async () => {
    const dataFolder = join(tmpdir(), `ulmus-absent-${randomUUID()}`)
    const config = { dataFolder, log: { info() {}, warn() {}, error() {} } }
    for (const purpose of ['check', 'rebuild'] as const)
      await expect(openStoreCommands(config, purpose)).rejects.toThrow(/^There is no .*Set DATA_DIR/)
    expect(existsSync(dataFolder)).toBe(false)
  })

  test.runIf(process.platform !== 'win32')(
    'a looser data folder is closed to others, but not what others use, too',
    async () => {
      const config = await filled()
      const modes = () =>
        ['', 'database', 'objects'].map((name) => statSync(join(config.dataFolder, name)).mode & 0o777)
      const loosen = () => {
        for (const name of ['', 'database', 'objects']) chmodSync(join(config.dataFolder, name), 0o755)
      }
      loosen()
      await (await start(config)).close()
      expect(modes()).toEqual([0o700, 0o700, 0o700])
      // The start has created the folder of tables.
      loosen()
      await (await start(config)).close()
      expect(modes()).toEqual([0o700, 0o700, 0o700])
      loosen()
      mkdirSync(join(config.dataFolder, 'of-others'))
      const warned: string[] = []
      const log = { ...config.log, warn: (_: object, line: string) => void warned.push(line) }
      await (await start({ ...config, log })).close()
      expect(modes()).toEqual([0o755, 0o700, 0o700])
      expect(warned).toEqual([expect.stringContaining(`Others may enter ${config.dataFolder}`)])
    },
  )
})
