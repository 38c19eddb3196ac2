/**
 * Port to a blob store: a folder on disk or a bucket, for packs, files and received pushes. Commits rely on these promises of atomicity and
 * durability; every store proves them with the suite `blob-store.contract.ts`.
 */

/** Byte range [start, start + length) of a blob. */
export interface ByteRange {
  start: number
  length: number
}

/** A blob as listings have it; sweeps compare its age with their grace period. */
export interface ListedBlob {
  name: string
  bytes: number
  modifiedAt: Date
}

/** Blob names come from names.ts; every method rejects a name that names.ts cannot produce. */
export interface BlobStore {
  /**
   * Stores a blob, whole or not at all; it is durable when this resolves. Replacing a blob is atomic: a reader sees the old bytes or the
   * new. If `source` fails, nothing is stored and its error is rethrown. `source` may reuse the buffer of a piece once the next is
   * requested. Resolves to the number of bytes written.
   */
  put(name: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<number>
  /**
   * Reads a blob or a range of it.
   * @throws BlobMissingError if the blob is absent or shorter than the range.
   */
  read(name: string, range?: ByteRange): Promise<Uint8Array>
  /**
   * Streams a blob in pieces, for blobs that do not fit in memory. The reader may stop at any time. The reader owns each piece, and may
   * transfer one that fills its buffer once it requests the next. If the blob is replaced or removed during the read, the
   * stream yields the old bytes or fails; it never mixes old and new.
   * @throws BlobMissingError from the iterator.
   */
  stream(name: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Size in bytes, or undefined if the blob is absent. */
  size(name: string): Promise<number | undefined>
  /** Ignores an absent blob. */
  remove(name: string): Promise<void>
  /** Lists blobs whose names begin with `prefix`, in any order. Blobs written or removed during the listing may or may not appear. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /** Cheap; rejects when the store cannot be reached. */
  ping(): Promise<void>
  close(): Promise<void>
}
