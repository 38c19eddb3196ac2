/** A push that is killed at any moment and repeated makes one version, with nothing twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@ulmus/client'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson } from '../testing/cli.ts'

const start = join(import.meta.dirname, '../../start.js')
const kills = 20
/** Enough for a push of several batches. */
const recordCount = 40_000

describe.each(anyDatabase)('kill -9 of a push, to a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    key = await server.keyFor(cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  test(`${kills} times, exactly one version each`, async () => {
    const ada = openPerson(server.url, key)
    const folder = join(ada.home, 'numbers')
    const client = createClient({ baseUrl: server.url, apiKey: key })
    const push = async (): Promise<{ code: number | null; ms: number }> => {
      const began = performance.now()
      const child = pushing(folder, server.url, key, ada.home)
      const [code] = (await once(child, 'exit')) as [number | null]
      return { code, ms: performance.now() - began }
    }
    const stateFile = join(folder, '.ulmus/push/state.json')
    await ada.ulmus('numbers', 'init', 'ada/numbers')
    mkdirSync(join(folder, 'schemas'), { recursive: true })
    writeFileSync(join(folder, 'schemas/Number.json'), '{}')
    write(folder, 0)
    expect((await push()).code).toBe(0)
    // Takes as long as each killed push would.
    write(folder, kills + 1)
    const whole = await push()
    expect(whole.code).toBe(0)
    let wholeMs = whole.ms
    const found = { killed: 0, begun: 0 }
    for (let round = 1; round <= kills; round++) {
      write(folder, round)
      const began = performance.now()
      const child = pushing(folder, server.url, key, ada.home)
      const ended = once(child, 'exit')
      // Moments until slightly after the usual end, evenly spaced: in odd rounds from the start of the program, in even ones from the
      // opening of the push, which a busy machine reaches late.
      const isOpen = () => existsSync(stateFile)
      if (round % 2 === 0) while (!isOpen() && child.exitCode === null) await sleep(1)
      const left = round % 2 === 0 ? Math.max(0, wholeMs - (performance.now() - began)) : wholeMs
      await Promise.race([sleep((left * 1.05 * (round - 0.5)) / kills), ended])
      child.kill('SIGKILL')
      const [, signal] = (await ended) as [number | null, string | null]
      if (signal === 'SIGKILL') found.killed++
      // A busy machine may have become faster since.
      else wholeMs = Math.min(wholeMs, performance.now() - began)
      if (isOpen()) found.begun++
      const again = await ada.ulmus('numbers', 'push')
      expect(again, again.said).toMatchObject({ code: 0 })

      const versions: string[] = []
      for await (const { semver, recordCount: count } of client.versions.listAll('ada/numbers')) {
        versions.push(semver)
        expect(count).toBe(recordCount)
      }
      expect(versions).toHaveLength(round + 2)
      expect((await ada.ulmus('numbers', 'status')).out).toContain('Nothing changed.')
      expect(await client.records.one('ada/numbers', 'latest', 'Number', '1')).toMatchObject({
        data: { round },
      })
    }
    expect((await ada.ulmus('numbers', 'verify')).code).toBe(0)
    // Otherwise the moments were badly chosen.
    expect(found.killed).toBeGreaterThan(kills / 2)
    expect(found.begun).toBeGreaterThan(2)
    ada.dispose()
  }, 300_000)

  test('and another version is published before the retry: it follows that version', async () => {
    const ada = openPerson(server.url, key)
    const folder = join(ada.home, 'meanwhile')
    await ada.ulmus('meanwhile', 'init', 'ada/meanwhile')
    mkdirSync(join(folder, 'schemas'), { recursive: true })
    writeFileSync(join(folder, 'schemas/Number.json'), '{}')
    write(folder, 0)
    expect(await ada.ulmus('meanwhile', 'push')).toMatchObject({ code: 0 })
    write(folder, 1)
    const child = pushing(folder, server.url, key, ada.home)
    while (!existsSync(join(folder, '.ulmus/push/state.json'))) await sleep(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await createClient({ baseUrl: server.url, apiKey: key }).metadata.patch('ada/meanwhile', { title: 'T' })
    expect(await ada.ulmus('meanwhile', 'pull')).toMatchObject({ code: 0, out: 'v1.0.1\n' })
    const again = await ada.ulmus('meanwhile', 'push')
    expect(again, again.said).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    expect((await ada.ulmus('meanwhile', 'verify')).code).toBe(0)
    ada.dispose()
  })
})

function write(folder: string, round: number): void {
  const lines = Array.from({ length: recordCount }, (_, n) =>
    JSON.stringify({ id: String(n), data: { n, round: n % 2 === 1 ? round : 0, text: 'x'.repeat(200) } }),
  )
  mkdirSync(join(folder, 'records'), { recursive: true })
  writeFileSync(join(folder, 'records/Number.ndjson'), `${lines.join('\n')}\n`)
}

const pushing = (folder: string, host: string, key: string, home: string) =>
  spawn(process.execPath, [start, 'push'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, ULMUS_HOST: host, ULMUS_TOKEN: key },
    stdio: 'ignore',
  })
