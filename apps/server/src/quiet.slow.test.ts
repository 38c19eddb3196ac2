/** A fresh server opens no connection to anywhere but this machine, whatever is done on it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { signIn } from './testing/browser.ts'
import { startProcess } from './testing/server-process.ts'
import { pushVersion } from './testing/stage.ts'
import { testClient } from './testing/test-client.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-quiet-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'connections')
const connections = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
const isHere = (to: string) => /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\/.*)$/.test(to)

test('a fresh server connects to no other machine, and a webhook makes the first connection', async () => {
  writeFileSync(file, '')
  const fixture = join(import.meta.dirname, 'testing/connections.fixture.ts')
  const server = await startProcess({
    ...{ DATA_DIR: join(folder, 'data'), CONNECTIONS_FILE: file },
    NODE_OPTIONS: `--import=${fixture}`,
  })
  const { cookie } = await signIn(server.url, { login: 'ada' })
  const ada = testClient(server.url, { cookie })
  expect((await ada.post('/accounts/ada/collections', { slug: 'birds', public: true })).status).toBe(201)
  await pushVersion(ada, '/collections/ada/birds', { opening: { schemas: { A: {} } } })
  for (const path of ['/', '/explore', '/ada/birds', '/docs', '/docs/api'])
    expect((await fetch(server.url + path)).status).toBe(200)
  // Longer than the intervals of background work.
  await sleep(12_000)
  // The built-in provider is asked at this address, so the fixture works.
  expect(connections()).toContain('127.0.0.1')
  expect(connections().filter((to) => !isHere(to))).toEqual([])
  const hook = await ada.post('/collections/ada/birds/webhooks', { url: 'https://receiver.invalid/' })
  expect(connections().filter((to) => !isHere(to))).toEqual([])
  expect((await ada.post(`/webhooks/${hook.json.id}/test`)).json).toMatchObject({ why: 'refused_address' })
  expect(connections()).toContain('receiver.invalid')
  await server.end('SIGTERM')
})
