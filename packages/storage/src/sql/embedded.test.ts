import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { databases } from '../testing/databases.ts'
import { accounts } from './accounts.ts'
import { FolderInUse, openDatabase } from './database.ts'

const embedded = databases[0]!

/** A process that commits rows until it is killed; `lines` are the ones it has acknowledged. */
function startWriter(folder: string, ...options: string[]): { child: ChildProcess; lines(): string[] } {
  const fixture = join(import.meta.dirname, 'embedded-writes.fixture.ts')
  const child = spawn(process.execPath, [fixture, folder, ...options], { stdio: 'pipe' })
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return { child, lines: () => said.split('\n').slice(0, -1) }
}

async function slugsIn(folder: string): Promise<Set<string>> {
  const database = await openDatabase({ folder })
  const rows = await database.orm.select({ slug: accounts.slug }).from(accounts)
  await database.close()
  return new Set(rows.map((row) => row.slug))
}

describe('the embedded database', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  it('syncs on every commit, and not on a read', async () => {
    const { database, dispose } = await embedded.open()
    const fsync = vi.spyOn(fs, 'fsyncSync')
    syncBuiltinESMExports()
    const syncsOf = async (work: () => PromiseLike<unknown>) => {
      const before = fsync.mock.calls.length
      await work()
      return fsync.mock.calls.length - before
    }
    const insert = (slug: string) =>
      database.orm.insert(accounts).values({
        id: crypto.randomUUID(),
        slug,
        type: 'org',
        displayName: slug,
        createdAt: new Date(),
      })
    for (let i = 0; i < 20; i++) expect(await syncsOf(() => insert(`synced-${i}`))).toBeGreaterThanOrEqual(1)
    const inTransaction = () => database.transact((tx) => tx.query('update accounts set email = $1', ['a@b']))
    expect(await syncsOf(inTransaction)).toBeGreaterThanOrEqual(1)
    expect(await syncsOf(() => database.query('select count(*) from accounts'))).toBe(0)
    await dispose()
  })

  it('plans a statement with a name anew after a minute, for its tables may have grown', async () => {
    const { database, dispose } = await embedded.open()
    const plannedAt = async () => {
      const named = `select extract(epoch from prepare_time)::text as at from pg_prepared_statements where name = $1`
      await database.query('select slug from accounts where id = $1', [null], 'slug')
      const { rows } = await database.query(named, ['slug'])
      return rows[0]!.at
    }
    const first = await plannedAt()
    expect(await plannedAt()).toBe(first)
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    const second = await plannedAt()
    expect(second).not.toBe(first)
    expect(await plannedAt()).toBe(second)
    await dispose()
  })

  it('ends the process when the disk fails to sync, having acknowledged what was synced and no more', async () => {
    const { settings, dispose } = await embedded.settings()
    const { child, lines } = startWriter(settings.folder!, 'synced', '5')
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

  it('keeps every acknowledged row through kill -9, and its lock does not outlive the process', async () => {
    const { settings, dispose } = await embedded.settings()
    const folder = settings.folder!
    const acknowledged: string[] = []
    for (const round of ['first', 'second']) {
      const { child, lines } = startWriter(folder, round)
      await vi.waitUntil(() => lines().length >= 60, { timeout: 15_000 })
      child.kill('SIGKILL')
      await once(child, 'close')
      acknowledged.push(...lines())
    }
    const kept = await slugsIn(folder)
    expect(acknowledged.filter((slug) => !kept.has(slug))).toEqual([])
    // One more may have been committed and not yet said, each round.
    expect(kept.size - acknowledged.length).toBeLessThanOrEqual(2)
    await dispose()
  })

  it('refuses a second process, and names the first; the first is not harmed', async () => {
    const { settings, dispose } = await embedded.settings()
    const folder = settings.folder!
    const { child, lines } = startWriter(folder, 'holder')
    await vi.waitUntil(() => lines().length > 0, { timeout: 15_000 })
    await expect(openDatabase({ folder })).rejects.toThrow(FolderInUse)
    await expect(openDatabase({ folder })).rejects.toThrow(new RegExp(`in use by process ${child.pid} on `))
    const before = lines().length
    await vi.waitUntil(() => lines().length > before + 20, { timeout: 15_000 })
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
    await vi.waitUntil(() => killed.lines().length > 0, { timeout: 15_000 })
    killed.child.kill('SIGKILL')
    await once(killed.child, 'close')
    const starters = ['a', 'b', 'c'].map((round) => startWriter(folder, round))
    await vi.waitUntil(() => starters.every((one) => one.lines().length > 0), { timeout: 15_000 })
    const refused = starters.filter((one) => one.lines()[0]!.startsWith('FolderInUse: '))
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
    await expect(openDatabase({ folder })).rejects.toThrow(/^The database could not be made.*no room/s)
    if (options === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = options
  })

  it('takes less than 450 MiB, however many statements it has run', async () => {
    const { settings, dispose } = await embedded.settings()
    const fixture = join(import.meta.dirname, 'embedded-memory.fixture.ts')
    // What V8 does in the background when it comes to it, it does at once.
    const child = spawn(process.execPath, ['--wasm-sync-tier-up', fixture, settings.folder!])
    const [peakMiB] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(Number(peakMiB)).toBeGreaterThan(50)
    expect(Number(peakMiB)).toBeLessThan(450)
    await dispose()
  })
})
