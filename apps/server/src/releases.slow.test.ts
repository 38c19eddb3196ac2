/**
 * Every kept release: its data folder is upgraded by a start of this server, its answers stay, its client and command line work with this
 * server, this command line works in its working folder, and a backup made before an upgrade undoes it.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { migrationsNow, migrationsOfRelease, releaseFolders } from '@ulmus/registry/testing/releases'
import { openDatabase } from '@ulmus/storage'
import { addMigration } from '@ulmus/storage/testing/next-migration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeptAnswer, readAnswers, readPacked, unpackFolder } from './testing/releases/kept.ts'
import { people } from './testing/releases/publish-all.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'

const root = join(import.meta.dirname, '../../..')
const program = { server: join(root, 'apps/server/start.js'), ulmus: join(root, 'apps/cli/start.js') }
const place = mkdtempSync(join(tmpdir(), 'ulmus-releases-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Resolves to the exit code and the output. */
const run = (file: string, args: readonly string[], env: Record<string, string>, cwd = place) =>
  promisify(execFile)(process.execPath, [file, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: place, ...env },
  }).then(
    ({ stdout }) => ({ code: 0, out: stdout, err: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      ...{ code, out: stdout, err: stderr },
    }),
  )

/** Members that a restore changes: it gives the signed log another name. */
const isOfLog = ({ path }: KeptAnswer) => path.endsWith('/log')

describe.each(releaseFolders().map((folder) => [basename(folder), folder] as const))(
  'release %s',
  (_, release) => {
    const at = (...names: string[]) => join(place, basename(release), ...names)
    const { key, answers } = readPacked<{ key: string; answers: KeptAnswer[] }>(
      join(release, 'answers.json.zst'),
    )
    let server: ServerProcess
    let env: Record<string, string>

    beforeAll(async () => {
      unpackFolder(join(release, 'data.tar.zst'), at('data'))
      server = await startProcess({ DATA_DIR: at('data') })
      env = { ULMUS_HOST: server.url, ULMUS_TOKEN: key }
    }, 300_000)
    afterAll(() => server?.end('SIGKILL'))

    test('its data folder is upgraded, and every read answers as before', async () => {
      await expectAnswers(server.url, () => true)
    }, 180_000)

    test('the log says what each later migration does', () => {
      const before = migrationsOfRelease(release)
      for (const file of Object.keys(migrationsNow()).filter((name) => !(name in before))) {
        const name = basename(file, '.sql')
        expect(server.output.out).toMatch(new RegExp(`Migrating the database: ${name} \\(.+\\.\\)`))
        expect(server.output.out).toContain(`Migrated the database: ${name} took`)
      }
    })

    /** Answers may have gained members, and lost none. */
    async function expectAnswers(url: string, isCompared: (answer: KeptAnswer) => boolean): Promise<void> {
      const present = await readAnswers(url, key)
      for (const kept of answers.filter(isCompared)) {
        const found = present.find(({ path, who }) => path === kept.path && who === kept.who)
        const what = `${kept.path} for ${kept.who}`
        expect({ what, status: found?.status }).toEqual({ what, status: kept.status })
        expect({ what, body: found?.body }).toMatchObject({ what, body: kept.body })
      }
    }

    test('its working folder is one of this command line', async () => {
      unpackFolder(join(release, 'working-folder.tar.zst'), at('cities'))
      const state = at('cities/.ulmus/folder.json')
      const folder = JSON.parse(readFileSync(state, 'utf8'))
      writeFileSync(state, JSON.stringify({ ...folder, host: server.url }))
      expect(await run(program.ulmus, ['verify'], env, at('cities'))).toMatchObject({ code: 0 })
      const line = { id: 'BGO', data: { name: 'Bergen', people: 291_940, surveyor: 'by this release' } }
      writeFileSync(at('cities/records/City.ndjson'), `${JSON.stringify(line)}\n`, { flag: 'a' })
      const pushed = await run(program.ulmus, ['push', '-m', 'by this command line'], env, at('cities'))
      expect(pushed, pushed.err).toMatchObject({ code: 0 })
    }, 180_000)

    test('its command line clones, pulls and pushes', async () => {
      mkdirSync(at('ulmus'), { recursive: true })
      await promisify(execFile)('tar', ['-xzf', join(release, 'ulmus.tgz'), '-C', at('ulmus')])
      const ulmus = (args: readonly string[], cwd = at('ulmus')) =>
        run(at('ulmus/package/lib/ulmus.js'), args, env, cwd)
      expect(await ulmus(['clone', people.diary])).toMatchObject({ code: 0 })
      const line = { id: '1594-12-02', data: { text: 'The last day.' } }
      writeFileSync(at('ulmus/diary/records/Day.ndjson'), `${JSON.stringify(line)}\n`, { flag: 'a' })
      for (const args of [
        ['status'],
        ['diff'],
        ['pull'],
        ['push', '-m', 'by the kept one'],
        ['verify'],
        ['log'],
      ]) {
        const ended = await ulmus(args, at('ulmus/diary'))
        expect([args[0], ended.code, ended.err]).toEqual([args[0], 0, expect.any(String)])
      }
    }, 180_000)

    test('its client reads and pushes', async () => {
      mkdirSync(at('client'), { recursive: true })
      await promisify(execFile)('tar', ['-xzf', join(release, 'ulmus-client.tgz'), '-C', at('client')])
      const { createClient } = (await import(
        pathToFileURL(at('client/package/lib/index.js')).href
      )) as typeof import('@ulmus/client')
      const client = createClient({ baseUrl: server.url, apiKey: key })
      const { semver } = await client.versions.get(people.diary, 'latest')
      const records = [{ id: '1595-01-01', type: 'Day', data: { text: 'Atlas is published.' } }]
      const pushed = await client.push(people.diary, { baseVersion: semver, records })
      const ids: string[] = []
      for await (const { id } of client.records.ndjson(people.diary, pushed.semver)) ids.push(id)
      expect(ids).toContain('1595-01-01')
      const all = await Array.fromAsync(client.versions.listAll(people.cities))
      expect(all.length).toBeGreaterThan(3)
    }, 180_000)

    test('files of another PostgreSQL are refused, and its backup carries the data over', async () => {
      unpackFolder(join(release, 'data.tar.zst'), at('major'))
      writeFileSync(at('major/database/pg/PG_VERSION'), '17\n')
      await expect(startProcess({ DATA_DIR: at('major') })).rejects.toMatchObject({
        code: 1,
        err: expect.stringContaining(
          'Back up with the release that made it, and restore that backup with this one',
        ),
      })
      expect(readFileSync(at('major/database/pg/PG_VERSION'), 'utf8')).toBe('17\n')
      const carried = { DATA_DIR: at('carried') }
      // A copy: a backup of this release may be added to it.
      cpSync(join(release, 'backup'), at('backup'), { recursive: true })
      const done = await run(program.server, ['restore', '--log-continues', at('backup')], carried)
      expect(done, done.err).toMatchObject({ code: 0 })
      for (const name of ['secrets.key', 'log.key']) cpSync(at('major', name), at('carried', name))
      const again = await startProcess(carried)
      try {
        await expectAnswers(again.url, () => true)
      } finally {
        await again.end('SIGTERM')
      }
    }, 300_000)

    test('a backup made before an upgrade undoes it', async () => {
      const [stores, backup] = [{ DATA_DIR: at('before') }, at('backup-before')]
      unpackFolder(join(release, 'data.tar.zst'), at('before'))
      // Only a start migrates, and this release backs up only what it has migrated.
      await (await startProcess(stores)).end('SIGTERM')
      expect(await run(program.server, ['backup', backup], stores)).toMatchObject({ code: 0 })
      // A release of the future migrates, and this one is the older.
      addMigration(at('migrations'), 'alter table accounts add column later text;')
      const upgraded = { folder: at('before/database'), migrations: { folder: at('migrations') } }
      await (await openDatabase(upgraded)).close()
      await expect(startProcess(stores)).rejects.toMatchObject({
        code: 1,
        err: expect.stringContaining('restore the backup that was made before the upgrade'),
      })
      const restored = { DATA_DIR: at('after') }
      const done = await run(program.server, ['restore', backup], restored)
      expect(done, done.err).toMatchObject({ code: 0 })
      const again = await startProcess({ ...restored, VERSION_LOG: 'off' })
      try {
        await expectAnswers(again.url, (answer) => !isOfLog(answer))
      } finally {
        await again.end('SIGTERM')
      }
    }, 300_000)
  },
)
