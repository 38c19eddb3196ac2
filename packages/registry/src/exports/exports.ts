/**
 * Exports a whole version as one streamed `.tar.gz` (http-api §7), with the same bytes every time:
 *
 * - `records/<Type>.ndjson`: canonical forms, one a line, by id. A line without its newline hashes to the record's hash. The
 *   lines contain no hashes, so the trees give the size of each file before anything is read.
 * - `schemas/<Type>.json`: each schema in canonical form (RFC 8785), which hashes to the schema's hash.
 * - `files/<64 hex>`: bare hex, since not every file system allows a colon in names.
 * - `manifest.json`: the version's number and its view document, which hashes to the version's digest. With the content package,
 *   a reader can rebuild the trees from it and check that nothing is missing.
 */

import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { canonicalize, type ViewRoots, walkLeaves } from '@ulmus/content'
import type { VersionPath } from '@ulmus/wire'
import { selectedTypes } from '../answers/places.ts'
import { readerOf } from '../budgets/answer-budget.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { checkedFile } from '../files/files.ts'
import type { Principal } from '../principal.ts'
import { streamRecords } from '../records/stream.ts'
import { digestOfView, documentBytes, semverOf, shownWords, storedHash } from '../versions/content.ts'
import { seeVersion, type VisibleVersion } from '../versions/versions.ts'
import { type TarEntry, tarOf } from './tar.ts'

/** An archive. `bytes` reads the version while the archive is sent. */
export interface ExportArchive {
  /** Identifies the version and view in an entity tag. */
  hash: string
  /** `<owner>-<slug>-<semver>.tar.gz` */
  fileName: string
  /** Reads nothing before its iteration, which may stop at any time. */
  bytes: AsyncGenerator<Uint8Array>
}

/** Part of the archive's bytes: with another level, the archives of existing versions change. */
const gzipLevel = 6
/** Size of the pieces that are sent. */
const gzipChunkBytes = 65_536

export type Exports = ReturnType<typeof exportsOf>

export function exportsOf(context: Context) {
  const { objects, blobs } = context

  return {
    /** @throws collection_not_found, version_not_found. */
    async open(who: Principal, path: VersionPath): Promise<ExportArchive> {
      const requested = await seeVersion(context, who, path)
      const { seen, version } = requested
      return {
        hash: `export:${seen.view}:${version.id}`,
        fileName: `${seen.owner.slug}-${seen.collection.slug}-${semverOf(version)}.tar.gz`,
        bytes: gzipped(tarOf(entriesOf(requested, readerOf(who)), version.createdAt)),
      }
    },
  }

  async function* entriesOf(requested: VisibleVersion, reader: string): AsyncGenerator<TarEntry> {
    const { roots } = requested
    const types = selectedTypes(roots, undefined)
    for (const [type, tree] of types) {
      const name = `records/${type}.ndjson`
      // The tree counts bytes without the newline of each record.
      yield {
        name,
        size: tree.bytes + tree.count,
        content: streamRecords(context, tree, { form: 'canonical', reader }),
      }
    }
    for (const [type, { schema }] of types)
      yield wholeEntry(`schemas/${type}.json`, await objects.plain(schema))
    yield* fileEntries(roots)
    yield await manifestOf(requested)
  }

  async function* fileEntries(roots: ViewRoots): AsyncGenerator<TarEntry> {
    for await (const { leaf } of walkLeaves(roots.files, objects)) {
      for (const [index, key] of leaf.keys.entries()) {
        const content = checkedFile(blobs, storedHash(key))
        yield { name: `files/${key}`, size: leaf.sizes[index]!, content }
      }
    }
  }

  /** Manifest in canonical form. Includes the document as stored: its metadata may have a MiB. */
  async function manifestOf({ seen, version }: VisibleVersion): Promise<TarEntry> {
    const { message, appId, actorId } = shownWords(version, seen.view)
    const before = canonicalize({ actorId, appId, createdAt: instantText(version.createdAt) })
    const after = canonicalize({ hash: digestOfView(version, seen.view), message, semver: semverOf(version) })
    const document = await documentBytes(context, version, seen.view)
    const start = Buffer.from(`${before.slice(0, -1)},"document":`)
    return wholeEntry('manifest.json', Buffer.concat([start, document, Buffer.from(`,${after.slice(1)}`)]))
  }
}

const wholeEntry = (name: string, bytes: Uint8Array): TarEntry => ({
  name,
  size: bytes.length,
  content: [bytes],
})

/** Compresses without a name or time in the header (RFC 1952), in a thread of Node's pool. */
async function* gzipped(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: gzipLevel, chunkSize: gzipChunkBytes })
  // An error here also fails the iteration below.
  const pumped = pipeline(source, gzip).catch(() => undefined)
  try {
    yield* gzip
  } finally {
    gzip.destroy()
    await pumped
  }
}
