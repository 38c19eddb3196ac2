/** Documents as served to readers without an account. */
import { databases } from '@ulmus/storage/testing'
import { docFiles, docPages } from '@ulmus/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'

const [embedded] = databases
let server: TestServer
let dispose: () => Promise<void>
beforeAll(async () => {
  const opened = await embedded!.settings()
  dispose = opened.dispose
  server = await serveForTest(opened.settings)
})
afterAll(async () => {
  await server.close()
  await dispose()
})

const read = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(new URL(path, server.url), { headers, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test('the address leads to them', async () => {
  const { status, text } = await read('/')
  expect([status, text.includes('href="/docs"')]).toEqual([200, true])
})

test.each(['', ...docPages.map(({ name }) => `/${name}`)])('/docs%s is a page', async (path) => {
  const { status, headers, text } = await read(`/docs${path}`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  )
  expect(text.match(/<h1/g)).toHaveLength(1)
  expect(text.match(/aria-current="page"/g)).toHaveLength(1)
  expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)|style="/)
  const again = await read(`/docs${path}`, { 'if-none-match': headers.get('etag')! })
  expect([again.status, again.text]).toEqual([304, ''])
})

test('whatever they link to is there, down to the heading', async () => {
  const pages = new Map<string, string>()
  const page = async (path: string): Promise<string> => {
    const known = pages.get(path)
    if (known !== undefined) return known
    const { status, text } = await read(path)
    // These redirect to the identity provider.
    expect(status, path).toBe(['/auth/login', '/settings/keys'].includes(path) ? 302 : 200)
    pages.set(path, text)
    return text
  }
  const lost: string[] = []
  const groups = (await page('/docs/api')).matchAll(/href="(\/docs\/api\/[a-z-]+)"/g)
  const reference = new Set(['/docs/api', ...Array.from(groups, ([, path]) => path!)])
  for (const path of ['/docs', ...docPages.map(({ name }) => `/docs/${name}`), ...reference]) {
    for (const [, href = ''] of (await page(path)).matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash, origin } = new URL(href, `${server.url}${path}`)
      if (origin !== server.url) continue
      const target = await page(pathname)
      if (hash !== '' && !target.includes(`id="${hash.slice(1)}"`)) lost.push(`${path}: ${href}`)
    }
  }
  expect(lost).toEqual([])
})

test('a search finds sections by their words, and shows the query as text', async () => {
  const { text } = await read('/docs?q=full+disk')
  expect(text).toContain('href="/docs/maintenance#a-full-disk"')
  const hostile = await read(`/docs?q=${encodeURIComponent('<script>alert(1)</script>')}`)
  expect([hostile.status, hostile.text.includes('<script>alert')]).toEqual([200, false])
  expect(hostile.text).toContain('Nothing has all words of')
})

test('programs read the same texts as Markdown, and take the verifier along', async () => {
  for (const { name } of docPages) {
    const { status, headers, text } = await read(`/docs/${name}.md`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(text).toMatch(/^# /)
  }
  for (const [file, type] of Object.entries(docFiles)) {
    const { status, headers } = await read(`/docs/${file}`)
    expect([status, headers.get('content-type')]).toEqual([200, type])
  }
})

test.each(['/docs/nothing', '/docs/glossary.md', '/docs/..%2FREADME.md', '/docs/verify.py/x'])(
  'there is no %s',
  async (path) => expect((await read(path)).status).toBe(404),
)
