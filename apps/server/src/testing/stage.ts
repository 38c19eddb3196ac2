/** Fixtures for tests over HTTP: a server, users with keys, collections and pushes. */
import type { TestDatabase } from '@ulmus/storage/testing'
import { type Overrides, serveForTest, type TestServer } from './serve.ts'
import { expectStatus, type TestClient, testClient } from './test-client.ts'

export interface Change {
  /** Default: null, the first version. */
  base?: string | null
  /** Other members of the opening's body. */
  opening?: Record<string, unknown>
  puts?: readonly unknown[]
  deletes?: readonly unknown[]
}

/** Opens a push and sends its lines. Returns the session's path. @throws Error if a step is refused */
export async function openPush(
  client: TestClient,
  path: string,
  { base = null, opening, puts, deletes }: Change,
): Promise<string> {
  const { json } = await expectStatus(client.post(`${path}/pushes`, { base_version: base, ...opening }), 201)
  const session = `${path}/pushes/${json.session_id}`
  if (puts !== undefined) await expectStatus(client.lines(`${session}/records`, puts), 200)
  if (deletes !== undefined) await expectStatus(client.lines(`${session}/deletes`, deletes), 200)
  return session
}

/** Pushes and commits. Returns the commit's answer. @throws Error if a step is refused */
export async function pushVersion(
  client: TestClient,
  path: string,
  change: Change,
): Promise<{ semver: string; hash: string; recordCount: number; fileCount: number }> {
  const session = await openPush(client, path, change)
  return (await expectStatus(client.post(`${session}/commit`), 201)).json
}

export interface Stage {
  readonly server: TestServer
  /** Owner of the collections, with a write key. */
  readonly ada: TestClient
  /** The same account, with a read key. */
  readonly reader: TestClient
  /** A stranger with a write key. */
  readonly eve: TestClient
  /** A caller without a credential. */
  readonly anyone: TestClient
  /** Another key of ada's, with this scope. */
  keyOfAda(scope: 'read' | 'write' | 'admin', collectionId?: string): Promise<TestClient>
  /** Makes a collection of ada's. Returns its path after `/api`. */
  newCollection(options?: { public?: boolean }): Promise<{ path: string; id: string; slug: string }>
  /** `openPush` by ada. */
  opened(path: string, change: Change): Promise<string>
  /** `pushVersion` by ada. */
  push(path: string, change: Change): ReturnType<typeof pushVersion>
  end(): Promise<void>
}

export async function setStage(database: TestDatabase, overrides: Overrides = {}): Promise<Stage> {
  const { settings, dispose } = await database.settings()
  const server = await serveForTest(settings, overrides)
  const { cookie } = await server.signIn('ada')
  const other = await server.signIn('eve')
  const ada = testClient(server.url, await server.keyFor(cookie, 'write'))
  let made = 0
  return {
    server,
    ada,
    reader: testClient(server.url, await server.keyFor(cookie, 'read')),
    eve: testClient(server.url, await server.keyFor(other.cookie, 'write')),
    anyone: testClient(server.url),
    keyOfAda: async (scope, collectionId) =>
      testClient(
        server.url,
        await server.keyFor(cookie, scope, collectionId === undefined ? {} : { collectionId }),
      ),
    async newCollection(options = {}) {
      const slug = `collection-${++made}`
      const body = { slug, public: options.public ?? true }
      const { json } = await expectStatus(ada.post('/accounts/ada/collections', body), 201)
      return { path: `/collections/ada/${slug}`, id: json.id, slug }
    },
    opened: (path, change) => openPush(ada, path, change),
    push: (path, change) => pushVersion(ada, path, change),
    async end() {
      await server.close()
      await dispose()
    },
  }
}

/** An NDJSON line that puts a record of type `A`. */
export const put = (id: string, data: unknown = {}, more = {}) => ({ id, type: 'A', data, ...more })

/** Pushes by ada on the stage that `stage` returns at the time of the call. */
export function pushesOn(stage: () => Stage) {
  const newPath = async (isPublic = true) => (await stage().newCollection({ public: isPublic })).path
  return {
    /** Path of a new collection without a version. */
    newPath,
    /** A collection with `v1.0.0`: records 1 and 2 of type `A`. */
    async started(): Promise<string> {
      const path = await newPath()
      await stage().push(path, {
        opening: { schemas: { A: {} }, metadata: { license: 'MIT' } },
        puts: [put('1'), put('2')],
      })
      return path
    },
    /** Opens a push on a new collection. Returns the path of the session. */
    openedWith: async (schemas: Record<string, unknown>, more = {}) =>
      stage().opened(await newPath(), { opening: { schemas, ...more } }),
    state: async (session: string) => (await stage().ada.get(session)).json,
    recordsOf: async (path: string, client: TestClient = stage().ada) =>
      (await client.get(`${path}/versions/latest/records?limit=2000`)).json.records as {
        id: string
        type: string
        data: unknown
      }[],
  }
}
