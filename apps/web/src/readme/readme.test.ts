import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type ReadmeSite, readmeOf, renderAhead } from './readme.ts'

const collection = { owner: 'ada', slug: 'birds' }
/** Each takes much longer than the limit. */
const costly = (marker: string, end = '') => `${marker.repeat(24_000)}deep${end}`
/** A site whose cache counts look-ups and inserted rows. */
function siteOf(stored = new Map<string, string | null>()) {
  let lookUps = 0
  const readmes = {
    find: async (hash: string) => {
      lookUps++
      return stored.get(hash)
    },
    keep: async (hash: string, html: string | null) => void stored.set(hash, html),
  }
  const site = { registry: { readmes }, readmeImages: false } as unknown as ReadmeSite
  return { site, stored, lookUps: () => lookUps }
}
const { site } = siteOf()
/** Waits until it is rendered. */
const patiently = (text: unknown, at = site, of = collection) => readmeOf(text, of, at, 60_000)
const plain = /^<p class="quiet">Shown as plain text.*<\/p><pre class="plain-text">/

/** Child processes started by the main thread of a process. Linux lists them by thread. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Environment and arguments of a process. Empty after its end, even if its parent has not read the exit status yet (a zombie). */
const startOf = (pid: number): string => {
  try {
    return ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join(' ')
  } catch {
    return ''
  }
}
const renderers = () => childrenOf(process.pid).filter((pid) => startOf(pid).includes('readme/process.ts'))

afterEach(() => vi.useRealTimers())

test('a readme that takes too long is plain text with a note, is remembered by its text, and the next one is rendered', async () => {
  const { site, stored } = siteOf()
  for (const marker of ['> ', '* ']) expect(await patiently(costly(marker), site)).toMatch(plain)
  expect(await patiently('**bold**', site)).toBe('<p><strong>bold</strong></p>')
  await vi.waitFor(
    () => expect([...stored.values()]).toEqual([null, null, '<p><strong>bold</strong></p>']),
    20_000,
  )
  // Another server with an empty memory finds the text in the cache, and starts no process.
  const other = siteOf(new Map([...stored].map(([hash]) => [hash, null])))
  expect(await readmeOf(costly('> '), { ...collection, owner: 'eve' }, other.site)).toMatch(plain)
}, 120_000)

test('a page does not wait for a rendering, and shows it the next time', async () => {
  const { site, stored } = siteOf()
  const ahead = Array.from({ length: 3 }, (_, n) => costly('> ', `before ${n}`))
  for (const text of ahead) renderAhead(text, 'ada', site)
  expect(await readmeOf('# At last', collection, site, 1)).toMatch(
    /^<p class="quiet">Shown as plain text, because it is not rendered yet.*<\/p><pre class="plain-text"># At last/,
  )
  await vi.waitFor(() => expect(stored.size).toBe(4), 60_000)
  expect(await readmeOf('# At last', collection, site, 1)).toBe('<h2 id="readme-at-last">At last</h2>')
}, 120_000)

test('owners take turns: many costly readmes of one leave the next turn to another, and most are not queued', async () => {
  const { site, stored } = siteOf()
  const many = Array.from({ length: 18 }, (_, n) => costly('> ', `of eve ${n}`))
  const shown = many.map((text) => readmeOf(text, { owner: 'eve', slug: 'x' }, site, 1))
  expect(await patiently('*mine*', site)).toBe('<p><em>mine</em></p>')
  expect([...stored.values()].filter((html) => html === null).length).toBeLessThanOrEqual(2)
  for (const html of await Promise.all(shown)) expect(html).toMatch(plain)
  await vi.waitFor(() => expect(stored.size).toBe(5), 60_000)
}, 120_000)

test('readers of the same text share one rendering, whichever collection it is of', async () => {
  const { site, lookUps } = siteOf()
  const file = `sha256:${'a'.repeat(64)}`
  const shown = await Promise.all(
    ['birds', 'fork'].map((slug) => patiently(`![A](${file})`, site, { owner: 'ada', slug })),
  )
  expect(shown).toEqual(
    ['birds', 'fork'].map((slug) => `<p><img src="/api/collections/ada/${slug}/files/${file}" alt="A"></p>`),
  )
  expect(lookUps()).toBe(1)
}, 120_000)

test('readmes that come at the same time are answered each with its own', async () => {
  const texts = Array.from({ length: 15 }, (_, n) => `number ${n}`)
  const shown = await Promise.all(
    [costly('> ', 'er'), ...texts].map((text, n) => patiently(text, site, { owner: `o${n}`, slug: 'x' })),
  )
  expect(shown[0]).toMatch(plain)
  expect(shown.slice(1)).toEqual(texts.map((text) => `<p>${text}</p>`))
}, 120_000)

test('the process ends when no readme has come for a while, and when its server is killed', async () => {
  await patiently('starts one')
  expect(renderers()).toHaveLength(1)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await readmeOf('the last for a while', collection, site, 3_600_000)
  vi.advanceTimersByTime(30_000)
  vi.useRealTimers()
  await vi.waitFor(() => expect(renderers()).toEqual([]), 60_000)
}, 120_000)

test('a killed process fails waiting renders at once, and the process ends with its server', async () => {
  const program = `
    import { readmeOf } from ${JSON.stringify(new URL('./readme.ts', import.meta.url).href)}
    setInterval(() => {}, 1_000)
    const site = { registry: { readmes: { find: async () => undefined, keep: async () => undefined } }, readmeImages: false }
    const shown = (text) => readmeOf(text, ${JSON.stringify(collection)}, site, 60_000)
    await shown('first')
    process.stdout.write('begun')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    for (let html = ''; !html.includes('<strong>'); ) process.stdout.write(html = await shown('**second**'))`
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  let said = ''
  server.stdout.on('data', (piece) => (said += piece))
  await vi.waitFor(() => expect(said).toContain('begun'), 60_000)
  const [first] = childrenOf(server.pid!)
  expect(startOf(first!)).toContain('readme/process.ts')
  expect(startOf(first!)).toContain('--max-old-space-size=128')
  expect(startOf(first!)).not.toContain('PATH=')
  process.kill(first!, 'SIGKILL')
  await vi.waitFor(() => expect(startOf(first!).trim()).toBe(''), 60_000)
  server.stdin.write('go')
  await vi.waitFor(() => expect(said).toContain('<strong>second</strong>'), 60_000)
  const [second] = childrenOf(server.pid!)
  expect(second).not.toBe(first)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await vi.waitFor(() => expect(startOf(second!).trim()).toBe(''), 60_000)
}, 120_000)

test('what cannot be rendered now is plain text, and is rendered the next time', async () => {
  const { execPath } = process
  // Starting the first throws; starting the second fails later.
  for (const nothing of ['', '/nowhere/node']) {
    for (const pid of renderers()) {
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), 60_000)
    }
    const texts = ['a', 'b', 'c'].map((letter) => `**${letter}** at “${nothing}”`)
    const shown = () => Promise.all(texts.map((text) => patiently(text)))
    process.execPath = nothing
    try {
      for (const html of await shown()) expect(html).toMatch(plain)
    } finally {
      process.execPath = execPath
    }
    for (const html of await shown()) expect(html).toMatch(/^<p><strong>/)
  }
}, 120_000)

test('an empty readme renders nothing; a long one is plain text, cut', async () => {
  expect(await patiently(7)).toBeUndefined()
  expect(await patiently('  ')).toBeUndefined()
  const [, text] = (await patiently('<'.repeat(300_000)))!.split('<pre class="plain-text">')
  expect(text).toBe(`${'&lt;'.repeat(200_000)}</pre>`)
  expect(await patiently('*a*'.padEnd(50_001, ' a'))).toMatch(/more than 50,000 characters/)
})
