import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { readmeOf } from './readme.ts'

const collection = { owner: 'ada', slug: 'birds' }
const slow = (marker: string) => `${marker.repeat(99_000)}deep`

/** Processes that the main thread of a process began. Linux lists them by thread. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Variables and arguments of a process. Empty when it has ended, even if its parent has not read its exit status yet (a zombie). */
const startOf = (pid: number): string => {
  try {
    return ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join(' ')
  } catch {
    return ''
  }
}

test('a readme that takes too long is plain text, and the next one is rendered', async () => {
  for (const marker of ['> ', '* ']) {
    expect(await readmeOf(slow(marker), collection)).toMatch(/^<pre class="plain-text">(?:&gt;|\*) /)
  }
  expect(await readmeOf('**bold**', collection)).toBe('<p><strong>bold</strong></p>')
}, 30_000)

test('readmes that come at the same time are answered each with its own', async () => {
  const texts = Array.from({ length: 15 }, (_, n) => `number ${n}`)
  const shown = await Promise.all([`${slow('> ')}er`, ...texts].map((text) => readmeOf(text, collection)))
  expect(shown[0]).toMatch(/^<pre class="plain-text">&gt; /)
  expect(shown.slice(1)).toEqual(texts.map((text) => `<p>${text}</p>`))
}, 30_000)

test('its process keeps nobody waiting when it is killed, and ends when its server is', async () => {
  const program = `
    import { readmeOf } from ${JSON.stringify(new URL('./readme.ts', import.meta.url).href)}
    setInterval(() => {}, 1_000)
    await readmeOf('first', ${JSON.stringify(collection)})
    process.stdout.write(await readmeOf(${JSON.stringify(slow('> '))}, ${JSON.stringify(collection)}))
    process.stdout.write(await readmeOf('**second**', ${JSON.stringify(collection)}))
    await readmeOf(${JSON.stringify(slow('* '))}, ${JSON.stringify(collection)})`
  const server = spawn(process.execPath, ['--input-type=module', '-'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })
  server.stdin.end(program)
  let said = ''
  server.stdout.on('data', (piece) => (said += piece))
  const child = () => childrenOf(server.pid!)[0] ?? expect.fail('no process yet')
  const first = await vi.waitFor(child, 10_000)
  // Before it is the program that it becomes, it looks like its parent.
  await vi.waitFor(() => expect(startOf(first)).toContain('readme/process.ts'), 10_000)
  expect(startOf(first)).toContain('--max-old-space-size=256')
  expect(startOf(first)).not.toContain('PATH=')
  process.kill(first, 'SIGKILL')
  await vi.waitFor(() => expect(said).toContain('<strong>second</strong>'), 10_000)
  const second = child()
  expect(second).not.toBe(first)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await vi.waitFor(() => expect(startOf(second).trim()).toBe(''), 10_000)
}, 40_000)

test('what cannot be rendered now is plain text, and is rendered the next time', async () => {
  const { execPath } = process
  // To begin the first throws, to begin the second fails later.
  for (const nothing of ['', '/nowhere/node']) {
    for (const pid of childrenOf(process.pid).filter((child) =>
      startOf(child).includes('readme/process.ts'),
    )) {
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), 10_000)
    }
    const texts = ['a', 'b', 'c'].map((letter) => `**${letter}** at “${nothing}”`)
    const shown = () => Promise.all(texts.map((text) => readmeOf(text, collection)))
    process.execPath = nothing
    try {
      for (const html of await shown()) expect(html).toMatch(/^<pre/)
    } finally {
      process.execPath = execPath
    }
    for (const html of await shown()) expect(html).toMatch(/^<p><strong>/)
  }
}, 30_000)

test('what is no readme is none; what is too long is plain text, cut', async () => {
  expect(await readmeOf(7, collection)).toBeUndefined()
  expect(await readmeOf('  ', collection)).toBeUndefined()
  expect((await readmeOf('<'.repeat(300_000), collection))!.length).toBe(
    '<pre class="plain-text"></pre>'.length + 4 * 200_000,
  )
})
