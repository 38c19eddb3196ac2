/** In-memory blob store for tests and for measurements without a disk. It passes the contract suite, but nothing survives the process. */

import { BlobMissingError } from '../errors/stores.ts'
import type { BlobStore, ByteRange } from './blob-store.ts'
import { checkedName } from './names.ts'

export function openMemoryStore(): BlobStore {
  const blobs = new Map<string, { bytes: Uint8Array; modifiedAt: Date }>()

  function part(name: string, range?: ByteRange): Uint8Array {
    const blob = blobs.get(checkedName(name))
    if (blob === undefined) throw new BlobMissingError(name)
    if (range === undefined) return blob.bytes
    if (range.start + range.length > blob.bytes.length) throw new BlobMissingError(name)
    return blob.bytes.subarray(range.start, range.start + range.length)
  }

  return {
    async put(name, source) {
      checkedName(name)
      const bytes = await gather(source)
      blobs.set(name, { bytes, modifiedAt: new Date() })
      return bytes.length
    },
    read: async (name, range) => new Uint8Array(part(name, range)),
    async *stream(name, range) {
      yield new Uint8Array(part(name, range))
    },
    size: async (name) => blobs.get(checkedName(name))?.bytes.length,
    async remove(name) {
      blobs.delete(checkedName(name))
    },
    async *list(prefix) {
      for (const [name, { bytes, modifiedAt }] of [...blobs]) {
        if (name.startsWith(prefix)) yield { name, bytes: bytes.length, modifiedAt }
      }
    },
    ping: async () => undefined,
    close: async () => undefined,
  }
}

async function gather(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return new Uint8Array(source)
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(new Uint8Array(chunk))
  return Buffer.concat(chunks)
}
