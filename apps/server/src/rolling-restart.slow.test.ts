/** A rolling restart behind nginx with the configuration and the steps of docs/going-live.md. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases } from '@ulmus/storage/testing'
import { quietPort } from '@ulmus/storage/testing/quiet-port'
import { expect, test } from 'vitest'
import { keyFor, signIn } from './testing/browser.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { openPush } from './testing/stage.ts'
import { testClient } from './testing/test-client.ts'

const nginx = '/usr/sbin/nginx'
const hasNginx = spawnSync(nginx, ['-v']).error === undefined
if (!hasNginx) process.stdout.write('Without nginx, rolling restarts are not tested.\n')

const page = readFileSync(join(import.meta.dirname, '../../../docs/going-live.md'), 'utf8')
const [site = '', upstream = ''] = Array.from(page.matchAll(/^```nginx\n(.*?)^```/gms), ([, block]) => block!)

/** Seconds for which nginx avoids a server that failed; the documented pause between two restarts. */
const failSeconds = Number(/fail_timeout=(\d+)s/.exec(upstream)![1])

async function startNginx(folder: string, ports: readonly number[]) {
  const port = await quietPort()
  let servers = upstream
  ports.forEach((own, at) => {
    servers = servers.replace(new RegExp(`10\\.0\\.0\\.1${at + 1}:4000`), `127.0.0.1:${own}`)
  })
  const file = join(folder, 'nginx.conf')
  // Without its certificate, and without the server that redirects to it.
  const own = site
    .slice(0, site.indexOf('\n}\n') + 3)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
    .replace('http://localhost:4000', 'http://ulmus')
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    file,
    `daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')}; user root;
     events {}
     http { access_log off; ${places.join(' ')} ${servers} ${own} }`,
  )
  const child = spawn(nginx, ['-c', file, '-p', folder], { stdio: 'inherit' })
  const end = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${port}`, end }
}

test.skipIf(!hasNginx && process.env['CI'] === undefined)(
  'no request is lost while both servers restart, one after the other',
  async () => {
    await using ending = new AsyncDisposableStack()
    const rows = await databases.find(({ name }) => name === 'server')!.settings()
    ending.defer(rows.dispose)
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-rolling-'))
    ending.defer(() => rmSync(folder, { recursive: true, force: true }))
    const ports = [await quietPort(), await quietPort()]
    const proxy = await startNginx(folder, ports)
    ending.defer(proxy.end)
    const start = (port: number) =>
      startProcess({
        ...{ DATABASE_URL: rows.settings.url!, DATA_DIR: join(folder, 'data'), PORT: String(port) },
        ...{ TRUST_PROXY: 'loopback', DRAIN_SECONDS: '2' },
      })
    const servers: ServerProcess[] = []
    for (const port of ports) servers.push(await start(port))
    ending.defer(async () => void (await Promise.all(servers.map((one) => one.end('SIGTERM')))))
    // The sign-in for development refuses requests through a proxy.
    const [{ url }] = servers as [ServerProcess]
    const { cookie } = await signIn(url, { login: 'ada' })
    const ada = testClient(proxy.url, await keyFor(url, cookie, 'admin'))
    expect((await ada.post('/accounts/ada/collections', { slug: 'birds', public: true })).status).toBe(201)
    const session = await openPush(ada, '/collections/ada/birds', { opening: { schemas: { Bird: {} } } })

    const lost: unknown[] = []
    let sent = 0
    let isDone = false
    const send = async (request: () => Promise<{ status: number }>) => {
      while (!isDone) {
        sent++
        await request().then(
          ({ status }) => void (status < 300 || lost.push(status)),
          (error: unknown) => void lost.push(error),
        )
        await sleep(20)
      }
    }
    const line = { id: 'wren', type: 'Bird', data: {} }
    // nginx repeats no POST that it has sent. A connection that the end of a server cuts before it is accepted gets 502, which clients repeat.
    const push = async () => {
      const answer = await ada.lines(`${session}/records`, [line])
      return answer.status === 502 ? ada.lines(`${session}/records`, [line]) : answer
    }
    const sending = Promise.all([
      ...Array.from({ length: 4 }, () => send(() => ada.get('/collections/ada/birds'))),
      ...Array.from({ length: 2 }, () => send(push)),
      send(() => fetch(`${proxy.url}/ada/birds`, { headers: { accept: 'text/html' } })),
    ])
    const draining: unknown[] = []
    for (const [at, port] of ports.entries()) {
      const old = servers[at]!
      const ended = old.end('SIGTERM')
      await sleep(1_500)
      const ready = await fetch(`${old.url}/readyz`)
      draining.push([ready.status, ready.headers.get('connection')])
      expect(await ended).toBe(0)
      servers[at] = await start(port)
      await sleep((failSeconds + 1) * 1_000)
    }
    isDone = true
    await sending
    expect(draining).toEqual([
      [503, 'close'],
      [503, 'close'],
    ])
    expect(sent).toBeGreaterThan(500)
    expect(lost).toEqual([])
  },
)
