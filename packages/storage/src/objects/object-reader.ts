/**
 * Reads objects by name and verifies them. One reader per process, shared by all requests: it caches recent reads, and
 * concurrent reads of one object share one read.
 */
import {
  type Child,
  decodeStoredNode,
  encodeNode,
  type Hash,
  type NodeReader,
  parseDocument,
  type TreeNode,
  type ViewDocument,
} from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Database } from '../database/database.ts'
import { ObjectCorruptError, type ObjectKind } from '../errors/stores.ts'
import type { EncodedObject } from '../packs/encoded-object.ts'
import type { DamagedObject } from '../sql/objects/damaged-objects.ts'
import { packsOf } from '../sql/objects/inline-packs.ts'
import { type ObjectName, type ObjectPlace, objectKey } from '../sql/objects/objects.ts'
import { openObjectIndex } from './object-index.ts'
import { findDamaged, loadObject, readEncoded } from './object-loader.ts'
import { openReadCache } from './read-cache.ts'

/**
 * Every read rejects with ObjectMissingError if the index lacks the object, and with ObjectCorruptError if its bytes differ from the stored
 * ones. Results are shared with other readers and must not be changed.
 */
export interface ObjectReader extends NodeReader {
  node(hash: Hash): Promise<TreeNode>
  /** Not cached: for objects that are read once (large records) or cached elsewhere in another form (schemas). */
  plain(hash: Hash): Promise<Uint8Array>
  /** The records of a leaf as NDJSON, in entry order. */
  body(leaf: Hash): Promise<Uint8Array>
  /** A document in stored form. Cached. */
  documentBytes(digest: Hash): Promise<Uint8Array>
  /** Like `documentBytes`, but parsed on each call: some 50 ms for a MiB of metadata. */
  document(digest: Hash): Promise<ViewDocument>
  /** Decodes a plain object and caches the result, deeply frozen. All callers must use the same decoder for one hash. */
  decoded<T extends object>(hash: Hash, decode: (raw: Uint8Array) => T): Promise<T>
  /** Caches a document that was just stored, given its text. */
  primeDocument(digest: Hash, text: string): void
  /**
   * The reader for a scan over that many bytes of records: this one if they are a small part of its cache; otherwise one
   * that uses the cache but adds no leaves and no bodies, so that a long scan does not evict frequently read objects.
   */
  scanReader(bytes: number): ObjectReader
  /**
   * Caches the locations of these leaves and their bodies with one statement, or a few, so that reading them needs no look-up. Best for
   * many leaves that are about to be read. Leaves that the index lacks are skipped.
   */
  prefetch(leaves: readonly Hash[]): Promise<void>
  /**
   * Decides whether to read a leaf with this many bytes of records through the cache: it is cached, is worth caching, or there is space.
   * If not, a reader of a small part should read its stored form.
   */
  shouldCache(leaf: Pick<Child, 'hash' | 'bytes'>): boolean
  /**
   * A leaf and its body in stored form, for another thread to decode. Bypasses the cache.
   * @param unrecorded locations that a running commit knows and the index lacks (`ObjectWriter.closePack`)
   */
  encodedLeaf(leaf: Hash, unrecorded?: Places): Promise<EncodedLeaf>
  /** An object in stored form, in the same way. */
  encoded(name: ObjectName, unrecorded: Places): Promise<EncodedObject>
  /** Two leaves, or their bodies, in stored form. A base that they share is read once. */
  encodedPair(kind: ObjectKind, leaves: readonly [Hash, Hash]): Promise<[EncodedObject, EncodedObject]>
  /** Locations of an object and its bases, the object first: a delta to it extends this chain. */
  chain(kind: ObjectKind, hash: Hash): Promise<ObjectPlace[]>
  /** Evicts the object's location, so that the next `chain` queries the index. For objects that turn out to have moved. */
  forget(kind: ObjectKind, hash: Hash): void
  /**
   * Those of the objects that the index has and whose stored bytes, or those of a base, are damaged. Objects found intact are
   * not read again for a while.
   */
  damagedOf(names: readonly ObjectName[]): Promise<DamagedObject[]>
  /** Raw bytes of any object, from the cache, or read without caching. */
  raw(kind: ObjectKind, hash: Hash): Promise<Uint8Array>
  /** Estimated size of the caches. Bytes, at most `cacheBytesMax`. */
  cachedBytes(): number
}

/** Locations by `objectKey`. */
type Places = ReadonlyMap<string, ObjectPlace>

/** A leaf as it is stored. */
export interface EncodedLeaf {
  node: EncodedObject
  body: EncodedObject
}

/**
 * Shares of the cache. A leaf's node and its body are read together, so caching only one of them helps little: a typical
 * body takes 3.5 times the size of its decoded node. Documents and the index are small.
 */
const shares = { nodes: 0.18, bodies: 0.55, documents: 0.07, decoded: 0.08, places: 0.12 }
/** Part of the body cache that one scan may fill. */
const walkShare = 1 / 8
/** Size of a decoded leaf relative to its text, which its strings are slices of. */
const decodedNodeFactor = 2
/** Size of decoded JSON relative to its text. */
const decodedJsonFactor = 3

/** Maximum number of objects remembered as intact, some 200 bytes each. Every push sends schemas. */
const wholeMax = 20_000
/** Time for which an object counts as intact without another read. Milliseconds. */
const wholeMilliseconds = 600_000

/** @param options.cacheBytesMax Maximum size of all caches together. Bytes. */
export function openObjectReader(options: {
  database: Database
  blobs: BlobStore
  cacheBytesMax: number
}): ObjectReader {
  const { cacheBytesMax } = options
  const packs = packsOf(options)
  const index = openObjectIndex({ database: options.database, bytesMax: cacheBytesMax * shares.places })
  const caches = openCaches(cacheBytesMax)
  const { nodes, bodies, documents, decodeds, plains } = caches
  const load = loaderOf({ index, packs, kept: caches.kept })
  const reader: ObjectReader = {
    node: (hash) => nodes.get(hash, () => load.node(hash)),
    plain: (hash) => plains.get(hash, () => load.bytes('plain', hash)),
    body: (leaf) => bodies.get(leaf, () => load.bytes('body', leaf)),
    documentBytes: (digest) => documents.get(digest, () => load.bytes('plain', digest)),
    async document(digest) {
      const bytes = await reader.documentBytes(digest)
      try {
        return parseDocument(bytes)
      } catch (cause) {
        const [place] = await index.find('plain', digest)
        throw new ObjectCorruptError('plain', digest, place!.pack, { cause })
      }
    },
    decoded: async <T extends object>(hash: Hash, decode: (raw: Uint8Array) => T) =>
      (await decodeds.get(hash, () => load.json(hash, (raw) => freezeThrough(decode(raw))))) as T,
    primeDocument(digest, text) {
      if (documents.peek(digest) !== undefined) return
      const bytes = Buffer.from(text)
      documents.keep(digest, bytes, bytes.length)
    },
    scanReader: (bytes) => (bytes <= cacheBytesMax * shares.bodies * walkShare ? reader : walker),
    prefetch: (leaves) => index.prefetch(leaves),
    shouldCache: ({ hash, bytes }) => bodies.shouldCache(hash, bytes),
    chain: (kind, hash) => index.find(kind, hash),
    forget: (kind, hash) => index.forget(kind, hash),
    raw: async (kind, hash) => caches.kept(kind, hash) ?? (await load.raw(kind, hash)),
    cachedBytes: () => caches.bytes() + index.bytes(),
    ...storedFormsOf({ index, packs, kept: () => undefined }),
  }
  const walker: ObjectReader = {
    ...reader,
    // Interior nodes are few, and every scan and search begins with them.
    node: (hash) => nodes.get(hash, () => load.node(hash), isInterior),
    body: (leaf) => bodies.get(leaf, () => load.bytes('body', leaf), never),
  }
  return reader
}

function openCaches(bytesMax: number) {
  const nodes = openReadCache<TreeNode>(bytesMax * shares.nodes)
  const bodies = openReadCache<Uint8Array>(bytesMax * shares.bodies)
  const documents = openReadCache<Uint8Array>(bytesMax * shares.documents)
  const decodeds = openReadCache<object>(bytesMax * shares.decoded)
  return {
    ...{ nodes, bodies, documents, decodeds },
    /** Shares concurrent reads and caches nothing. */
    plains: openReadCache<Uint8Array>(0),
    /** Raw bytes of an object cached in any form. A node has one encoding, so re-encoding yields the bytes it was read from. */
    kept(kind: ObjectKind, hash: Hash): Uint8Array | undefined {
      if (kind === 'body') return bodies.peek(hash)
      const node = nodes.peek(hash)
      return node && Buffer.from(encodeNode(node))
    },
    bytes: () => nodes.bytes() + bodies.bytes() + documents.bytes() + decodeds.bytes(),
  }
}

type Stores = Parameters<typeof loadObject>[0]

/** Reads and decodes; `bytes` is the value's cost in the cache. */
function loaderOf(stores: Stores) {
  async function decoded<T>(
    hash: Hash,
    decode: (raw: Uint8Array) => T,
    factor: number,
  ): Promise<{ value: T; bytes: number }> {
    const { pack, raw } = await loadObject(stores, 'plain', hash)
    try {
      return { value: decode(raw), bytes: raw.length * factor }
    } catch (cause) {
      throw new ObjectCorruptError('plain', hash, pack, { cause })
    }
  }
  return {
    node: (hash: Hash) => decoded(hash, decodeStoredNode, decodedNodeFactor),
    json: (hash: Hash, decode: (raw: Uint8Array) => object) => decoded(hash, decode, decodedJsonFactor),
    raw: async (kind: ObjectKind, hash: Hash) => (await loadObject(stores, kind, hash)).raw,
    async bytes(kind: ObjectKind, hash: Hash) {
      const { raw } = await loadObject(stores, kind, hash)
      return { value: raw, bytes: raw.length }
    },
  }
}

/** Reads of stored forms, bypassing the caches. */
function storedFormsOf(
  stores: Stores,
): Pick<ObjectReader, 'encodedLeaf' | 'encoded' | 'encodedPair' | 'damagedOf'> {
  /** Objects recently found intact. */
  const whole = new LRUCache<string, true>({ max: wholeMax, ttl: wholeMilliseconds })
  return {
    async encodedLeaf(leaf, unrecorded) {
      const [node, body] = await readEncoded(withPlaces(stores, unrecorded), [nodeOf(leaf), bodyOf(leaf)])
      return { node: node!, body: body! }
    },
    async encoded(name, unrecorded) {
      const [encoded] = await readEncoded(withPlaces(stores, unrecorded), [name])
      return encoded!
    },
    async encodedPair(kind, leaves) {
      const [one, other] = await readEncoded(
        stores,
        leaves.map((hash) => ({ kind, hash })),
      )
      return [one!, other!]
    },
    async damagedOf(names) {
      const unseen = names.filter((name) => !whole.has(objectKey(name)))
      if (unseen.length === 0) return []
      const damaged = await findDamaged(stores, unseen)
      const keys = new Set(damaged.map(objectKey))
      for (const name of unseen) if (!keys.has(objectKey(name))) whole.set(objectKey(name), true)
      return damaged
    },
  }
}

/** The stores with an index that also has the given locations. */
function withPlaces({ index, ...stores }: Stores, places: Places = new Map()): Stores {
  return {
    ...stores,
    index: {
      ...index,
      async find(kind, hash) {
        const place = places.get(objectKey({ kind, hash }))
        if (place === undefined) return index.find(kind, hash)
        const [base] = place.bases
        return [place, ...(base === undefined ? [] : await this.find(kind, base))]
      },
    },
  }
}

const nodeOf = (hash: Hash): ObjectName => ({ kind: 'plain', hash })
const bodyOf = (hash: Hash): ObjectName => ({ kind: 'body', hash })
const isInterior = (node: TreeNode): boolean => node.kind === 'node'
const never = (): boolean => false

function freezeThrough<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freezeThrough(member)
    Object.freeze(value)
  }
  return value
}
