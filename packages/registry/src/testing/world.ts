/** A registry with one account that pushes, forks, reads and deletes, for tests of lower layers. */
import { hash } from 'node:crypto'
import { type Json, type JsonObject, recordOf } from '@ulmus/content'
import type { AccountRow } from '@ulmus/storage'
import type { TestDatabase } from '@ulmus/storage/testing'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import type { Context } from '../context.ts'
import { filesOf } from '../files/files.ts'
import { metadataOf } from '../metadata/metadata.ts'
import type { CommitAnswer } from '../pushes/commit/commit.ts'
import type { PushOpening, SnapshotOpening } from '../pushes/opening/opening-body.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import { Snapshots } from '../pushes/snapshots.ts'
import { recordErasuresOf } from '../record-erasures/record-erasures.ts'
import { recordsOf } from '../records/records.ts'
import { restoresOf } from '../restores/restores.ts'
import { versionsOf } from '../versions/versions.ts'
import { withdrawalsOf } from '../withdrawals/withdrawals.ts'
import { addAccount, addCollection, addMember, callerOf, openContext, type TestContext } from './context.ts'
import { textOf } from './text-of.ts'

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
  confirm_public?: string[]
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** @param tap replaces parts of the context, for instance with a watched store */
export async function openWorld(
  database: TestDatabase,
  tap: (context: Context) => Partial<Omit<Context, 'log'>> = () => ({}),
) {
  const opened = await openContext(database)
  const context = { ...opened, ...tap(opened) }
  return inhabit(context, await settle(context))
}

/** Accounts of a world: Ada and her organization. */
export interface People {
  ada: AccountRow
  elms: AccountRow
}

export async function settle(context: Context): Promise<People> {
  const ada = await addAccount(context, 'ada')
  const elms = await addAccount(context, 'elms', 'org')
  await addMember(context, elms, ada, 'owner')
  return { ada, elms }
}

/** Services on a context, and functions that use them as Ada. @param server distinguishes worlds that share their stores */
export async function inhabit(context: TestContext, { ada, elms }: People, server = '') {
  const sessions = new PushSessions(context)
  const pushes = pushesOf(context, sessions)
  const snapshots = new Snapshots(context, sessions)
  const records = recordsOf(context)
  const files = filesOf(context)
  const forks = forksOf(context)
  const collections = collectionsOf(context)
  const metadata = metadataOf(context)
  const versions = versionsOf(context)
  const withdrawals = withdrawalsOf(context)
  const recordErasures = recordErasuresOf(context, pushes)
  const restores = restoresOf(context)
  await context.jobs.start()
  const me = callerOf(ada)
  let made = 0

  async function* body(values: readonly unknown[]): AsyncGenerator<Uint8Array> {
    yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
  }

  async function open(path: Path, { base, puts, deletes, ...rest }: Change): Promise<string> {
    const { session_id } = await pushes.open(
      me,
      path,
      body([{ base_version: base, ...rest }]),
      (outline) => outline as PushOpening,
    )
    if (puts?.length) await pushes.receive(me, path, session_id, 'records', body(puts))
    if (deletes?.length) await pushes.receive(me, path, session_id, 'deletes', body(deletes))
    return session_id
  }

  async function commit(path: Path, session: string): Promise<string> {
    return committed(await pushes.commit(me, path, session, { async: false }))
  }

  return {
    context,
    log: context.log,
    me,
    ada,
    collections,
    versions,
    withdrawals,
    recordErasures,
    restores,
    dispose: () => context.dispose(),
    async collection(): Promise<Path> {
      const { slug } = await addCollection(context, ada, {
        slug: `collection-${server}${++made}`,
        public: true,
      })
      return { owner: ada.slug, slug }
    },
    open,
    receive: (path: Path, session: string, puts: readonly unknown[]) =>
      pushes.receive(me, path, session, 'records', body(puts)),
    state: (path: Path, session: string) => pushes.state(me, path, session),
    cancel: (path: Path, session: string) => pushes.cancel(me, path, session),
    commit,
    dryRun: (path: Path, session: string) => pushes.dryRun(me, path, session),
    async push(path: Path, change: Change): Promise<string> {
      return commit(path, await open(path, change))
    },
    /** Pushes a snapshot of just these records. */
    async snapshot(path: Path, { base, schemas = {}, puts = [] }: Change): Promise<string> {
      const lines = puts as { id: string; type: string; data: Json }[]
      const manifest = lines.map(({ id, type, data }) => ({ id, type, hash: recordOf(id, type, data).hash }))
      const opening = { base_version: base, schemas, manifest }
      const asOpening = (rest: unknown) => rest as SnapshotOpening
      const { session_id, ...rest } = await snapshots.negotiate(me, path, body([opening]), asOpening)
      const needed = new Set<string>('needed_records' in rest ? rest.needed_records : [])
      const sent = lines.filter((_, n) => needed.has(manifest[n]!.hash))
      if (sent.length > 0) await snapshots.receive(me, path, session_id, body(sent))
      return committed(await snapshots.commit(me, path, session_id, { async: false }))
    },
    patch: (path: Path, patch: JsonObject) => metadata.update(me, path, patch),
    async fork(path: Path): Promise<Path> {
      const slug = `fork-${server}${++made}`
      await forks.create(me, path, { targetOrg: elms.slug, slug })
      return { owner: elms.slug, slug }
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
    /** NDJSON of a version's records, as members read it. */
    async read(path: Path, v = 'latest'): Promise<string> {
      const { lines } = await records.stream(me, { ...path, v }, {})
      return textOf(lines)
    },
  }
}

function committed(answer: CommitAnswer): string {
  if (answer.kind !== 'committed') throw new Error('a synchronous commit answers its result')
  return answer.result.semver
}
