/** One commit's new objects, on their way into packs. */
import { randomUUID } from 'node:crypto'
import { type Hash, hashBytes } from '@ulmus/content'
import type { BlobStore } from '../blobs/blob-store.ts'
import { packName } from '../blobs/names.ts'
import type { Database } from '../database/database.ts'
import type { ObjectKind } from '../errors/stores.ts'
import { decodeObject, objectBytesMax } from '../packs/codec.ts'
import { encodeAlone, encodeReplacing, type StoredForm } from '../packs/delta.ts'
import { type PackWriter, type StoredPack, writePack } from '../packs/pack.ts'
import type { DamagedObject } from '../sql/objects/damaged-objects.ts'
import { objectKey, type ReliedOn, storedObjects } from '../sql/objects/objects.ts'
import { giveWay } from '../turn.ts'
import type { ObjectReader } from './object-reader.ts'

/** Bytes of objects after which the next pack begins (content-model §8). */
export const packBytesMax = 268_435_456
/** What is gathered before it is looked up, compressed and written together. Two such batches are in memory at most. */
const batchBytesMax = 4_194_304
const batchObjectsMax = 256

/** What the transaction records with `recordPacks`. */
export interface PackedObjects {
  packs: StoredPack[]
  /** What was not written because the index had it, and what deltas go on from: it must still be there. */
  reliedOn: ReliedOn[]
  /** What was written although the index had it, because it is damaged there. */
  replaced: DamagedObject[]
}

/**
 * Objects may be added without waiting for the one before; its memory is then the caller's. What each object costs beyond the
 * batches is its hash, kept so that it is written once.
 */
export interface ObjectWriter {
  /**
   * Adds an object, unless this commit or the index has it. `hash` is that of `raw` for plain objects, the leaf's for bodies.
   * Resolves when there is room for more; rejects, like all that follows, once a look-up or the store has failed.
   * @param options.replaces An object of the same kind in the index whose bytes are much the same: this one may be stored as
   * what differs.
   * @throws RangeError for a plain object whose hash is another, or more than `objectBytesMax` bytes.
   */
  add(
    kind: ObjectKind,
    hash: Hash,
    raw: Uint8Array | string,
    options?: { replaces?: Hash | undefined },
  ): Promise<void>
  /**
   * Adds an object that somebody else has encoded and checked, likewise.
   * @param done Called once the writer needs its memory no more, unless writing fails before.
   */
  addEncoded(object: PreparedObject, done?: () => void): Promise<void>
  /** Packs durable, but for an inline one. Nothing new: no packs, but what was relied on. */
  finish(): Promise<PackedObjects>
  /** Gives up what is being written and removes the packs already there. */
  abort(): Promise<void>
}

/** An object ready to be written. */
export interface PreparedObject extends StoredForm {
  kind: ObjectKind
  hash: Hash
  /** SHA-256 of the raw bytes of a body; null for what is named by it. */
  checksum: Hash | null
}

interface NewObject {
  kind: ObjectKind
  hash: Hash
  /** What it adds to its batch. Bytes. */
  bytes: number
  prepare(): PreparedObject | Promise<PreparedObject>
  /** To be called when it is written, or is not to be. */
  done?: (() => void) | undefined
}

/**
 * @param options.objects Reads what new objects replace; without it every object is stored to stand alone.
 * @param options.inline true: a small pack is not put into the store but handed over, to be recorded with its rows
 * @param options.lookUp false: does not ask whether the index has an object, which is packed in any case: whoever records the pack
 * has to rely on what is there. Default: true.
 * @param options.packBytesMax Smaller in tests.
 */
export function openObjectWriter(options: {
  database: Database
  blobs: BlobStore
  objects?: ObjectReader
  inline?: boolean
  lookUp?: boolean
  packBytesMax?: number
}): ObjectWriter {
  const { database, blobs, objects: reader, inline = false, lookUp = true } = options
  const splitBytes = options.packBytesMax ?? packBytesMax
  const seen = new Set<string>()
  const packs: StoredPack[] = []
  const reliedOn = new Map<string, ReliedOn>()
  const replaced = new Map<string, DamagedObject>()
  let pack: PackWriter | undefined
  let batch: NewObject[] = []
  let batchBytes = 0
  let writing: Promise<void> = Promise.resolve()

  async function writeBatch(objects: NewObject[]): Promise<void> {
    const held = lookUp ? await storedObjects(database, objects) : new Set<string>()
    for (const damaged of await damagedAmong(objects.filter((object) => held.has(objectKey(object))))) {
      held.delete(objectKey(damaged))
      replaced.set(objectKey(damaged), damaged)
    }
    const wanted = objects.filter((object) => !held.has(objectKey(object)))
    for (const { kind, hash, done } of objects) {
      if (!held.has(objectKey({ kind, hash }))) continue
      rely({ kind, hash })
      done?.()
    }
    const prepared = await Promise.all((await prepareAll(wanted)).map(aloneIfReplacing))
    for (const [i, { encoded, ...object }] of prepared.entries()) {
      const { kind, bases } = object
      if (bases[0] !== undefined) rely({ kind, hash: bases[0], bases: bases.slice(1) })
      if (pack !== undefined && pack.bytes + encoded.length > splitBytes) await finishPack(pack)
      pack ??= writePack(blobs, packName(randomUUID()), { inline })
      await pack.add(object, encoded)
      wanted[i]!.done?.()
    }
  }

  /** Nobody would notice damage to what is not written again, before it is read. */
  async function damagedAmong(held: readonly NewObject[]): Promise<DamagedObject[]> {
    if (reader === undefined || held.length === 0) return []
    return reader.damagedOf(held.map(({ kind, hash }) => ({ kind, hash })))
  }

  /** What replaces an object must stand alone: others may be deltas to it, as far from their chain's end as is allowed. */
  async function aloneIfReplacing(object: PreparedObject): Promise<PreparedObject> {
    const [base] = object.bases
    if (base === undefined || !replaced.has(objectKey(object))) return object
    const raw = await decodeObject(object.encoded, objectBytesMax, await reader!.raw(object.kind, base))
    return { ...object, ...(await encodeAlone(raw)) }
  }

  function rely(name: ReliedOn): void {
    const key = objectKey(name)
    if (name.bases !== undefined || !reliedOn.has(key)) reliedOn.set(key, name)
  }

  async function prepare(
    { kind, hash }: Pick<NewObject, 'kind' | 'hash'>,
    raw: Uint8Array,
    replaces: Hash | undefined,
  ): Promise<PreparedObject> {
    const checksum = kind === 'body' ? hashBytes(raw) : null
    if (reader === undefined || replaces === undefined || replaced.has(objectKey({ kind, hash })))
      return { kind, hash, checksum, ...(await encodeAlone(raw)) }
    const chain = await reader.chain(kind, replaces)
    const before = { chain, raw: (i: number) => reader.raw(kind, chain[i]!.hash) }
    return { kind, hash, checksum, ...(await encodeReplacing(raw, before)) }
  }

  /** Side by side, begun one by one: to begin a hundred at once holds the event loop for some 20 ms. */
  async function prepareAll(objects: readonly NewObject[]): Promise<PreparedObject[]> {
    const prepared: Promise<PreparedObject>[] = []
    for (const object of objects) {
      const one = Promise.resolve(object.prepare())
      // Told below, when all have begun.
      one.catch(() => undefined)
      prepared.push(one)
      await giveWay()
    }
    return Promise.all(prepared)
  }

  async function finishPack(full: PackWriter): Promise<void> {
    packs.push(await full.finish())
    pack = undefined
  }

  /** Batches are written one after the other; a failed one fails all that follow. */
  function sendBatch(): void {
    const objects = batch
    batch = []
    batchBytes = 0
    writing = writing.then(() => writeBatch(objects))
    writing.catch(() => undefined)
  }

  async function take(object: NewObject): Promise<void> {
    batch.push(object)
    batchBytes += object.bytes
    if (batchBytes < batchBytesMax && batch.length < batchObjectsMax) return
    const before = writing
    sendBatch()
    await before
  }

  /** Whether this commit meets the object for the first time. */
  function isFirst(name: Pick<NewObject, 'kind' | 'hash'>): boolean {
    const key = objectKey(name)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  }

  return {
    async add(kind, hash, raw, { replaces } = {}) {
      const object = { kind, hash }
      if (!isFirst(object)) return
      const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw
      if (bytes.length > objectBytesMax)
        throw new RangeError(`The ${kind} object ${hash} has ${bytes.length} bytes.`)
      if (kind === 'plain' && hashBytes(bytes) !== hash)
        throw new RangeError(`${hash} is not the hash of its object.`)
      await take({ ...object, bytes: bytes.length, prepare: () => prepare(object, bytes, replaces) })
    },
    async addEncoded(object, done) {
      if (!isFirst(object)) return done?.()
      const { kind, hash, encoded } = object
      await take({ kind, hash, bytes: encoded.length, prepare: () => object, done })
    },
    async finish() {
      if (batch.length > 0) sendBatch()
      await writing
      if (pack !== undefined) await finishPack(pack)
      return { packs, reliedOn: [...reliedOn.values()], replaced: [...replaced.values()] }
    },
    async abort() {
      await writing.catch(() => undefined)
      await pack?.abort()
      for (const { name, content } of packs) if (content === undefined) await blobs.remove(name)
    },
  }
}
