/**
 * Writes one commit's new objects into packs: skips objects that the index has, and stores similar ones as deltas. The packs are durable
 * before the commit's transaction records them (`recordPacks`); after a failure the caller must call `abort`.
 */
import { randomUUID } from 'node:crypto'
import { type Hash, hashBytes } from '@ulmus/content'
import type { BlobStore } from '../blobs/blob-store.ts'
import { packName } from '../blobs/names.ts'
import type { Database } from '../database/database.ts'
import type { ObjectKind } from '../errors/stores.ts'
import { decodeObject, objectBytesMax } from '../packs/codec.ts'
import { encodeAlone, encodeReplacing, type StoredForm } from '../packs/delta.ts'
import { decodeEncoded } from '../packs/encoded-object.ts'
import { type PackWriter, type StoredPack, writePack } from '../packs/pack.ts'
import type { DamagedObject } from '../sql/objects/damaged-objects.ts'
import { type ObjectPlace, objectKey, type ReliedOn, storedObjects } from '../sql/objects/objects.ts'
import { giveWay } from '../turn.ts'
import type { ObjectReader } from './object-reader.ts'

/** Size of a pack after which the next one begins (content-model §8). Bytes of objects. */
export const packBytesMax = 268_435_456
/** Objects are looked up, compressed and written in batches of this size. At most two batches are in memory. Bytes. */
const batchBytesMax = 4_194_304
/** Maximum number of objects in a batch. */
const batchObjectsMax = 256

/** Result for the transaction to record with `recordPacks`. */
export interface PackedObjects {
  packs: StoredPack[]
  /**
   * Encoded bytes of all added objects, including those that the index had. An account's usage is counted with this, and must not reveal
   * what other accounts have stored.
   */
  bytes: number
  /** Objects skipped because the index had them, and bases of deltas: the transaction must check that they still exist. */
  reliedOn: ReliedOn[]
  /** Objects written although the index had them, because their stored bytes are damaged. */
  replaced: DamagedObject[]
}

/**
 * Objects may be added without waiting for the previous one; the caller then bears the memory. Beyond the batches, each object
 * costs its hash, which is kept so that the object is written once.
 */
export interface ObjectWriter {
  /**
   * Adds an object, unless this commit or the index has it. `hash` is that of `raw` for plain objects, the leaf's for bodies.
   * Resolves when there is space for more. Once a look-up or a write has failed, this and all later calls reject.
   * @param options.replaces A similar object of the same kind in the index: the new one may be stored as a delta to it.
   * @throws RangeError for a plain object whose hash differs, or for more than `objectBytesMax` bytes.
   */
  add(
    kind: ObjectKind,
    hash: Hash,
    raw: Uint8Array | string,
    options?: { replaces?: Hash | undefined },
  ): Promise<void>
  /**
   * Adds an object that the caller has encoded and verified, in the same way.
   * @param done Called when the writer no longer needs the object's memory; not called if writing fails first.
   */
  addEncoded(object: PreparedObject, done?: () => void): Promise<void>
  /**
   * Closes the current pack. Returns the locations of all objects written so far, by `objectKey`: they can be read now, and later objects
   * may be deltas to them. Objects that the index had are left out.
   */
  closePack(): Promise<ReadonlyMap<string, ObjectPlace>>
  /** Packs are durable when this resolves, except an inline one. Without new objects there are no packs, only the objects relied on. */
  finish(): Promise<PackedObjects>
  /** Aborts pending writes and removes the packs written so far. */
  abort(): Promise<void>
}

/** An object ready to be written. */
export interface PreparedObject extends StoredForm {
  kind: ObjectKind
  hash: Hash
  /** SHA-256 of the raw bytes of a body; null for plain objects, which are named by it. */
  checksum: Hash | null
}

interface NewObject {
  kind: ObjectKind
  hash: Hash
  /** Size counted towards its batch. Bytes. */
  bytes: number
  prepare(): PreparedObject | Promise<PreparedObject>
  /** Called when the object is written or will not be written. */
  done?: (() => void) | undefined
}

export interface WriterOptions {
  database: Database
  blobs: BlobStore
  /** Reads the objects that new ones replace; without it no object is stored as a delta. */
  objects?: ObjectReader
  /** If true, a small pack is not put into the store but returned, to be recorded with its rows. Default: false. */
  inline?: boolean
  /**
   * If false, the writer packs every object without querying the index; the caller that records the pack must then rely on existing
   * objects. Default: true.
   */
  lookUp?: boolean
  /** Smaller in tests. */
  packBytesMax?: number
}

export const openObjectWriter = (options: WriterOptions): ObjectWriter => new PackingWriter(options)

class PackingWriter implements ObjectWriter {
  readonly #options: WriterOptions
  readonly #reader: ObjectReader | undefined
  readonly #seen = new Set<string>()
  readonly #packs: StoredPack[] = []
  /** Locations of objects in closed packs, as `closePack` returned them. */
  readonly #places = new Map<string, ObjectPlace>()
  readonly #reliedOn = new Map<string, ReliedOn>()
  readonly #replaced = new Map<string, DamagedObject>()
  #pack: PackWriter | undefined
  #batch: NewObject[] = []
  #batchBytes = 0
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(options: WriterOptions) {
    this.#options = options
    this.#reader = options.objects
  }

  async add(
    kind: ObjectKind,
    hash: Hash,
    raw: Uint8Array | string,
    { replaces }: { replaces?: Hash | undefined } = {},
  ): Promise<void> {
    const object = { kind, hash }
    if (!this.#isFirst(object)) return
    const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw
    if (bytes.length > objectBytesMax)
      throw new RangeError(`The ${kind} object ${hash} has ${bytes.length} bytes.`)
    if (kind === 'plain' && hashBytes(bytes) !== hash)
      throw new RangeError(`${hash} is not the hash of its object.`)
    await this.#take({
      ...object,
      bytes: bytes.length,
      prepare: () => this.#prepare(object, bytes, replaces),
    })
  }

  async addEncoded(object: PreparedObject, done?: () => void): Promise<void> {
    if (!this.#isFirst(object)) return done?.()
    const { kind, hash, encoded } = object
    await this.#take({ kind, hash, bytes: encoded.length, prepare: () => object, done })
  }

  async closePack(): Promise<ReadonlyMap<string, ObjectPlace>> {
    await this.#close()
    for (const { name, entries } of this.#packs)
      for (const entry of entries) this.#places.set(objectKey(entry), { ...entry, pack: name })
    return this.#places
  }

  async finish(): Promise<PackedObjects> {
    await this.#close()
    const [reliedOn, replaced] = [this.#reliedOn, this.#replaced]
    return {
      packs: this.#packs,
      bytes: this.#bytes,
      reliedOn: [...reliedOn.values()],
      replaced: [...replaced.values()],
    }
  }

  async abort(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#pack?.abort()
    for (const { name, content } of this.#packs)
      if (content === undefined) await this.#options.blobs.remove(name)
  }

  async #writeBatch(objects: NewObject[]): Promise<void> {
    const { database, blobs, inline = false, lookUp = true } = this.#options
    const splitBytes = this.#options.packBytesMax ?? packBytesMax
    const held = lookUp ? await storedObjects(database, objects) : new Set<string>()
    for (const damaged of await this.#damagedAmong(objects.filter((object) => held.has(objectKey(object))))) {
      held.delete(objectKey(damaged))
      this.#replaced.set(objectKey(damaged), damaged)
    }
    const prepared = await Promise.all(
      (await this.#prepareAll(objects)).map((one) => this.#aloneIfReplacing(one)),
    )
    for (const [i, { encoded, ...object }] of prepared.entries()) {
      this.#bytes += encoded.length
      if (held.has(objectKey(object))) {
        this.#rely({ kind: object.kind, hash: object.hash })
        objects[i]!.done?.()
        continue
      }
      const { kind, bases } = object
      if (bases[0] !== undefined) {
        const isOwn = this.#places.has(objectKey({ kind, hash: bases[0] }))
        this.#rely({ kind, hash: bases[0], bases: bases.slice(1), isOwn })
      }
      if (this.#pack !== undefined && this.#pack.bytes + encoded.length > splitBytes)
        await this.#finishPack(this.#pack)
      this.#pack ??= writePack(blobs, packName(randomUUID()), { inline })
      await this.#pack.add(object, encoded)
      objects[i]!.done?.()
    }
  }

  /** Deduplicated objects are not rewritten, so verify the stored copy now. */
  async #damagedAmong(held: readonly NewObject[]): Promise<DamagedObject[]> {
    if (this.#reader === undefined || held.length === 0) return []
    return this.#reader.damagedOf(held.map(({ kind, hash }) => ({ kind, hash })))
  }

  /** Stores a replacement without a base: other objects may be deltas to it, up to the longest chain allowed. */
  async #aloneIfReplacing(object: PreparedObject): Promise<PreparedObject> {
    const [base] = object.bases
    if (base === undefined || !this.#replaced.has(objectKey(object))) return object
    const stored = await this.#reader!.encoded({ kind: object.kind, hash: base }, this.#places)
    const raw = await decodeObject(object.encoded, objectBytesMax, await decodeEncoded(stored))
    return { ...object, ...(await encodeAlone(raw)) }
  }

  #rely(name: ReliedOn): void {
    const key = objectKey(name)
    if (name.bases !== undefined || !this.#reliedOn.has(key)) this.#reliedOn.set(key, name)
  }

  async #prepare(
    { kind, hash }: Pick<NewObject, 'kind' | 'hash'>,
    raw: Uint8Array,
    replaces: Hash | undefined,
  ): Promise<PreparedObject> {
    const reader = this.#reader
    const checksum = kind === 'body' ? hashBytes(raw) : null
    if (reader === undefined || replaces === undefined || this.#replaced.has(objectKey({ kind, hash })))
      return { kind, hash, checksum, ...(await encodeAlone(raw)) }
    const chain = await reader.chain(kind, replaces)
    const before = { chain, raw: (i: number) => reader.raw(kind, chain[i]!.hash) }
    return { kind, hash, checksum, ...(await encodeReplacing(raw, before)) }
  }

  /** Runs concurrently, but starts one by one: starting a hundred at once blocks the event loop for some 20 ms. */
  async #prepareAll(objects: readonly NewObject[]): Promise<PreparedObject[]> {
    const prepared: Promise<PreparedObject>[] = []
    for (const object of objects) {
      const one = Promise.resolve(object.prepare())
      // A rejection is reported below, when all have started.
      one.catch(() => undefined)
      prepared.push(one)
      await giveWay()
    }
    return Promise.all(prepared)
  }

  /** Closes the pack after all batches so far and before any later one. */
  #close(): Promise<void> {
    if (this.#batch.length > 0) this.#sendBatch()
    this.#writing = this.#writing.then(async () => {
      if (this.#pack !== undefined) await this.#finishPack(this.#pack)
    })
    this.#writing.catch(() => undefined)
    return this.#writing
  }

  async #finishPack(full: PackWriter): Promise<void> {
    this.#packs.push(await full.finish())
    this.#pack = undefined
  }

  /** Batches are written one after the other; once one fails, all later ones fail. */
  #sendBatch(): void {
    const objects = this.#batch
    this.#batch = []
    this.#batchBytes = 0
    this.#writing = this.#writing.then(() => this.#writeBatch(objects))
    this.#writing.catch(() => undefined)
  }

  async #take(object: NewObject): Promise<void> {
    this.#batch.push(object)
    this.#batchBytes += object.bytes
    if (this.#batchBytes < batchBytesMax && this.#batch.length < batchObjectsMax) return
    const before = this.#writing
    this.#sendBatch()
    await before
  }

  /** True if this commit adds the object for the first time. */
  #isFirst(name: Pick<NewObject, 'kind' | 'hash'>): boolean {
    const key = objectKey(name)
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}
