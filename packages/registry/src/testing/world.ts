/** A registry with one account that pushes, forks, reads and deletes for real: for tests of what goes on beneath. */
import { hash } from 'node:crypto'
import type { JsonObject } from '@ulmus/content'
import type { TestDatabase } from '@ulmus/storage/testing'
import { collectionsOf } from '../collections.ts'
import type { Context } from '../context.ts'
import { filesOf } from '../files.ts'
import { forksOf } from '../forks.ts'
import { metadataOf } from '../metadata.ts'
import { pushSessionsOf } from '../pushes/sessions.ts'
import { pushesOf } from '../pushes.ts'
import { recordsOf } from '../records.ts'
import { addAccount, addCollection, addMember, callerOf, openContext } from './context.ts'

export interface Path {
  owner: string
  slug: string
}

export interface Change {
  base: string | null
  schemas?: JsonObject
  puts?: unknown[]
  deletes?: { id: string; type: string }[]
  metadata?: JsonObject
  files?: string[]
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** @param tap Puts something between the services and the context, such as a store that is watched. */
export async function openWorld(
  database: TestDatabase,
  tap: (context: Context) => Partial<Context> = () => ({}),
) {
  const opened = await openContext(database)
  const context: Context = { ...opened, ...tap(opened) }
  const pushes = pushesOf(context, pushSessionsOf(context))
  const records = recordsOf(context)
  const files = filesOf(context)
  const forks = forksOf(context)
  const collections = collectionsOf(context)
  const metadata = metadataOf(context)
  await context.jobs.start()
  const account = await addAccount(context, 'ada')
  const org = await addAccount(context, 'elms', 'org')
  await addMember(context, org, account, 'owner')
  const me = callerOf(account)
  let made = 0

  async function* body(values: readonly unknown[]): AsyncGenerator<Uint8Array> {
    yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
  }

  async function open(path: Path, { base, puts, deletes, ...rest }: Change): Promise<string> {
    const { session_id } = await pushes.open(me, path, { base_version: base, ...rest })
    if (puts?.length) await pushes.receive(me, path, session_id, 'records', body(puts))
    if (deletes?.length) await pushes.receive(me, path, session_id, 'deletes', body(deletes))
    return session_id
  }

  return {
    context,
    log: opened.log,
    me,
    org,
    collections,
    dispose: () => opened.dispose(),
    async collection(): Promise<Path> {
      const { slug } = await addCollection(context, account, { slug: `collection-${++made}`, public: true })
      return { owner: account.slug, slug }
    },
    open,
    cancel: (path: Path, session: string) => pushes.cancel(me, path, session),
    async push(path: Path, change: Change): Promise<string> {
      const answer = await pushes.commit(me, path, await open(path, change), { async: false })
      if (answer.kind !== 'committed') throw new Error('a synchronous commit answers its result')
      return answer.result.semver
    },
    patch: (path: Path, patch: JsonObject) => metadata.update(me, path, patch),
    async fork(path: Path): Promise<Path> {
      const slug = `fork-${++made}`
      await forks.create(me, path, { targetOrg: org.slug, slug })
      return { owner: org.slug, slug }
    },
    remove: (path: Path) => collections.remove(me, path),
    async upload(path: Path, text: string): Promise<string> {
      const name = `sha256:${hash('sha256', text)}`
      async function* bytes() {
        yield Buffer.from(text)
      }
      await files.put(me, { ...path, hash: name }, { body: bytes(), contentType: 'text/plain' })
      return name
    },
    /** NDJSON of a version's records, as a member sees them. */
    async read(path: Path, v = 'latest'): Promise<string> {
      const { lines } = await records.stream(me, { ...path, v }, {})
      const chunks: Uint8Array[] = []
      for await (const chunk of lines) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
