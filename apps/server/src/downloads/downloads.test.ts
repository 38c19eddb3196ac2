/** `/downloads` over HTTP: before, during and after a build, and after a failed one. */
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { Downloads } from './downloads.ts'

const files = ['ulmus-9.8.7.tgz', 'ulmus-client-9.8.7.tgz', 'ulmus-content-9.8.7.tgz']
const fill = (folder: string) => {
  for (const file of files) writeFileSync(join(folder, file), `bytes of ${file}`)
}

describe.each(anyDatabase)('downloads on $name', ({ settings: open }) => {
  const ending: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end()
  })

  /** A server whose `build` writes the packages into the given folder. */
  async function serve(build: (to: string) => Promise<void>, folder = join(tmpdir(), 'ulmus-none')) {
    const { settings, dispose } = await open()
    ending.push(dispose)
    const counts = { builds: 0, failures: 0 }
    let now = 0
    let place = ''
    const downloads = new Downloads({
      folder,
      build: (to) => {
        counts.builds++
        place = to
        return build(to)
      },
      onFailure: () => counts.failures++,
      now: () => now,
    })
    const server: TestServer = await serveForTest(settings, { downloads })
    let isClosed = false
    const close = async () => {
      if (!isClosed) await server.close()
      isClosed = true
    }
    ending.push(close)
    const get = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init)
    return { get, counts, close, place: () => place, pass: (ms: number) => (now += ms), url: server.url }
  }

  test('the packages of a release are listed with their hashes and served as they are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-released-'))
    ending.push(() => rmSync(folder, { recursive: true }))
    fill(folder)
    const { get, url, counts } = await serve(() => Promise.reject(new Error('unneeded')), folder)
    // The first visit may come before the hashes are known.
    await get('/downloads/SHA256SUMS')
    const page = await (await get('/downloads')).text()
    const sums = await (await get('/downloads/SHA256SUMS')).text()
    for (const file of files) {
      const sum = hash('sha256', `bytes of ${file}`)
      expect(page).toContain(sum)
      expect(page).toContain(`${url}/downloads/${file}`)
      expect(sums).toContain(`${sum}  ${file}\n`)
      const answer = await get(`/downloads/${file}`)
      expect(await answer.text()).toBe(`bytes of ${file}`)
      const headers = Object.fromEntries(answer.headers)
      expect(headers).toMatchObject({
        'content-type': 'application/gzip',
        'content-length': `${`bytes of ${file}`.length}`,
        'cache-control': 'public, no-cache',
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      })
      const again = await get(`/downloads/${file}`, { headers: { 'if-none-match': headers['etag']! } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const head = await get(`/downloads/${file}`, { method: 'HEAD' })
      expect(Object.fromEntries(head.headers)).toMatchObject({
        'content-length': headers['content-length'],
        etag: headers['etag'],
      })
    }
    expect(counts.builds).toBe(0)
  })

  test.each([
    '/downloads/ulmus-9.8.6.tgz',
    '/downloads/..%2Fpackage.json',
    '/downloads/ulmus%2F..%2F..%2Fpackage.tgz',
    '/downloads/package.json',
    '/downloads/',
    '/downloads/a/b',
  ])('there is nothing at %s', async (path) => {
    const { get } = await serve(async (to) => fill(to))
    expect((await get(path)).status).toBe(404)
  })

  test('from the sources they are built once, for all who ask meanwhile, and the page says so', async () => {
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { get, counts, place, close } = await serve(async (to) => {
      await finished
      fill(to)
    })
    // Unknown names start no build.
    expect((await get('/downloads/other.tgz')).status).toBe(404)
    expect(counts.builds).toBe(0)
    const page = await (await get('/downloads')).text()
    expect(page).toContain('The packages are being built.')
    expect(page).toMatch(/<meta http-equiv="refresh" content="3"/)
    const waiting = [
      get(`/downloads/${files[0]}`),
      get(`/downloads/${files[0]}`),
      get('/downloads/SHA256SUMS'),
    ]
    expect((await get('/downloads')).status).toBe(200)
    finish()
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
    const ready = await (await get('/downloads')).text()
    expect(ready).toContain(files[2])
    expect(ready).not.toContain('http-equiv="refresh"')
    expect(counts.builds).toBe(1)
    await close()
    expect(existsSync(place())).toBe(false)
  })

  test('a build that fails is not begun again for ten minutes', async () => {
    let isBroken = true
    const { get, counts, pass } = await serve(async (to) => {
      if (isBroken) throw new Error('no compiler')
      fill(to)
    })
    for (let n = 0; n < 3; n++) {
      const answer = await get(`/downloads/${files[0]}`)
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true])
      expect(await answer.json()).toMatchObject({ code: 'downloads_unavailable' })
    }
    expect(await (await get('/downloads')).text()).toContain('The packages could not be built.')
    expect(counts).toEqual({ builds: 1, failures: 1 })
    isBroken = false
    pass(10 * 60_000)
    expect((await get(`/downloads/${files[0]}`)).status).toBe(200)
    expect(counts).toEqual({ builds: 2, failures: 1 })
  })
})
