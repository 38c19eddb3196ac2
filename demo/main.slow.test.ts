/** The demo against its own server with the embedded database, run twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { chromiumInstalled, openChromium } from '../apps/server/src/testing/chromium.ts'
import { type ServerProcess, startProcess } from '../apps/server/src/testing/server-process.ts'
import { pictureSize, pictures, signInAs, storedStructures, structureOf, visitPicture } from './pictures.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-demo-'))
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess({ DATA_DIR: folder })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

async function runDemo(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...said }
}

/** Number of records in a collection's first version, as the demo prints it. */
const published = /first version +\S+ m?s +v1\.0\.0, ([\d,]+) records/g

test('the demo comes to its end, and a second time', async () => {
  const first = await runDemo('--url', server.url)
  expect(first).toMatchObject({ code: 0, err: '' })
  const counts = Array.from(first.out.matchAll(published), ([, count = '']) =>
    Number(count.replaceAll(',', '')),
  )
  // Countries, licenses, stations, cities, sheets.
  expect(counts).toEqual([250, expect.any(Number), 4, expect.any(Number), 3])
  expect(counts[3]).toBeGreaterThan(100_000)
  expect(first.out).toMatch(/the grant `read` for hondius .*\bgiven\n/)
  expect(first.out).toMatch(/read back as hondius .*4 records/)
  expect(first.out).toMatch(/read as anyone .*collection_not_found/)
  expect(first.out).toContain('Everything that was read back is what was published.')

  const second = await runDemo('--url', server.url)
  expect(second).toMatchObject({ code: 0, err: '' })
  expect(second.out.match(/its first version is there already/g)).toHaveLength(5)
  expect(second.out).toContain('is there already, from an earlier run')
  expect(second.out).toContain('Everything that was read back is what was published.')
}, 180_000)

test.skipIf(!chromiumInstalled())(
  'the README shows pages as they are',
  async () => {
    const browser = await openChromium()
    try {
      const page = await browser.newPage({ baseURL: server.url, viewport: pictureSize })
      await signInAs(page, 'mercator')
      const structures: Record<string, string> = {}
      for (const name of Object.keys(pictures) as (keyof typeof pictures)[]) {
        await visitPicture(page, name)
        structures[name] = await structureOf(page)
      }
      // Renewed by `npm run screenshots -- --readme`.
      expect(structures).toEqual(storedStructures())
    } finally {
      await browser.close()
    }
  },
  600_000,
)

test('where no registry is, one sentence says so', async () => {
  const { code, out, err } = await runDemo('--url', 'http://127.0.0.1:9')
  expect(code).toBe(1)
  expect(out).toBe('Ulmus demo against http://127.0.0.1:9\n')
  expect(err.trim()).toMatch(/^No registry is ready at http:\/\/127\.0\.0\.1:9\. Start one with `npm start`/)
})

test('ULMUS_HOST names the registry, and --url goes before it', async () => {
  vi.stubEnv('ULMUS_HOST', 'http://127.0.0.1:7')
  expect((await runDemo()).out).toBe('Ulmus demo against http://127.0.0.1:7\n')
  expect((await runDemo('--url', 'http://127.0.0.1:9')).out).toBe('Ulmus demo against http://127.0.0.1:9\n')
  vi.unstubAllEnvs()
})

test('--help says what it does, and does nothing', async () => {
  const { code, out, err } = await runDemo('--help')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('--url URL')
  expect(out).not.toContain('Ulmus demo against')
})
