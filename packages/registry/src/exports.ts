/**
 * A whole version as one `.tar.gz` (http-api §7), streamed, the same bytes every time:
 *
 * - `records/<Type>.ndjson`: canonical forms, one a line, by id. A line without its newline hashes to the record's hash; and because
 *   hashes are left out, the trees know the size of each file before anything is read.
 * - `schemas/<Type>.json`: each schema as RFC 8785 has it, whose hash is the schema's.
 * - `files/<64 hex>`: bare hex, since not every file system takes a name with a colon.
 * - `manifest.json`: which version this is, and its view document, whose hash is the version's digest. With it whoever has the content
 *   package can rebuild the trees and check that nothing is missing.
 */

import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { canonicalize, documentText, type Json, type ViewDocument, walkLeaves } from '@ulmus/content'
import { type Destination, readerOf } from './answer-room.ts'
import type { Context } from './context.ts'
import { checkedFile } from './files.ts'
import { instantText } from './instants.ts'
import { selectedTypes } from './places.ts'
import type { Principal } from './principal.ts'
import { streamRecords } from './record-stream.ts'
import { type TarEntry, tarOf } from './tar.ts'
import { semverOf, shownDigest, storedHash } from './version-making.ts'
import { type SeenVersion, seeVersion, type VersionPath } from './versions.ts'

export interface ExportArchive {
  /** Names the version and view, for an entity tag. */
  hash: string
  /** `<owner>-<slug>-<semver>.tar.gz` */
  fileName: string
  /** Nothing is read before it is iterated. It may be left at any time. */
  bytes: AsyncGenerator<Uint8Array>
}

const gzipLevel = 6
const gzipChunkBytes = 65_536

export type Exports = ReturnType<typeof exportsOf>

export function exportsOf(context: Context) {
  const { objects, blobs } = context

  return {
    /** @throws collection_not_found, version_not_found. */
    async open(who: Principal, path: VersionPath, to?: Destination): Promise<ExportArchive> {
      const asked = await seeVersion(context, who, path)
      const { seen, version } = asked
      return {
        hash: `export:${seen.view}:${version.id}`,
        fileName: `${seen.owner.slug}-${seen.collection.slug}-${semverOf(version)}.tar.gz`,
        bytes: gzipped(tarOf(entriesOf(asked, readerOf(who, to?.address)), version.createdAt)),
      }
    },
  }

  async function* entriesOf(asked: SeenVersion, reader: string): AsyncGenerator<TarEntry> {
    const { document } = asked
    const types = selectedTypes(document, undefined)
    for (const [type, tree] of types) {
      const name = `records/${type}.ndjson`
      // A newline a record beside what the tree counts.
      yield {
        name,
        size: tree.bytes + tree.count,
        content: streamRecords(context, tree, { form: 'canonical', reader }),
      }
    }
    for (const [type, { schema }] of types)
      yield wholeEntry(`schemas/${type}.json`, await objects.plain(schema))
    yield* fileEntries(document)
    yield wholeEntry('manifest.json', new TextEncoder().encode(manifestText(asked)))
  }

  async function* fileEntries(document: ViewDocument): AsyncGenerator<TarEntry> {
    for await (const { leaf } of walkLeaves(document.files, objects)) {
      for (const [index, key] of leaf.keys.entries()) {
        const content = checkedFile(blobs, storedHash(key))
        yield { name: `files/${key}`, size: leaf.sizes[index]!, content }
      }
    }
  }
}

const wholeEntry = (name: string, bytes: Uint8Array): TarEntry => ({
  name,
  size: bytes.length,
  content: [bytes],
})

function manifestText({ seen, version, document }: SeenVersion): string {
  const { message, appId, actorId } = version
  return canonicalize({
    semver: semverOf(version),
    hash: shownDigest(version, seen.view),
    message,
    appId,
    actorId,
    createdAt: instantText(version.createdAt),
    document: JSON.parse(documentText(document)) as Json,
  })
}

/** RFC 1952, without a name or a time in its header. Compressed in a thread of Node's pool. */
async function* gzipped(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: gzipLevel, chunkSize: gzipChunkBytes })
  // What fails here fails the iteration below.
  const pumped = pipeline(source, gzip).catch(() => undefined)
  try {
    yield* gzip
  } finally {
    gzip.destroy()
    await pumped
  }
}
