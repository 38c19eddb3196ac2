/** A registry with some data of every kind and digests to compare it with, for tests that move or back it up. */
import { createHash } from 'node:crypto'
import type { Registry } from '../open.ts'
import type { Caller } from '../principal.ts'
import { openStores, type StoresConfig } from '../stores/stores.ts'
import { start } from './home.ts'

/** A collection with several versions. */
export const kept = { owner: 'ada', slug: 'kept' }
const records = 2_000

export interface Filled {
  /** Path, semver and digests of both views, for every version of every collection. */
  readonly versions: readonly Record<string, unknown>[]
  /** SHA-256 of every uploaded file. */
  readonly files: readonly string[]
}

/** Ada, with her session. Her first call signs her up. */
export async function me(registry: Registry): Promise<Caller> {
  const { id, slug } = await registry.accounts.signIn({
    issuer: 'test',
    subject: 'ada',
    preferredUsername: 'ada',
    email: 'ada@example.org',
    name: 'Ada “the first” – ÿ',
  })
  return {
    ...{ kind: 'session', accountId: id, accountSlug: slug, scope: 'admin' },
    ...{ limitedTo: null, credential: null, expiresAt: null },
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Opens a push with some lines, and leaves it open. @returns its id */
export async function openPush(
  registry: Registry,
  path = kept,
  lines = ['{"id":"open","type":"Item","data":{}}'],
) {
  const who = await me(registry)
  const { items } = await registry.versions.list(who, path, { limit: 1 })
  const base_version = items[0]?.semver ?? null
  const opening = { base_version, ...(base_version === null && { schemas: { Item: { type: 'object' } } }) }
  const { session_id } = await registry.pushes.open(who, path, bytesOf(JSON.stringify(opening)), () => ({
    base_version,
  }))
  await registry.pushes.receive(who, path, session_id, 'records', bytesOf(lines.join('\n')))
  return session_id
}

async function push(registry: Registry, path: typeof kept, lines: string[]): Promise<void> {
  const session = await openPush(registry, path, lines)
  await registry.pushes.commit(await me(registry), path, session, { async: false })
}

async function upload(registry: Registry, path: typeof kept, text: string): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex')
  await registry.files.put(
    await me(registry),
    { ...path, hash: `sha256:${hash}` },
    { body: bytesOf(text), contentType: 'text/plain' },
  )
  return `sha256:${hash}`
}

/** Pushes another version, with a file. */
export async function pushMore(registry: Registry, name: string): Promise<void> {
  const file = await upload(registry, kept, `the file of ${name}`)
  const data = { name, file: { $file: file } }
  await push(registry, kept, [JSON.stringify({ id: `more-${name}`, type: 'Item', data })])
}

/** Starts a server, fills it with accounts, collections, versions of every kind and files, and stops it. */
export async function fillWithAll(config: StoresConfig): Promise<Filled> {
  const registry = await start(config)
  try {
    const who = await me(registry)
    for (const slug of ['kept', 'other']) await registry.collections.create(who, 'ada', { slug })
    const line = (i: number, text: string) =>
      JSON.stringify({ id: `r${i}`, type: 'Item', data: { text, i }, ...(i % 10 === 0 && { private: true }) })
    await push(
      registry,
      kept,
      Array.from({ length: records }, (_, i) => line(i, `record ${i} `.repeat(i % 7))),
    )
    await push(
      registry,
      kept,
      Array.from({ length: 50 }, (_, i) => line(i * 31, 'changed')),
    )
    await pushMore(registry, 'first')
    await push(registry, { ...kept, slug: 'other' }, [line(1, 'of another collection')])
    await registry.metadata.update(who, kept, { description: 'What is kept', readme: '# Kept' })
    await registry.accounts.createOrg(who, { slug: 'acme', displayName: 'Acme' })
    await registry.forks.create(who, kept, { targetOrg: 'acme' })
    await upload(registry, kept, 'a file that no version has')
  } finally {
    await registry.close()
  }
  return digestsOf(config)
}

/** Digests of all versions, read from the stores, without a server. */
export async function digestsOf(config: StoresConfig): Promise<Filled> {
  await using opened = new AsyncDisposableStack()
  const { database, blobs } = await openStores(config, opened, 'check')
  const { rows: versions } = await database.query(
    `select a.slug as owner, c.slug, v.major, v.minor, v.patch, v.full_digest, v.public_digest, v.sidecar, v.made_by, v.created_at
     from versions v join collections c on c.id = v.collection_id join accounts a on a.id = c.owner_id
     order by 1, 2, v.major, v.minor, v.patch`,
  )
  const files: string[] = []
  for await (const { name } of blobs.list('files/')) {
    const hash = createHash('sha256')
    for await (const piece of blobs.stream(name)) hash.update(piece)
    files.push(hash.digest('hex'))
  }
  return { versions, files: files.sort() }
}
