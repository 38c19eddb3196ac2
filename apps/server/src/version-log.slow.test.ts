/** The log of a real registry is taken by Go's packages for transparency logs, and by nothing that was changed. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { anyDatabase } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { pushVersion } from './testing/stage.ts'
import { expectStatus, testClient } from './testing/test-client.ts'

const run = promisify(execFile)

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
    // With Go's own cache: to compile its HTTP library takes longer than all else here.
    const env = { PATH: process.env['PATH'], HOME: homedir(), GO111MODULE: 'off', GOPATH: sources }
    const source = join(import.meta.dirname, 'testing/verify-log.go')
    const { settings, dispose } = await anyDatabase[0]!.settings()
    const server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    const ada = testClient(server.url, await server.keyFor(cookie, 'admin'))
    const versions = 270 // The first leaf is about the key.
    const collections = 9
    const publish = async (slug: string) => {
      await expectStatus(ada.post('/accounts/ada/collections', { slug, public: true }), 201)
      await pushVersion(ada, `/collections/ada/${slug}`, { opening: { schemas: { City: {} } } })
      for (let n = 1; n < versions / collections; n++)
        await expectStatus(ada.patch(`/collections/ada/${slug}/metadata`, { note: `${n}` }), 201)
    }
    await Promise.all([
      run('go', ['build', '-o', program, source], { env }),
      ...Array.from({ length: collections }, (_, n) => publish(`cities-${n}`)),
    ])
    await expect.poll(async () => (await ada.get('/log')).json.size, { timeout: 20_000 }).toBe(versions + 1)
    const { keys } = (await ada.get('/log')).json
    const verify = async (url: string) => (await run(program, [url, keys[0].vkey])).stdout
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
