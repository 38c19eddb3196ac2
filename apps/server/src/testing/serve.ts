/**
 * A whole server for tests: its own data folder, a free port of 127.0.0.1, answers checked against their documented shapes.
 *
 *     describe.each(databases)('forks on $name', ({ settings }) => {
 *       const { settings: where, dispose } = await settings()
 *       const server = await serveForTest(where)
 *       const ann = await server.signIn('ann')
 *       const key = await server.keyFor(ann.cookie, 'write')
 *       await fetch(`${server.url}/api/…`, { headers: { authorization: `Bearer ${key}` } })
 *       …
 *       await server.close()
 *       await dispose()
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Registry, S3Keys } from '@ulmus/registry'
import pino, { type DestinationStream } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { Downloads } from '../downloads/downloads.ts'
import { logOptions } from '../log.ts'
import { startServer } from '../server.ts'
import { Browser } from './browser.ts'

/** Database settings, as returned by `settings()` of a test database. An embedded one is moved into the server's data folder. */
export type DatabaseSettings = { folder: string; url?: undefined } | { url: string; folder?: undefined }

export interface Overrides extends Partial<Config> {
  /** The server's clock. */
  now?: () => Date
  /** To the bucket of `objectStore`. */
  s3Keys?: S3Keys
  /** Default: none can be built, since a build takes longer than most tests. */
  downloads?: Downloads
  /** Sink of its log; `logLevel` defaults to `silent`. */
  logTo?: DestinationStream
}

export interface SignedIn {
  /** For a `Cookie` header. Writes with it also need `Sec-Fetch-Site: same-origin`. */
  readonly cookie: string
  readonly account: {
    id: string
    slug: string
    type: string
    displayName: string
    email: string
    createdAt: string
  }
}

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly registry: Registry
  readonly dataFolder: string
  /** Signs in as anyone through the built-in identity provider, as a browser would. */
  signIn(login: string, about?: { name?: string; email?: string }): Promise<SignedIn>
  /** Makes an API key over HTTP; the raw key. */
  keyFor(
    cookie: string,
    scope: 'read' | 'write' | 'admin',
    more?: { label?: string; collectionId?: string; expiresAt?: string },
  ): Promise<string>
  /** Ends the server and keeps its data: another one can be served from `dataFolder`. */
  stop(): Promise<void>
  /** Ends the server and removes its data. */
  close(): Promise<void>
}

export const noDownloads = (): Downloads =>
  new Downloads({
    folder: join(tmpdir(), 'ulmus-no-downloads'),
    build: () => Promise.reject(new Error('tests build no packages')),
    onFailure: () => undefined,
  })

export async function serveForTest(
  database: DatabaseSettings,
  overrides: Overrides = {},
): Promise<TestServer> {
  const dataFolder = overrides.dataFolder ?? mkdtempSync(join(tmpdir(), 'ulmus-serve-'))
  mkdirSync(dataFolder, { recursive: true })
  if (database.folder !== undefined) renameSync(database.folder, join(dataFolder, 'database'))
  const { now, s3Keys, logTo, downloads = noDownloads(), logLevel = 'silent', ...configured } = overrides
  const config: Config = { ...readConfig({ PORT: '0', RATE_LIMIT: 'off' }), ...configured, dataFolder }
  const secrets = {
    databaseUrl: database.url,
    oidcClientSecret: config.oidc === null ? undefined : 'test-secret',
    s3Keys,
  }
  const log = pino(logOptions(logLevel), logTo ?? process.stdout)
  const server = await startServer(config, secrets, { log, now, downloads, checkAnswers: true })
  return {
    url: server.url,
    registry: server.registry,
    dataFolder,
    async signIn(login, about = {}) {
      const browser = new Browser(server.url)
      await browser.signIn({ login, ...about })
      const answer = await browser.fetch('/api/accounts/me')
      if (answer.status !== 200) throw new Error(`Signing in as ${login} failed: ${await answer.text()}`)
      return { cookie: browser.cookieHeader('/'), account: (await answer.json()) as SignedIn['account'] }
    },
    async keyFor(cookie, scope, more = {}) {
      const answer = await fetch(`${server.url}/api/accounts/keys`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ label: 'test', scope, ...more }),
      })
      if (answer.status !== 201) throw new Error(`No key was made: ${await answer.text()}`)
      return ((await answer.json()) as { key: string }).key
    },
    stop: () => server.close(),
    async close() {
      await server.close()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}
