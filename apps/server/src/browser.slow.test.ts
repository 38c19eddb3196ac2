/** The registry in a browser: the client in a page of another site, and this site's pages after sign-in. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type * as ClientPackage from '@ulmus/client'
import { databases } from '@ulmus/storage/testing'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from './testing/chromium.ts'
import { serveForTest, type TestServer } from './testing/serve.ts'

declare global {
  /** The client package as a global of the page. */
  var ulmus: typeof ClientPackage
}

/** Limit of the minified client with its dependencies, which every page with it loads. Bytes. */
const clientBytesMax = 74 * 1024

describe.skipIf(!chromiumInstalled())('in a browser', () => {
  let browser: Browser
  let registry: TestServer
  let site: Server
  let bundle: string
  let disposeDatabase: () => Promise<void>

  beforeAll(async () => {
    const { settings, dispose } = await databases[0]!.settings()
    disposeDatabase = dispose
    registry = await serveForTest(settings)
    bundle = await bundleClient()
    site = createServer((request, response) => {
      if (request.url === '/client.js')
        return response.writeHead(200, { 'content-type': 'text/javascript' }).end(bundle)
      if (request.url !== '/') return response.writeHead(204).end()
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Another site</title><script src="/client.js"></script>')
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    site?.closeAllConnections()
    site?.close()
    await registry?.close()
    await disposeDatabase?.()
  })

  const siteUrl = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`

  test('the client makes, pushes, reads, verifies, patches and forks from a page of another origin, by its key', async () => {
    const { cookie } = await registry.signIn('ada')
    const key = await registry.keyFor(cookie, 'admin')
    const page = await browser.newPage()
    const seen = watch(page)
    await page.goto(siteUrl())
    const done = await page.evaluate(publishFromPage, { baseUrl: registry.url, apiKey: key })
    expect(done).toMatchObject({
      me: 'ada',
      phases: ['files', 'records', 'deletes', 'committing', 'done'],
      pushed: { semver: 'v1.0.0', recordCount: 299, fileCount: 1 },
      streamed: 299,
      streamedVerified: true,
      file: 'a map, drawn in the page',
      proof: { ok: true },
      tampered: false,
      patched: 'v1.0.1',
      jobDone: 'v1.0.2',
      metadata: { license: 'CC0-1.0', note: 'from a page' },
      guarded: 'too_many_removed',
      snapshot: { semver: 'v1.1.0', changes: { added: 1, updated: 1, removed: 249 } },
      // Two records changed; one of them became private, which alone needs no upload.
      sent: 2,
      publicIds: 49,
      forked: { semver: 'v1.0.0', from: 'v1.1.0' },
      refused: { name: 'UlmusError', status: 409, code: 'slug_taken' },
    })
    expect(seen.errors.filter((text) => !text.includes('409 (Conflict)'))).toEqual([])
    expect(new Set(seen.origins)).toEqual(new Set([new URL(siteUrl()).origin, registry.url]))
    await page.close()
  })

  test('a page of another origin gets no use of a visitor’s cookie', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, registry.url, 'grace')
    await page.goto(siteUrl())
    const asked = await page.evaluate(async (url) => {
      const withCookie: RequestInit = { credentials: 'include' }
      const read = await fetch(`${url}/api/accounts/me`, withCookie).then(
        ({ status }) => status,
        () => 'unreadable',
      )
      const anonymous = await fetch(`${url}/api/collections`)
      return { read, anonymous: anonymous.status, shown: anonymous.headers.get('x-request-id') !== null }
    }, registry.url)
    expect(asked).toEqual({ read: 'unreadable', anonymous: 200, shown: true })
    await context.close()
  })

  test('the form signs in and leads to the API reference, which renders without errors and calls no other host', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    const seen = watch(page)
    await signIn(page, registry.url, 'linus')
    expect(new URL(page.url()).pathname).toMatch(/^\/docs\/api/)
    const me = await page.evaluate(async () => (await fetch('/api/accounts/me')).json())
    expect(me).toMatchObject({ slug: 'linus', type: 'user' })

    await page.getByRole('heading', { name: 'API reference', exact: true }).waitFor()
    for (const group of ['Accounts', 'Collections', 'Versions', 'Pushes', 'Snapshots'])
      await page.getByRole('link', { name: group, exact: true }).first().waitFor()
    await page.goto(`${registry.url}/docs/api/snapshots`)
    await page.getByRole('heading', { name: 'Open a snapshot push' }).waitFor()
    await page.getByText('/versions/negotiate').first().waitFor()
    expect(seen.errors).toEqual([])
    expect(new Set(seen.origins)).toEqual(new Set([registry.url]))
    await context.close()
  })

  test('on a phone no page is too wide, and fingers can hit its controls', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await signIn(page, registry.url, 'edsger')
    await page.goto(`${registry.url}/new`)
    await page.fill('[name=name]', 'Towns')
    await page.getByRole('button', { name: 'Create it empty' }).click()
    await page.waitForURL(/edsger.towns/)
    const pages = ['/explore', '/settings/keys', '/settings/sessions', '/edsger/-/audit', '/new']
    for (const path of [...pages, '/edsger/towns', '/edsger/towns/settings', '/edsger/towns/schemas/new']) {
      await page.goto(`${registry.url}${path}`)
      expect([path, ...(await page.evaluate(unfitForPhones))]).toEqual([path])
    }

    await page.goto(`${registry.url}/new/sample`)
    await page.locator('main form button').click()
    await page.locator('.version-picker a').click()
    await page.locator('.version-picker .float').waitFor()
    expect(await page.evaluate(unfitForPhones)).toEqual([])
    await context.close()
  })
})

/** Controls of the page that are less than 44 pixels high, and whether the page scrolls sideways. */
function unfitForPhones(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const fields = 'input:not([type=hidden], [type=checkbox], [type=radio])'
  const controls = Array.from(document.querySelectorAll<HTMLElement>(`button, .button, select, ${fields}`))
  const small = controls.filter((control) => {
    const { width, height } = control.getBoundingClientRect()
    return width > 2 && height < 44 && !control.matches('.copy, .sr-only')
  })
  return [
    ...(scrollWidth > clientWidth ? [`${scrollWidth} pixels wide`] : []),
    ...small.map((control) => control.outerHTML),
  ]
}

/** Bundles the client as a script that a page can load directly. */
async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../../packages/client/src/index.ts', import.meta.url))],
    ...{ bundle: true, minify: true, format: 'iife', globalName: 'ulmus', platform: 'browser' },
    ...{ target: 'es2022', write: false, logLevel: 'silent' },
  })
  const { text } = outputFiles[0]!
  expect(Buffer.byteLength(text)).toBeLessThan(clientBytesMax)
  return text
}

/** Records errors of a page, and the origins that it requests. */
function watch(page: Page): { errors: string[]; origins: string[] } {
  const seen = { errors: [] as string[], origins: [] as string[] }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      seen.errors.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => seen.errors.push(String(error)))
  page.on('request', (request) => {
    if (/^https?:/.test(request.url())) seen.origins.push(new URL(request.url()).origin)
  })
  return seen
}

/** Signs in through the built-in provider's form, and returns to the API reference. */
async function signIn(page: Page, url: string, login: string): Promise<void> {
  await page.goto(`${url}/auth/login?return_to=/docs/api`)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Name (optional)').fill(`The ${login}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/docs\/api/)
}

/** Runs in the page, with only `ulmus` in scope. */
async function publishFromPage({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const { createClient, nameFile, verifyProof, verifyRecord, UlmusError } = globalThis.ulmus
  const client = createClient({ baseUrl, apiKey })
  const me = (await client.accounts.me()).slug
  await client.collections.create(me, { slug: 'points', public: true })
  const ref = `${me}/points`
  const schemas = { Point: { properties: { n: { type: 'integer' }, map: {} }, required: ['n'] } }
  const point = (n: number, data: object = { n }) => ({ id: `${n}`, type: 'Point', data: { ...data } })

  const map = await nameFile({ bytes: new Blob(['a map, drawn in the page'], { type: 'text/plain' }) })
  const phases = new Set<string>()
  const pushed = await client.push(
    ref,
    {
      ...{ baseVersion: null, schemas, metadata: { license: 'MIT' }, files: [map] },
      records: (function* () {
        for (let n = 0; n < 300; n++) yield point(n, n === 7 ? { n, map: { $file: map.hash } } : { n })
      })(),
      deletes: [{ id: '299', type: 'Point' }],
    },
    { batchLines: 100, onProgress: ({ phase }) => phases.add(phase) },
  )
  let streamed = 0
  let streamedVerified = true
  for await (const record of client.records.ndjson(ref)) {
    streamed++
    streamedVerified &&= verifyRecord(record)
  }
  const file = await client.files.download(ref, map.hash)
  const proven = await client.records.one(ref, 'latest', 'Point', '42', { proof: true })
  const forged = { ...proven, data: { n: 43 } }

  const patched = await client.metadata.patch(ref, { license: 'CC0-1.0' })
  const job = await client.metadata.patchAsync(ref, { note: 'from a page' })
  const jobDone = await client.metadata.waitForJob(ref, job.job_id)
  const { metadata } = await client.versions.get(ref)

  let sent = 0
  const fewer = {
    ...{ baseVersion: jobDone.semver, schemas, files: [map] },
    *records() {
      for (let n = 0; n < 50; n++) yield { ...point(n, n === 7 ? { n: -7 } : { n }), private: n === 8 }
      yield { ...point(300), private: true }
    },
  }
  const guarded = await client.snapshot(ref, fewer).catch((error: unknown) => error)
  const snapshot = await client.snapshot(
    ref,
    { ...fewer, maxRemoved: '100%' },
    {
      onProgress: ({ recordsSent }) => {
        sent = recordsSent
      },
    },
  )
  const anyone = createClient({ baseUrl })
  const publicIds = await Array.fromAsync(anyone.records.iterate(ref, 'latest'))

  await client.orgs.create({ slug: 'atlas', displayName: 'Atlas' })
  const fork = await client.collections.fork(ref, { targetOrg: 'atlas' })
  const refusal = await client.collections.fork(ref, { targetOrg: 'atlas' }).catch((error: unknown) => error)
  const { name, status, code } = refusal as InstanceType<typeof UlmusError>
  return {
    ...{ me, phases: [...phases], streamed, streamedVerified, metadata, sent },
    pushed: { semver: pushed.semver, recordCount: pushed.recordCount, fileCount: pushed.fileCount },
    file: new TextDecoder().decode(file.bytes),
    proof: verifyProof(pushed.hash, proven),
    tampered: verifyProof(pushed.hash, forged).ok,
    patched: patched.semver,
    jobDone: jobDone.semver,
    guarded: (guarded as InstanceType<typeof UlmusError>).code,
    snapshot: { semver: snapshot.semver, changes: snapshot.changes },
    publicIds: publicIds.length,
    forked: { semver: fork.version.semver, from: fork.forkedFrom.version },
    refused: { name, status, code },
  }
}
