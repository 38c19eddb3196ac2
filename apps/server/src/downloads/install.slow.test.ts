/** npm installs the packages served from these sources, with an empty cache and no other registry; they work with that server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type ServerProcess, startProcess } from '../testing/server-process.ts'
import { run } from '../testing/snippets.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-install-'))
/** Settings of the npm that runs this test. `strict-allow-scripts` of our .npmrc makes npm fail if the prefix does not exist yet. */
const outer = Object.keys(process.env).filter((name) => /^npm_/i.test(name))
const env = {
  ...Object.fromEntries(outer.map((name) => [name, undefined])),
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: join(folder, 'home'),
  npm_config_cache: join(folder, 'cache'),
  // No registry listens there.
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_audit: 'false',
}
let server: ServerProcess
beforeAll(async () => {
  mkdirSync(env.HOME)
  server = await startProcess({ DATA_DIR: join(folder, 'data') })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const npm = (...args: string[]) => run('npm', args, { cwd: folder, env })
const { version } = manifest

test('the command line', async () => {
  const url = `${server.url}/downloads/ulmus-${version}.tgz`
  const installed = await npm('install', '--global', '--prefix', join(folder, 'global'), url)
  expect(installed.code, installed.out).toBe(0)
  const ulmus = join(folder, 'global/bin/ulmus')
  expect(await run(ulmus, ['--version'], { cwd: folder, env })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+( \([0-9a-f]{8,}, \d{4}-\d\d-\d\d\))?\n$/),
  })
  const asked = await run(ulmus, ['api', 'GET', '/collections', '--host', server.url], { cwd: folder, env })
  expect(asked.code, asked.out).toBe(0)
  // Through a proxy, which needs code of an embedded package.
  const proxied = { ...env, HTTP_PROXY: 'http://127.0.0.1:9' }
  const refused = await run(ulmus, ['api', 'GET', '/collections', '--host', server.url], {
    cwd: folder,
    env: proxied,
  })
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('fetch failed')])
}, 300_000)

test('the libraries', async () => {
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  const urls = ['client', 'content'].map((name) => `${server.url}/downloads/ulmus-${name}-${version}.tgz`)
  const installed = await npm('install', ...urls)
  expect(installed.code, installed.out).toBe(0)
  const program = `
    import { createClient } from '@ulmus/client'
    import { recordOf } from '@ulmus/content'
    const client = createClient({ baseUrl: process.argv[2] })
    console.log((await client.collections.browse()).items.length, recordOf('wren', 'Bird', {}).hash.length)`
  writeFileSync(join(folder, 'program.js'), program)
  const { code, out } = await run(process.execPath, ['program.js', server.url], { cwd: folder, env })
  expect(code, out).toBe(0)
  expect(out).toMatch(/^\d+ 64$/m)
}, 300_000)
