/** Backup commands as processes, while a server is running. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databases } from '@ulmus/storage/testing'
import { makeBucket, s3Server } from '@ulmus/storage/testing/buckets'
import { afterEach, describe, expect, test } from 'vitest'
import { keyFor, signIn } from './testing/browser.ts'
import { startProcess } from './testing/server-process.ts'
import { pushVersion, put } from './testing/stage.ts'
import { fileHash, type TestClient, testClient } from './testing/test-client.ts'

const program = join(import.meta.dirname, '../start.js')
const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-backups-'))
  ending.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function command(env: Record<string, string>, ...args: string[]) {
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...env },
  })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      ...{ code, out: stdout, err: stderr },
    }),
  )
}

const path = '/collections/ada/kept'

/** Signs in, makes a collection and uploads a file. */
async function filled(url: string): Promise<{ ada: TestClient; key: string }> {
  const key = await keyFor(url, (await signIn(url, { login: 'ada' })).cookie, 'admin')
  const ada = testClient(url, key)
  expect((await ada.post('/accounts/ada/collections', { slug: 'kept' })).status).toBe(201)
  expect((await ada.upload(path, 'a file')).status).toBeLessThan(300)
  return { ada, key }
}

async function push(ada: TestClient, base: string | null, from: number): Promise<string> {
  const puts = Array.from({ length: 500 }, (_, i) => put(`r${from + i}`, { n: from + i }))
  const opening = base === null ? { schemas: { A: {} } } : {}
  return (await pushVersion(ada, path, { base, opening, puts })).semver
}

/** A reader's view: all versions with their digests, and the file. */
async function seen(ada: TestClient) {
  const { json } = await ada.get(`${path}/versions`)
  const file = await ada.get(`${path}/files/${fileHash('a file')}`)
  return { versions: json, file: file.text }
}

/**
 * Damages every pack and file, and restores those named by `fsck`, as described in docs/maintenance.md.
 * @returns the number of named objects
 */
async function mendFrom(target: string, there: { DATA_DIR: string }): Promise<number> {
  const objects = join(there.DATA_DIR, 'objects')
  const blobs = ['packs', 'files'].flatMap((kind) =>
    readdirSync(join(objects, kind), { recursive: true, encoding: 'utf8' }).map((name) => join(kind, name)),
  )
  const damaged = blobs.filter((name) => statSync(join(objects, name)).isFile())
  for (const name of damaged) {
    const bytes = readFileSync(join(objects, name))
    bytes[Math.floor(bytes.length / 2)]! ^= 1
    writeFileSync(join(objects, name), bytes)
  }
  const { code, out } = await command(there, 'fsck', '--files')
  expect(code).toBe(1)
  const packs = Array.from(out.matchAll(/packs\/\w{2}\/[\w-]+/g), ([name]) => name)
  const files = Array.from(
    out.matchAll(/file sha256:((\w{2})\w+)/g),
    ([, hash, two]) => `files/${two}/${hash}`,
  )
  const named = [...new Set([...packs, ...files])].sort()
  expect(named).toEqual(damaged.sort())
  for (const name of named) copyFileSync(join(target, name), join(objects, name))
  expect(await command(there, 'fsck', '--files')).toMatchObject({ code: 0 })
  return named.length
}

/** Lines about a database that is made and migrated are none. */
const noFault = expect.not.stringMatching(/error|fault|fail|cannot|damage/i)

describe('the commands, beside a server', () => {
  test.each(databases)(
    'back up while it serves and is written to, and restore the same ($name)',
    async (database) => {
      const rows = await database.settings()
      ending.push(rows.dispose)
      const home = temporary()
      const env = {
        DATA_DIR: join(home, 'data'),
        ...(rows.settings.url !== undefined && { DATABASE_URL: rows.settings.url }),
      }
      const server = await startProcess(env)
      ending.push(() => server.end('SIGKILL'))
      const { ada, key } = await filled(server.url)
      let semver = await push(ada, null, 0)
      let pushing = true
      const meanwhile = (async () => {
        for (let i = 1; pushing; i++) semver = await push(ada, semver, 500 * i)
      })()
      const target = join(home, 'backups')
      for (const _ of [1, 2])
        expect(await command(env, 'backup', target)).toMatchObject({
          ...{ code: 0, err: noFault },
          out: expect.stringMatching(/^The backup \d{8}t\d{9}z is complete: [\d,]+ rows/),
        })
      pushing = false
      await meanwhile
      const last = await command(env, 'backup', target, '--keep', '1')
      expect(last.out).toMatch(/Removed: \d{8}t\d{9}z, \d{8}t\d{9}z\.\nNot in it: the settings/)
      expect(last.out.includes(join(home, 'data/secrets.key'))).toBe(database.name === 'embedded')
      expect(await command({}, 'restore', target, '--check')).toMatchObject({
        ...{ code: 0, err: noFault },
        out: expect.stringMatching(/^The backup \d{8}t\d{9}z is whole: the database and \d+ blobs of /),
      })
      const before = await seen(ada)
      if (database.name === 'embedded') {
        expect(server.output.out).toContain('dumped for a backup')
        expect(readdirSync(join(home, 'data/database')).filter((name) => name.startsWith('dump-'))).toEqual(
          [],
        )
      }
      expect(await server.end('SIGTERM')).toBe(0)
      expect(existsSync(join(home, 'data/database/control'))).toBe(false)

      const there = { DATA_DIR: join(home, 'there') }
      expect(await command(there, 'restore', target)).toMatchObject({ code: 0, err: noFault })
      expect(await command(there, 'fsck', '--files')).toMatchObject({ code: 0 })
      expect(await mendFrom(target, there)).toBeGreaterThan(1)
      const again = await startProcess(there)
      ending.push(() => again.end('SIGKILL'))
      expect(await seen(testClient(again.url, key))).toEqual(before)
      const refused = await command(there, 'restore', target)
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^There are objects in/) })
    },
    300_000,
  )

  test.runIf(s3Server() !== null)(
    'move to a server and a bucket that a file names, and back',
    async () => {
      const home = temporary()
      const env = { DATA_DIR: join(home, 'data') }
      const first = await startProcess(env)
      ending.push(() => first.end('SIGKILL'))
      const { ada, key } = await filled(first.url)
      await push(ada, null, 0)
      const before = await seen(ada)
      await first.end('SIGTERM')

      const rows = await databases[1]!.settings()
      ending.push(rows.dispose)
      const bucket = await makeBucket()
      ending.push(bucket.dispose)
      const { endpoint, keys, bucket: name } = bucket.settings
      const there = {
        ...{ DATABASE_URL: rows.settings.url!, DATA_DIR: join(home, 'unused') },
        ...{ OBJECT_STORE: `s3://${name}/ulmus`, S3_ENDPOINT: endpoint! },
        ...{ AWS_ACCESS_KEY_ID: keys!.accessKeyId, AWS_SECRET_ACCESS_KEY: keys!.secretAccessKey },
      }
      const file = join(home, 'new.env')
      const written = (variables: Record<string, string>) =>
        writeFileSync(
          file,
          Object.entries(variables)
            .map(([variable, value]) => `${variable}=${value}\n`)
            .join(''),
        )
      written(there)
      expect(await command(env, 'move', file)).toMatchObject({ code: 0, err: noFault })
      expect(await command(env, 'fsck')).toMatchObject({
        code: 1,
        err: expect.stringContaining('move --back'),
      })
      expect(await command(there, 'fsck', '--files')).toMatchObject({ code: 0 })
      const second = await startProcess(there)
      ending.push(() => second.end('SIGKILL'))
      expect(await seen(testClient(second.url, key))).toEqual(before)
      written({ DATA_DIR: join(home, 'back') })
      expect(await command(there, 'move', file)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Stop all'),
      })
      await second.end('SIGTERM')
      expect(await command(there, 'move', file)).toMatchObject({ code: 0, err: noFault })
      expect(await command({ DATA_DIR: join(home, 'back') }, 'fsck', '--files')).toMatchObject({ code: 0 })

      const shelf = ['backup', `s3://${name}/backups`, '--settings', file]
      written(there)
      expect(await command({ DATA_DIR: join(home, 'back') }, ...shelf)).toMatchObject({
        code: 0,
        err: noFault,
      })
      // The first stores again, which the registry had left for others.
      expect(await command(env, 'move', '--back')).toMatchObject({
        ...{ code: 0, err: noFault },
        out: expect.stringMatching(
          /^Servers start on these stores again\..*\nThe signed log gets a new name, since the new place may have signed/,
        ),
      })
    },
    300_000,
  )

  test('say in a sentence what is wrong', async () => {
    const home = temporary()
    const env = { DATA_DIR: join(home, 'data') }
    const partial = join(home, 'partial.env')
    writeFileSync(partial, 'DATABASE_URL=postgres://127.0.0.1/nowhere\n')
    for (const [args, sentence] of [
      [['move', partial], /partial\.env leaves out DATA_DIR, where objects would be/],
      [['restore', join(home, 'absent')], /^There is no folder .*absent\.\n$/],
      [['restore', home], /^There is no backup in /],
      [['backup', join(home, 'target')], /^There is no /],
      [
        ['move', join(home, 'absent.env')],
        /^The file of settings is .*absent\.env, which cannot be read: there is no such file/,
      ],
      [['backup', 's3://X'], /^TARGET must be like s3:.* the bucket is "X": its name must have 3 to 63/],
    ] as const) {
      const { code, out, err } = await command(env, ...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(sentence)
    }
  })
})
