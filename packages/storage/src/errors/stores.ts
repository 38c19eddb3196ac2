/**
 * Errors of stored bytes, which callers distinguish by class: missing, damaged, unreachable, swept. Each names the object or blob.
 * errors/storage-full.ts and unavailable.ts recognise those of other origin.
 */
import type { Hash } from '@ulmus/content'

/** A `plain` object is named by the hash of its own bytes, a `body` by the hash of the leaf whose records it contains. */
export type ObjectKind = 'plain' | 'body'

/** The store has no blob of this name, or the blob is shorter than the requested range. */
export class BlobMissingError extends Error {
  override name = 'BlobMissingError'
  readonly blob: string

  constructor(blob: string, options?: ErrorOptions) {
    super(`The object store lacks ${blob}, or a part of it.`, options)
    this.blob = blob
  }
}

/** The store does not answer or refuses access: a network problem, an outage, rejected credentials. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError'

  constructor(why: string, options?: ErrorOptions) {
    super(`The object store is not available: ${why}`, options)
  }
}

/** The configured bucket cannot be used. The message tells the operator the fault and the remedy. */
export class BucketUnusableError extends Error {
  override name = 'BucketUnusableError'
}

/** A pack whose magic, footer or trailer is damaged. */
export class PackCorruptError extends Error {
  override name = 'PackCorruptError'
  readonly pack: string

  constructor(pack: string, why: string, options?: ErrorOptions) {
    super(`The pack ${pack} is damaged: ${why}.`, options)
    this.pack = pack
  }
}

/** The index has no such object. */
export class ObjectMissingError extends Error {
  override name = 'ObjectMissingError'
  readonly hash: Hash
  readonly kind: ObjectKind

  constructor(kind: ObjectKind, hash: Hash) {
    super(`The ${kind} object ${hash} is not stored.`)
    this.kind = kind
    this.hash = hash
  }
}

/** The index has the object, but its bytes are gone or differ from the stored ones. */
export class ObjectCorruptError extends Error {
  override name = 'ObjectCorruptError'
  readonly hash: Hash
  readonly kind: ObjectKind
  readonly pack: string

  constructor(kind: ObjectKind, hash: Hash, pack: string, options?: ErrorOptions) {
    super(`The ${kind} object ${hash} in ${pack} is damaged.`, options)
    this.kind = kind
    this.hash = hash
    this.pack = pack
  }
}

/**
 * A sweep removed objects that a commit had found in the index and relied on; some may exist again in another form. Nothing is
 * recorded: the commit must be rebuilt from the current state of the index.
 */
export class ObjectsSweptError extends Error {
  override name = 'ObjectsSweptError'
  readonly objects: readonly { kind: ObjectKind; hash: Hash }[]

  constructor(objects: ObjectsSweptError['objects']) {
    const [{ kind, hash } = { kind: '', hash: '' }] = objects
    super(`The ${kind} object ${hash} was swept away while a commit relied on it (${objects.length} in all).`)
    this.objects = objects
  }
}
