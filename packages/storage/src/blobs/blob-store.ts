/** The port to where bytes lie: a folder or a bucket. `blob-store.contract.ts` is the suite that every store passes. */

/** Bytes [start, start + length) of a blob. */
export interface ByteRange {
  start: number
  length: number
}

export interface ListedBlob {
  name: string
  bytes: number
  modifiedAt: Date
}

/** Names come from names.ts; every call that takes one rejects a name that room would not make. */
export interface BlobStore {
  /**
   * Stores a blob, whole or not at all; durable when it resolves. Putting a name again replaces it in one step: a reader sees
   * the old bytes or the new. If `source` fails, nothing is left and its error is rethrown. A piece of `source` may be overwritten once
   * the next is requested. Resolves to the bytes written.
   */
  put(name: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<number>
  /**
   * A blob, or a part of it.
   * @throws BlobMissing when it is absent, or ends before the range does.
   */
  read(name: string, range?: ByteRange): Promise<Uint8Array>
  /**
   * In pieces, for blobs that do not fit in memory. The reader may stop at any time. Pieces are the reader's own; one that fills its
   * buffer may be transferred away once the next is requested. A blob replaced or removed meanwhile is
   * streamed as it was, or ends in an error: never a mixture.
   * @throws BlobMissing from the iterator.
   */
  stream(name: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Bytes, undefined when absent. */
  size(name: string): Promise<number | undefined>
  /** Ignores an absent blob. */
  remove(name: string): Promise<void>
  /** Blobs whose names begin with `prefix`, in any order. What comes or goes meanwhile may be listed or not. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /** Cheap; rejects when the store cannot be reached. */
  ping(): Promise<void>
  close(): Promise<void>
}
