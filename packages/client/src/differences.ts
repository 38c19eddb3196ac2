/** Manifests and differences of versions, page by page. http-api §7. */
import type { DiffPage, Manifest, ManifestEntry } from '@ulmus/wire'
import { call } from './calls.ts'
import { cursorAfter } from './cursor.ts'
import { onward } from './lists.ts'
import { type CollectionRef, versionParts } from './places.ts'
import { demandSame } from './subject.ts'
import type { Transport } from './transport.ts'

export interface ManifestOptions {
  /** A version that the caller has, by semver or digest: pages then contain only the changes since, as `delta`. */
  readonly since?: string
  /** Records per page: at most 10,000, default 1,000. */
  readonly limit?: number
  /** Begin after this record: `cursorAfter(type, id)`, or a page's `nextCursor`. */
  readonly cursor?: string
  readonly signal?: AbortSignal
}

export interface DiffOptions {
  /** Differences per page: at most 2,000, default 500. */
  readonly limit?: number
  /** Begin after this record: `cursorAfter(type, id)`, or a page's `nextCursor`. */
  readonly cursor?: string
  readonly signal?: AbortSignal
}

/**
 * Entries of one type in the manifest of a version, a page at a time.
 * @param pages lists the manifest: `(options) => client.versions.manifest('ada/birds', 'v1.0.0', options)`
 */
export async function* entriesOfType(
  pages: (options: ManifestOptions) => AsyncIterable<Manifest>,
  type: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly ManifestEntry[], void, undefined> {
  // Records are in the order of types. Ids are never empty, so this is the position before the first record.
  for await (const { records = [] } of pages({ cursor: cursorAfter(type, ''), limit: 10_000, signal })) {
    const entries = records.filter((entry) => entry.type === type)
    yield entries
    if (entries.length < records.length) return
  }
}

/** Pages of a manifest, fetched on demand. `latest` is resolved once, with the first page. */
export async function* manifestPages(
  transport: Transport,
  ref: CollectionRef,
  version: string,
  { signal, ...query }: ManifestOptions,
): AsyncGenerator<Manifest, void, undefined> {
  const go = onward()
  let fixed = version
  for (let cursor = query.cursor; ; ) {
    const page = await call(
      transport,
      'GET /api/collections/:owner/:slug/versions/:v/manifest',
      versionParts(ref, fixed),
      { query: { ...query, cursor }, signal },
    )
    yield page
    const { hasMore, nextCursor } = page.pagination
    if (!hasMore || nextCursor === null) return
    fixed = page.semver
    go(nextCursor)
    cursor = nextCursor
  }
}

/**
 * Pages of the differences between two versions, fetched on demand. `latest` is resolved once, likewise. `from` may belong to another
 * collection: `owner/slug@v1.0.0`.
 */
export async function* diffPages(
  transport: Transport,
  ref: CollectionRef,
  versions: { from: string; to: string },
  { signal, ...query }: DiffOptions,
): AsyncGenerator<DiffPage, void, undefined> {
  const go = onward()
  let { from, to } = versions
  for (let cursor = query.cursor; ; ) {
    const page = await call(
      transport,
      'GET /api/collections/:owner/:slug/versions/:v/diff',
      versionParts(ref, to),
      { query: { ...query, from, cursor }, signal },
    )
    demandVersion(from, page.from!)
    yield page
    const { hasMore, nextCursor } = page.pagination
    if (!hasMore || nextCursor === null) return
    from = page.from!
    to = page.to
    go(nextCursor)
    cursor = nextCursor
  }
}

/** A name that a registry resolves: `latest`, a digest, or one with a prefix. Only a plain semver comes back unchanged. */
const demandVersion = (asked: string, found: string): void =>
  demandSame('the differences from', /^v[\d.]+$/.test(asked) ? asked : undefined, found)
