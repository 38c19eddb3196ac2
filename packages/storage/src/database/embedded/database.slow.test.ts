import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { firstGood } from '../../../../content/src/testing/measured.ts'
import { databases } from '../../testing/databases.ts'
import { DatabaseUnfitError, FolderInUseError } from '../database.ts'
import { openDatabase } from '../open.ts'
import { filesOf } from './files.ts'
import { startPostgres } from './postgres.ts'

const embedded = databases[0]!

/**
 * A process that commits rows until it is killed; `lines` are the acknowledged ones.
 * @param syncedMax number of rows after which the disk fails to sync, in any thread; absent: never
 */
function startWriter(
  folder: string,
  round: string,
  syncedMax?: number,
): { child: ChildProcess; lines(): string[] } {
  const [fixture, failingSyncs] = ['writes.fixture.ts', 'failing-syncs.fixture.ts'].map((name) =>
    join(import.meta.dirname, name),
  )
  const program = ['--import', pathToFileURL(failingSyncs!).href, fixture!]
  const failWhere = join(folder, 'fail-syncs')
  const child = spawn(process.execPath, [...program, folder, round, String(syncedMax)], {
    stdio: 'pipe',
    env: { ...process.env, FAIL_SYNCS_WHERE: failWhere },
  })
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return { child, lines: () => said.split('\n').slice(0, -1) }
}

async function slugsIn(folder: string): Promise<Set<string>> {
  const database = await openDatabase({ folder })
  const { rows } = await database.query<{ slug: string }>('select slug from accounts')
  await database.close()
  return new Set(rows.map(({ slug }) => slug))
}

describe('the embedded database', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  it('syncs on every commit, and not on a read', async () => {
    const { settings, dispose } = await embedded.settings()
    // Runs in this thread, so that syncs can be counted.
    const fsync = vi.spyOn(fs, 'fsyncSync')
    syncBuiltinESMExports()
    const postgres = await startPostgres(await filesOf(settings.folder!))
    const syncsOf = async (statement: string) => {
      const before = fsync.mock.calls.length
      await postgres.exec(statement)
      return fsync.mock.calls.length - before
    }
    for (let i = 0; i < 20; i++) {
      const insert = `insert into accounts (id, slug, type, display_name, created_at)
        values (gen_random_uuid(), 'synced-${i}', 'org', 'Synced', now())`
      expect(await syncsOf(insert)).toBeGreaterThanOrEqual(1)
    }
    expect(await syncsOf(`begin; update accounts set email = 'a@b'; commit`)).toBeGreaterThanOrEqual(1)
    expect(await syncsOf('select count(*) from accounts')).toBe(0)
    await postgres.close()
    await dispose()
  })

  it('refuses files without their version, or of another one, and leaves them as they are', async () => {
    for (const [version, fault] of [
      [undefined, 'lacks the file PG_VERSION'],
      ['16\n', 'is of PostgreSQL "16"'],
      ['', 'is of PostgreSQL ""'],
    ] as const) {
      const { settings, dispose } = await embedded.settings()
      const folder = join(settings.folder!, 'pg')
      rmSync(join(folder, 'PG_VERSION'))
      if (version !== undefined) writeFileSync(join(folder, 'PG_VERSION'), version)
      const before = readdirSync(folder, { recursive: true })
      const refused = await openDatabase(settings).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(DatabaseUnfitError)
      expect(String(refused)).toContain(`The embedded database in ${folder} ${fault}`)
      expect(readdirSync(folder, { recursive: true })).toEqual(before)
      await dispose()
    }
  })

  it('leaves the event loop free while PostgreSQL works', async () => {
    const { database, dispose } = await embedded.open()
    const ticksMeanwhile = async () => {
      let ticks = 0
      const ticking = setInterval(() => ticks++, 10)
      const before = performance.now()
      await database.query('select pg_sleep(0.5)')
      clearInterval(ticking)
      expect(performance.now() - before).toBeGreaterThanOrEqual(500)
      return ticks
    }
    expect(await firstGood(ticksMeanwhile, (ticks) => ticks >= 10)).toBeGreaterThanOrEqual(10)
    await dispose()
  })

  it('replans a named statement after a minute, for its tables may have grown', async () => {
    const { database, dispose } = await embedded.open()
    await database.query(
      'create table grown (id integer primary key); insert into grown values (0); analyze grown',
    )
    const name = 'find_grown'
    const find = () => database.query('select id from grown where id = $1::integer', [5_000], name)
    const plan = async () => JSON.stringify((await database.query(`explain execute ${name}(5000)`)).rows)
    // From the sixth execution on, PostgreSQL caches a generic plan.
    for (let i = 0; i < 6; i++) await find()
    expect(await plan()).toContain('Seq Scan')
    await database.query('insert into grown select generate_series(1, 10000)')
    await find()
    expect(await plan()).toContain('Seq Scan')
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    expect(await plan()).toContain('Index')
    await dispose()
  })

  it('has a new session after a statement that failed, whatever that left behind', async () => {
    const { database, dispose } = await embedded.open()
    const named = () => database.query('select 1 as one', [], 'named')
    await named()
    await expect(database.query(`begin; set local time zone 'Asia/Tokyo'; select 1 / 0`)).rejects.toThrow(
      'zero',
    )
    await named()
    const { rows } = await database.query(`select current_setting('TimeZone') as zone`)
    expect(rows).toEqual([{ zone: 'UTC' }])
    await expect(database.transact((tx) => tx.query('select 1 / 0', [], 'failing'))).rejects.toThrow('zero')
    await database.transact((tx) => tx.query('select 1 as one', [], 'named'))
    await dispose()
  })

  it('minds no variables that are meant for servers', async () => {
    vi.stubEnv('PGSSLMODE', 'require').stubEnv('PGUSER', 'stranger').stubEnv('PGDATABASE', 'none')
    const { database, dispose } = await embedded.open()
    vi.unstubAllEnvs()
    expect((await database.query('select current_user as who')).rows).toEqual([{ who: 'postgres' }])
    await dispose()
  })

  it('says why PostgreSQL does not start, and lets go of the folder', async () => {
    const folder = join(inject('testFolder'), `damaged-${crypto.randomUUID()}`)
    mkdirSync(join(folder, 'pg'), { recursive: true })
    writeFileSync(join(folder, 'pg', 'PG_VERSION'), '18\n')
    const sentence = `The embedded database in ${join(folder, 'pg')} does not start`
    for (let i = 0; i < 2; i++) await expect(openDatabase({ folder })).rejects.toThrow(sentence)
  })

  it('ends the process when the disk fails to sync, having acknowledged what was synced and no more', async () => {
    const { settings, dispose } = await embedded.settings()
    const { child, lines } = startWriter(settings.folder!, 'synced', 5)
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code, signal] = await once(child, 'close')
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGABRT' })
    expect(said).toContain('failed to sync the database')
    expect(lines()).toEqual([0, 1, 2, 3, 4].map((i) => `synced-${i}`))
    const kept = await slugsIn(settings.folder!)
    expect(lines().filter((slug) => !kept.has(slug))).toEqual([])
    await dispose()
  })

  it('ends the process when its thread fails, and keeps what it has acknowledged', async () => {
    const { settings, dispose } = await embedded.settings()
    const failWhere = join(settings.folder!, 'fail-thread')
    const failing = `import { existsSync } from 'node:fs'
      import { isMainThread } from 'node:worker_threads'
      const fail = () => { if (existsSync(${JSON.stringify(failWhere)})) throw new Error('lost') }
      if (!isMainThread) setInterval(fail, 5)`
    const fixture = join(import.meta.dirname, 'writes.fixture.ts')
    const preload = `data:text/javascript,${encodeURIComponent(failing)}`
    const child = spawn(process.execPath, ['--import', preload, fixture, settings.folder!, 'written'])
    const said = Promise.all([text(child.stdout), text(child.stderr)])
    await once(child.stdout, 'data')
    writeFileSync(failWhere, '')
    const [, signal] = await once(child, 'close')
    expect(signal).toBe('SIGABRT')
    const [lines, why] = await said
    expect(why).toContain('The embedded database has failed, so the server stops: Error: lost')
    const kept = await slugsIn(settings.folder!)
    const acknowledged = lines.split('\n').slice(0, -1)
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(acknowledged.filter((slug) => !kept.has(slug))).toEqual([])
    await dispose()
  })

  it('keeps every acknowledged row through kill -9, and its lock does not outlive the process', async () => {
    const { settings, dispose } = await embedded.settings()
    const folder = settings.folder!
    const acknowledged: string[] = []
    for (const round of ['first', 'second']) {
      const { child, lines } = startWriter(folder, round)
      await vi.waitUntil(() => lines().length >= 60, { timeout: 20_000 })
      child.kill('SIGKILL')
      await once(child, 'close')
      acknowledged.push(...lines())
    }
    const kept = await slugsIn(folder)
    expect(acknowledged.filter((slug) => !kept.has(slug))).toEqual([])
    // In each round, one more row may have been committed and not yet printed.
    expect(kept.size - acknowledged.length).toBeLessThanOrEqual(2)
    await dispose()
  })

  it('refuses a second process, and names the first; the first is not harmed', async () => {
    const { settings, dispose } = await embedded.settings()
    const folder = settings.folder!
    const { child, lines } = startWriter(folder, 'holder')
    await vi.waitUntil(() => lines().length > 0, { timeout: 20_000 })
    await expect(openDatabase({ folder })).rejects.toThrow(FolderInUseError)
    await expect(openDatabase({ folder })).rejects.toThrow(new RegExp(`in use by process ${child.pid} on `))
    const before = lines().length
    await vi.waitUntil(() => lines().length > before + 20, { timeout: 20_000 })
    child.kill('SIGKILL')
    await once(child, 'close')
    const kept = await slugsIn(folder)
    expect(lines().filter((slug) => !kept.has(slug))).toEqual([])
    await dispose()
  })

  it('lets one of several starters win a folder whose holder was killed', async () => {
    const { settings, dispose } = await embedded.settings()
    const folder = settings.folder!
    const killed = startWriter(folder, 'killed')
    await vi.waitUntil(() => killed.lines().length > 0, { timeout: 20_000 })
    killed.child.kill('SIGKILL')
    await once(killed.child, 'close')
    const starters = ['a', 'b', 'c'].map((round) => startWriter(folder, round))
    await vi.waitUntil(() => starters.every((one) => one.lines().length > 0), { timeout: 20_000 })
    const refused = starters.filter((one) => one.lines()[0]!.startsWith('FolderInUseError: '))
    expect(refused).toHaveLength(2)
    for (const { child } of starters) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    }
    await dispose()
  })

  it('refuses to be opened twice by one process, and opens again once closed', async () => {
    const { settings, dispose } = await embedded.settings()
    const first = await openDatabase(settings)
    await expect(openDatabase(settings)).rejects.toThrow(`process ${process.pid} on `)
    await first.close()
    await (await openDatabase(settings)).close()
    await dispose()
  })

  it('begins again where making a new database was cut short', async () => {
    const folder = join(inject('testFolder'), `cut-short-${crypto.randomUUID()}`)
    mkdirSync(join(folder, 'pg.new-a1B2c3', 'base'), { recursive: true })
    writeFileSync(join(folder, 'pg.new-a1B2c3', 'PG_VERSION'), '18\n')
    const database = await openDatabase({ folder })
    await database.ping()
    await database.close()
    expect(readdirSync(folder).filter((name) => name.startsWith('pg'))).toEqual(['pg'])
  })

  it('says why a new database could not be made', async () => {
    const folder = join(inject('testFolder'), `unmade-${crypto.randomUUID()}`)
    const options = process.env['NODE_OPTIONS']
    process.env['NODE_OPTIONS'] = '--import=data:text/javascript,throw%20Error("no%20room")'
    try {
      await expect(openDatabase({ folder })).rejects.toMatchObject({
        name: 'DatabaseUnfitError',
        message: expect.stringContaining(`could not be made in ${folder}: its making ended with 1.`),
        cause: { message: expect.stringContaining('no room') },
      })
    } finally {
      if (options === undefined) delete process.env['NODE_OPTIONS']
      else process.env['NODE_OPTIONS'] = options
    }
  })

  it('takes less than 500 MiB, however many statements it has run', async () => {
    const { settings, dispose } = await embedded.settings()
    const fixture = join(import.meta.dirname, 'memory.fixture.ts')
    // The flag makes V8 optimize at once instead of in the background.
    const child = spawn(process.execPath, ['--wasm-sync-tier-up', fixture, settings.folder!])
    const [peakMiB] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(Number(peakMiB)).toBeGreaterThan(50)
    expect(Number(peakMiB)).toBeLessThan(500)
    await dispose()
  })
})
