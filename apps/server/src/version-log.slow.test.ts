/** The log of a real registry is taken by Go's packages for transparency logs, and by nothing that was changed. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { expectStatus, testClient } from './testing/test-client.ts'

/** Debian's golang-go and golang-golang-x-mod-dev. */
const sources = '/usr/share/gocode'
const isInstalled =
  process.env['CI'] === 'true' || existsSync(join(sources, 'src/golang.org/x/mod/sumdb/tlog'))

test.skipIf(!isInstalled)(
  'Go verifies signature, tiles, inclusion and consistency',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-go-'))
    const program = join(folder, 'verify')
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      GO111MODULE: 'off',
      GOPATH: sources,
      GOCACHE: folder,
    }
    execFileSync('go', ['build', '-o', program, join(import.meta.dirname, 'testing/verify-log.go')], { env })
    const { settings, dispose } = await databases[0]!.settings()
    const server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    const ada = testClient(server.url, await server.keyFor(cookie, 'admin'))
    await expectStatus(ada.post('/accounts/ada/collections', { slug: 'cities', public: true }), 201)
    const push = { base_version: null, schemas: { City: {} } }
    const { session_id } = (await ada.post('/collections/ada/cities/pushes', push)).json
    await expectStatus(ada.post(`/collections/ada/cities/pushes/${session_id}/commit`, {}), 201)
    const versions = 270 // The first leaf is about the key.
    for (let n = 1; n < versions; n++)
      await expectStatus(ada.patch('/collections/ada/cities/metadata', { note: `${n}` }), 201)
    await expect.poll(async () => (await ada.get('/log')).json.size, { timeout: 20_000 }).toBe(versions + 1)
    const { keys } = (await ada.get('/log')).json
    const verify = async (url: string) => (await promisify(execFile)(program, [url, keys[0].vkey])).stdout
    expect(await verify(server.url)).toBe(`${versions + 1}\n`)

    // The same log, but one bit of one file differs.
    let changed = ''
    const liar = createServer(async (request, response) => {
      const answer = await fetch(server.url + request.url)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      if (request.url === changed) bytes[bytes.length >> 1]! ^= 1
      response.writeHead(answer.status).end(bytes)
    })
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
    for (changed of [
      '/log/checkpoint',
      '/log/tile/0/000',
      '/log/tile/1/000.p/1',
      '/log/tile/entries/001.p/15',
    ])
      await expect(verify(url), changed).rejects.toThrow()
    liar.close()
    await server.close()
    await dispose()
    rmSync(folder, { recursive: true, force: true })
  },
)
