/** Idle connections and a push, on a server process with few file descriptors. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { signIn } from './testing/browser.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { testClient } from './testing/test-client.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-idle-connections-'))
let server: ServerProcess | undefined
afterAll(async () => {
  await server?.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(process.platform !== 'linux')(
  'with too few descriptors to work at all it does not start, and says why',
  async () => {
    const where = { DATA_DIR: join(folder, 'few') }
    await expect(startProcess(where, { descriptors: 320 })).rejects.toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Ulmus cannot start\. This process may open only 320 .*LimitNOFILE.*\n$/),
    })
  },
)

test.skipIf(process.platform !== 'linux')(
  'a thousand connections that send nothing leave descriptors for a push, and go',
  async () => {
    server = await startProcess({ DATA_DIR: join(folder, 'data'), LOG_REQUESTS: 'off' }, { descriptors: 512 })
    expect(server.output.out).toMatch(/may open only 512 files and connections.*LimitNOFILE/)
    const ada = testClient(server.url, await signIn(server.url, { login: 'ada' }))
    await ada.post('/accounts/ada/collections', { slug: 'all', public: true })

    const idle: Socket[] = []
    const { port } = new URL(server.url)
    for (let n = 0; n < 1_000; n++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
      idle.push(socket)
      if (n % 50 === 0) await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    }
    /** A request of a client that retries when its connection is cut. */
    const post = async (path: string, body: unknown, kind: 'post' | 'lines' = 'post') => {
      for (let attempt = 0; ; attempt++) {
        try {
          return kind === 'lines' ? await ada.lines(path, body as unknown[]) : await ada.post(path, body)
        } catch (error) {
          if (attempt === 30) throw error
          await new Promise((resolve) => setTimeout(resolve, 1_000))
        }
      }
    }
    const path = '/collections/ada/all/pushes'
    const opened = await post(path, { base_version: null, schemas: { A: { type: 'object' } } })
    expect(opened.status).toBe(201)
    const session = `${path}/${opened.json.session_id}`
    // A thread validates each batch, under a watchdog.
    for (let batch = 0; batch < 4; batch++) {
      const lines = Array.from({ length: 2_000 }, (_, n) => ({ id: `${batch}-${n}`, type: 'A', data: { n } }))
      expect((await post(`${session}/records`, lines, 'lines')).status).toBe(200)
    }
    expect((await post(`${session}/commit`, undefined)).json).toMatchObject({ recordCount: 8_000 })

    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(Number(/^http_connections_open (\d+)$/m.exec(metrics)?.[1])).toBeLessThan(129)
    expect(server.output.out.match(/as many connections as there may be/g)).toHaveLength(1)
    for (const socket of idle) socket.destroy()
    expect(await server.end('SIGTERM')).toBe(0)
  },
  120_000,
)
