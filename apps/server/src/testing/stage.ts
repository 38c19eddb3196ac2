/** Fixture for tests over HTTP: a server, users with keys, pushed collections. */
import type { TestDatabase } from '@ulmus/storage/testing'
import { type Asker, askerOf } from './asker.ts'
import { type Overrides, serveForTest, type TestServer } from './serve.ts'

export interface Change {
  /** Default: null, the first version. */
  base?: string | null
  /** The rest of the opening's body. */
  opening?: Record<string, unknown>
  puts?: readonly unknown[]
  deletes?: readonly unknown[]
}

export interface Stage {
  readonly server: TestServer
  /** Owns the collections; a write key. */
  readonly ada: Asker
  /** A read key of the same account. */
  readonly reader: Asker
  /** A stranger's write key. */
  readonly eve: Asker
  /** Without a credential. */
  readonly anyone: Asker
  /** A key of ada's with more to it. */
  keyOfAda(scope: 'read' | 'write' | 'admin', collectionId?: string): Promise<Asker>
  /** Makes a collection of ada's; its path after `/api`. */
  newCollection(options?: { public?: boolean }): Promise<{ path: string; id: string; slug: string }>
  /** Opens a push and sends its lines; the session's path. Throws when a step is refused. */
  opened(path: string, change: Change): Promise<string>
  /** A whole push; the commit's answer. Throws when a step is refused. */
  push(
    path: string,
    change: Change,
  ): Promise<{ semver: string; hash: string; recordCount: number; fileCount: number }>
  end(): Promise<void>
}

export async function setStage(database: TestDatabase, overrides: Overrides = {}): Promise<Stage> {
  const { settings, dispose } = await database.settings()
  const server = await serveForTest(settings, overrides)
  const { cookie } = await server.signIn('ada')
  const other = await server.signIn('eve')
  const ada = askerOf(server.url, await server.keyFor(cookie, 'write'))
  let made = 0

  async function opened(path: string, { base = null, opening, puts, deletes }: Change): Promise<string> {
    const open = await ada.post(`${path}/pushes`, { base_version: base, ...opening })
    if (open.status !== 201) throw new Error(`no push was opened: ${open.text}`)
    const session = `${path}/pushes/${open.json.session_id}`
    for (const [kind, lines] of [
      ['records', puts],
      ['deletes', deletes],
    ] as const) {
      const sent = lines === undefined ? undefined : await ada.lines(`${session}/${kind}`, lines)
      if (sent !== undefined && sent.status !== 200) throw new Error(`${kind} were refused: ${sent.text}`)
    }
    return session
  }

  return {
    server,
    ada,
    reader: askerOf(server.url, await server.keyFor(cookie, 'read')),
    eve: askerOf(server.url, await server.keyFor(other.cookie, 'write')),
    anyone: askerOf(server.url),
    keyOfAda: async (scope, collectionId) =>
      askerOf(
        server.url,
        await server.keyFor(cookie, scope, collectionId === undefined ? {} : { collectionId }),
      ),
    async newCollection(options = {}) {
      const slug = `collection-${++made}`
      const answer = await ada.post('/accounts/ada/collections', { slug, public: options.public ?? true })
      if (answer.status !== 201) throw new Error(`no collection was made: ${answer.text}`)
      return { path: `/collections/ada/${slug}`, id: answer.json.id as string, slug }
    },
    opened,
    async push(path, change) {
      const answer = await ada.post(`${await opened(path, change)}/commit`)
      if (answer.status !== 201) throw new Error(`no version was made: ${answer.text}`)
      return answer.json
    },
    async end() {
      await server.close()
      await dispose()
    },
  }
}
