/**
 * Inline packs: small packs that are stored in the database until they are compacted, many into one blob. A
 * version with small objects thus becomes durable with a single commit, and thousands of them become one blob.
 *
 *     recorded with its version ──▶ inline ── compacted: its objects copied into a pack of many, its rows redirected ──▶ gone
 *
 * The index cannot be rebuilt from blobs alone: a rebuild must read the inline packs too.
 */
import { pgTable } from 'drizzle-orm/pg-core'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Database, Queries, Tx } from '../../database/database.ts'
import { BlobMissingError } from '../../errors/stores.ts'
import type { PackEntry, PackSource } from '../../packs/pack.ts'
import { bytes, bytewiseText } from '../columns/columns.ts'

export const inlinePacks = pgTable('inline_packs', {
  /** Name that the pack would have in the blob store. */
  name: bytewiseText('name').primaryKey(),
  /** Content as in a blob: up to some 64 KiB, `inlineBytesMax` of packs/pack.ts. */
  content: bytes('content').notNull(),
})

/** Reads packs from the blob store, where nearly all are, or inline. */
export function packsOf({
  database,
  blobs,
}: {
  database: Database
  blobs: BlobStore
}): PackSource & Pick<BlobStore, 'stream'> {
  return {
    async size(name) {
      return (await blobs.size(name)) ?? (await contentOf(database, name))?.length
    },
    async read(name, range) {
      try {
        return await blobs.read(name, range)
      } catch (error) {
        if (!(error instanceof BlobMissingError)) throw error
        const content = await contentOf(database, name)
        const { start, length } = range ?? { start: 0, length: content?.length ?? 0 }
        if (content === undefined || start + length > content.length) throw error
        return content.subarray(start, start + length)
      }
    },
    async *stream(name) {
      let passed = 0
      try {
        for await (const piece of blobs.stream(name)) {
          passed += piece.length
          yield piece
        }
      } catch (error) {
        const content = error instanceof BlobMissingError ? await contentOf(database, name) : undefined
        if (content === undefined) throw error
        yield content.subarray(passed)
      }
    },
  }
}

async function contentOf(at: Queries, name: string): Promise<Uint8Array | undefined> {
  const { rows } = await at.query<Pick<InlinePack, 'content'>>(
    'select content from inline_packs where name = $1',
    [name],
    'content_of_inline_pack',
  )
  return rows[0]?.content
}

/** An inline pack as the compaction reads it. */
export interface InlinePack {
  id: number
  name: string
  content: Uint8Array
  /** Its entries in the index, in the order of their offsets. */
  entries: PackEntry[]
}

/** The inline packs that were recorded first. */
export async function oldestInlinePacks(at: Queries, max: number): Promise<InlinePack[]> {
  const found = await at.query<Omit<InlinePack, 'entries'>>(
    `select p.id, p.name, i.content from inline_packs i join packs p using (name) order by p.id limit $1`,
    [max],
  )
  const packs = found.rows.map((row) => ({ ...row, entries: [] as PackEntry[] }))
  const byId = new Map(packs.map((pack) => [pack.id, pack]))
  const { rows } = await at.query<PackEntry & { pack: number }>(
    `select pack_id as pack, hash, kind, "offset", length, crc, checksum, bases from objects
     where pack_id = any($1::integer[]) order by pack_id, "offset"`,
    [[...byId.keys()]],
  )
  for (const { pack, ...entry } of rows) byId.get(pack)?.entries.push(entry)
  return packs
}

/** Source that reads the given inline packs from memory. */
export function foundPacks(packs: readonly InlinePack[]): Pick<PackSource, 'read'> {
  const contents = new Map(packs.map(({ name, content }) => [name, content]))
  return {
    async read(name, range) {
      const content = contents.get(name)
      if (content === undefined) throw new BlobMissingError(name)
      return content.subarray(range?.start ?? 0, range && range.start + range.length)
    },
  }
}

/** Drops those of the packs that the index no longer refers to. */
export async function dropInlinePacks(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    `with gone as (
       delete from packs p where id = any($1::integer[]) and not exists (select from objects o where o.pack_id = p.id)
       returning name)
     delete from inline_packs i using gone where i.name = gone.name`,
    [ids],
  )
}

/** Puts inline packs into the blob store, each under its name, as if it had never been inline. */
export async function putInlinePacks(
  { database, blobs }: { database: Database; blobs: BlobStore },
  packs: readonly Pick<InlinePack, 'name' | 'content'>[],
): Promise<void> {
  for (const { name, content } of packs) await blobs.put(name, content)
  const names = packs.map(({ name }) => name)
  await database.transactOnce((tx) =>
    tx.query('delete from inline_packs where name = any($1::text[])', [names]),
  )
}

/** All inline packs, whether the index refers to them or not, in batches; each batch is read from those that remain. */
export async function* inlinePacksLeft(
  at: Queries,
  atOnce: number,
): AsyncGenerator<Pick<InlinePack, 'name' | 'content'>[]> {
  for (;;) {
    const { rows } = await at.query<Pick<InlinePack, 'name' | 'content'>>(
      'select name, content from inline_packs order by name limit $1',
      [atOnce],
    )
    if (rows.length === 0) return
    yield rows
  }
}
