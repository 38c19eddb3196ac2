/** Stores on a full disk: their errors, their leftovers, and the start of the embedded database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { openDiskStore } from './blobs/disk/store.ts'
import { keepBallast } from './database/embedded/ballast.ts'
import { openDatabase } from './database/open.ts'
import { watchSpace } from './disk-space.ts'
import { isStorageFull } from './errors/storage-full.ts'
import { startPostgres } from './testing/postgres.ts'
import { mountSmallDisk, type SmallDisk, smallDisksPossible } from './testing/small-disk.ts'

const mebibyte = 2 ** 20

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.skipIf(!smallDisksPossible())('a full disk', () => {
  let disk: SmallDisk
  beforeEach(() => {
    disk = mountSmallDisk(176 * mebibyte)
  })
  afterEach(() => disk.dispose())

  it('refuses a blob that does not fit, with and without a reserve, and leaves nothing of it', async () => {
    async function* endless() {
      for (;;) yield new Uint8Array(mebibyte)
    }
    disk.fill(40 * mebibyte)
    const folder = join(disk.folder, 'objects')
    for (const reserveBytes of [0, 16 * mebibyte]) {
      const store = await openDiskStore(folder, watchSpace({ folders: [disk.folder], reserveBytes }))
      const before = disk.free()
      expect(isStorageFull(await failureOf(store.put('files/aa/endless', endless())))).toBe(true)
      expect(disk.free()).toBe(before)
      expect(readdirSync(join(folder, 'tmp'))).toEqual([])
      expect(await Array.fromAsync(store.list(''))).toEqual([])
      // The free space is cached for a second.
      await vi.waitFor(() => store.put('files/aa/small', new Uint8Array(1)), { timeout: 20_000 })
      await store.remove('files/aa/small')
      await store.close()
    }
  })

  it('ends the process with a sentence when the log finds no room, and starts again to read', async () => {
    const folder = join(disk.folder, 'database')
    cpSync(inject('embeddedTemplate'), folder, { recursive: true })
    const fixture = join(import.meta.dirname, 'full-log.fixture.ts')
    const child = spawn(process.execPath, [fixture, folder])
    const ended = once(child, 'close')
    const said = text(child.stderr)
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (lines: string) => {
      out += lines
    })
    await once(child.stdout, 'data')
    disk.fill(0)
    child.stdin.end()
    expect(await ended).toEqual([1, null])
    const err = await said
    expect(err).toMatch(/^The disk of \S+ is full, and the database has no room left for its log.*\n$/)
    const acknowledged = Number(out.split('\n').at(-2))
    expect(acknowledged).toBeGreaterThan(0)

    const database = await openDatabase({ folder })
    expect(existsSync(join(folder, 'ballast'))).toBe(false)
    const { rows } = await database.query('select value from progress')
    expect(rows[0]!['value']).toBeGreaterThanOrEqual(acknowledged)
    await database.close()
  })

  it('makes no database on a disk that is too small for one, and says how much it needs', async () => {
    disk.fill(90 * mebibyte)
    const folder = join(disk.folder, 'database')
    await expect(openDatabase({ folder })).rejects.toMatchObject({
      name: 'DatabaseUnfitError',
      message: expect.stringMatching(
        /needs 100 MB of free disk .*; 9\d MB of disk are free\. Free some, set/,
      ),
    })
    expect(existsSync(folder)).toBe(false)
  })

  it('keeps no ballast where there is no room for it beside the reserve', async () => {
    await keepBallast(disk.folder, 128 * mebibyte)
    expect(readdirSync(disk.folder)).toEqual([])
  })

  it('is what a PostgreSQL server says of a table that cannot grow', async () => {
    const home = join(inject('testFolder'), `full-${crypto.randomUUID()}`)
    const server = await startPostgres(home)
    try {
      disk.fill(4 * mebibyte)
      const { uid, gid } = statSync(home)
      chownSync(disk.folder, uid, gid)
      const pool = new pg.Pool({ connectionString: server.url, max: 1 })
      await pool.query(`create tablespace small location '${disk.folder}'`)
      await pool.query('create table grown (content text) tablespace small')
      const grow = `insert into grown select repeat(md5(i::text), 50) from generate_series(1, 100000) as i`
      expect(isStorageFull(await failureOf(pool.query(grow)))).toBe(true)
      expect((await pool.query('select * from grown')).rows).toEqual([])
      await pool.end()
    } finally {
      await server.stop()
    }
  })
})
