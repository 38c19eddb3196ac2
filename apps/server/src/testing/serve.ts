/**
 * Complete server for tests: its own data folder, a free port of 127.0.0.1, answers checked against their documented shapes.
 *
 *     describe.each(databases)('forks on $name', ({ settings }) => {
 *       const { settings: where, dispose } = await settings()
 *       const server = await serveForTest(where)
 *       const ann = await server.signIn('ann')
 *       const key = await server.keyFor(ann.cookie, 'write')
 *       await testClient(server.url, key).get('/collections/…')
 *       …
 *       await server.close()
 *       await dispose()
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signerOf, skeyOf } from '@ulmus/content/log'
import type { Registry, S3Keys } from '@ulmus/registry'
import pino, { type DestinationStream } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { Downloads } from '../downloads/downloads.ts'
import { logOptions } from '../log.ts'
import { startServer } from '../server.ts'
import { keyFor, type SignedIn, signIn } from './browser.ts'
import { expectStatus, testClient } from './test-client.ts'

/** Database settings, as returned by `settings()` of a test database. An embedded one is moved into the server's data folder. */
export type DatabaseSettings = { folder: string; url?: undefined } | { url: string; folder?: undefined }

export interface Overrides extends Partial<Config> {
  /** Clock of the server. */
  now?: () => Date
  /** Keys for the bucket of `objectStore`. */
  s3Keys?: S3Keys
  /** Proxy for requests to others' servers. */
  outsideProxy?: string
  /** Default: none, because a build takes longer than most tests. */
  downloads?: Downloads
  /** Destination of the log; `logLevel` defaults to `silent`. */
  logTo?: DestinationStream
}

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly registry: Registry
  readonly dataFolder: string
  /** Signs in as any user through the built-in identity provider, as a browser would. */
  signIn(login: string, about?: { name?: string; email?: string }): Promise<SignedIn>
  /** Makes an API key over HTTP. Returns the raw key. */
  keyFor(
    cookie: string,
    scope: 'read' | 'write' | 'admin',
    more?: {
      label?: string
      collectionId?: string
      collections?: string[]
      roleCap?: 'member'
      expiresAt?: string
    },
  ): Promise<string>
  /** Stops the server and keeps its data: another server can start on `dataFolder`. */
  stop(): Promise<void>
  /** Stops the server and removes its data. */
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
  const own = join(dataFolder, 'database')
  if (database.folder !== undefined && database.folder !== own) {
    // It may be on another disk.
    cpSync(database.folder, own, { recursive: true })
    rmSync(database.folder, { recursive: true })
  }
  const { now, s3Keys, outsideProxy, logTo, ...others } = overrides
  const { downloads = noDownloads(), logLevel = 'silent', ...configured } = others
  const keyFile = join(dataFolder, 'test.key')
  writeFileSync(keyFile, Buffer.alloc(32, 7).toString('base64'))
  const logKeyFile = join(dataFolder, 'test-log.key')
  const logKey = signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(7))
  writeFileSync(logKeyFile, skeyOf(logKey))
  const files = { SECRETS_KEY_FILE: keyFile, VERSION_LOG_KEY_FILE: logKeyFile }
  const config: Config = {
    ...readConfig({ PORT: '0', RATE_LIMIT: 'off', ...files }),
    ...configured,
    dataFolder,
  }
  const secrets = {
    databaseUrl: database.url,
    oidcClientSecret: config.oidc === null ? undefined : 'test-secret',
    outsideProxy,
    s3Keys,
  }
  const log = pino(logOptions(logLevel), logTo ?? process.stdout)
  const server = await startServer(config, secrets, { log, now, downloads, checkAnswers: true })
  return {
    url: server.url,
    registry: server.registry,
    dataFolder,
    signIn: (login, about) => signIn(server.url, { login, ...about }),
    keyFor: (cookie, scope, more) => keyFor(server.url, cookie, scope, more),
    stop: () => server.close(),
    async close() {
      await server.close()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

/** Makes an organization, owned by the account of the cookie. @param members roles by user */
export async function addOrg(
  server: TestServer,
  owner: { cookie: string },
  slug: string,
  members: Record<string, 'member' | 'admin' | 'owner'> = {},
): Promise<void> {
  const client = testClient(server.url, owner)
  await expectStatus(client.post('/accounts', { slug, displayName: `The ${slug}` }), 201)
  for (const [user, role] of Object.entries(members))
    await expectStatus(client.put(`/accounts/${slug}/members/${user}`, { role }), 200)
}

/** A clock stopped at second 20 of the current minute, so that counts per minute never cross its end. */
export function stoppedClock(): () => Date {
  const time = Math.floor(Date.now() / 60_000) * 60_000 + 20_000
  return () => new Date(time)
}
