/**
 * Files (http-api §8): uploaded to a collection, stored once for all collections, readable with any version that has them. An
 * upload is stored before it is recorded; a sweep removes stored bytes without a record.
 */

import { createHash } from 'node:crypto'
import { type Hash, referencePrefix, type Tree, walkLeaves } from '@ulmus/content'
import {
  BlobMissingError,
  type BlobStore,
  type ByteRange,
  fileName,
  findCollectionFiles,
  insertCollectionFile,
  insertFile,
  passSweepGate,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import type { CollectionPath, FilePath, StoredFile, VersionFile, VersionPath } from '@ulmus/wire'
import { type Acting, demandStill } from '../access/authority.ts'
import { findCollectionTo, findVisibleCollection } from '../access/find-collection.ts'
import type { View } from '../access/policy.ts'
import { demandRoom, type Room, UploadRooms } from '../accounts/quotas.ts'
import { countAnswer } from '../budgets/answer-budget.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { storedHash } from '../versions/content.ts'
import { readSidecar } from '../versions/sidecar.ts'
import { seeVersion } from '../versions/versions.ts'
import { fileFacts } from './known-files.ts'
import { factsOf, findReadable } from './readable-files.ts'
import { requestedFile, requestedFileRule } from './requested-file.ts'

/** A file that the caller may read. */
export interface ReadableFile extends StoredFile {
  /**
   * Streams the checked bytes of the file (`checkedFile`), or a range, which cannot be checked. Reads nothing before iteration.
   */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>
}

const contentTypeCharactersMax = 200
/** Approximate size of a listed file, or of a listed reference without its id. Bytes. */
const listedBytes = 256
const contentTypePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/

export type Files = ReturnType<typeof filesOf>

export function filesOf(context: Context) {
  const rooms = new UploadRooms(context)
  return {
    /**
     * Reads an upload in full, even if the store has the bytes; resolves when it is durable. `created`: new to the collection.
     * @throws hash_mismatch, too_large, quota_exceeded, invalid_request; the errors of `demandStill`, after the whole upload.
     */
    async put(
      who: Principal,
      path: FilePath,
      upload: { body: AsyncIterable<Uint8Array>; contentType?: string },
    ): Promise<{ created: boolean; file: StoredFile }> {
      const seen = await findCollectionTo('write', context, who, path)
      const acting = { ...seen, who: demandCaller(who) }
      const hash = uploadedHash(path.hash)
      const contentType = acceptContentType(upload.contentType)
      const room = await roomFor(context, rooms, acting, hash)
      let isRecorded = false
      try {
        const size = await store(context, hash, upload.body, room)
        const created = await record(context, acting, { hash, size, contentType })
        isRecorded = true
        return { created, file: { hash: `sha256:${hash}`, size, contentType } }
      } finally {
        room?.end(isRecorded)
      }
    },

    /** @throws file_not_found, also if only another collection has it. */
    async get(who: Principal, path: FilePath): Promise<ReadableFile> {
      const seen = await findVisibleCollection(context, who, path)
      const hash = requestedFile(path.hash)
      const found = hash && (await findReadable(context, seen, [hash])).get(hash)
      if (hash === undefined || found === undefined)
        throw new RegistryError('file_not_found', { say: { hash: path.hash } })
      const stream = (range?: ByteRange) => {
        const { blobs } = context
        return range === undefined ? checkedFile(blobs, hash) : bytesOfFile(blobs, hash, range)
      }
      return { hash: `sha256:${hash}`, ...found, stream }
    },

    /** Facts about those of some files that the caller may read, by the name that it gave. Costs few queries. */
    facts: (who: Principal, path: CollectionPath, names: readonly string[]) =>
      factsOf(context, who, path, names),

    /** The files of a version, by hash. @throws busy. */
    async list(who: Principal, path: VersionPath): Promise<VersionFile[]> {
      const { seen, version, roots } = await seeVersion(context, who, path)
      const listed: VersionFile[] = []
      for await (const { leaf } of walkLeaves(roots.files, context.objects)) {
        const hashes = leaf.keys.map(storedHash)
        const facts = await fileFacts(context.database, seen.collection, hashes)
        const references = await referencesTo(context, version, seen.view, hashes)
        for (const [index, hash] of hashes.entries()) {
          const { contentType, createdAt } = facts.get(hash)!
          const size = leaf.sizes[index]!
          countAnswer(listedBytes)
          listed.push({
            hash: `sha256:${hash}`,
            size,
            contentType,
            createdAt: instantText(createdAt),
            references: references.get(hash) ?? [],
          })
        }
      }
      return listed
    },
  }
}

/**
 * Bytes of a file. Holds the last piece back until the hash is verified.
 * @throws object_corrupt if it differs, or the file is gone.
 */
export async function* checkedFile(blobs: BlobStore, hash: Hash): AsyncGenerator<Uint8Array> {
  const hasher = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const chunk of bytesOfFile(blobs, hash)) {
    if (last !== undefined) yield last
    hasher.update(chunk)
    last = chunk
  }
  if (hasher.digest('hex') !== hash) throw damaged(hash)
  if (last !== undefined) yield last
}

/** Streams a file or a range, unchecked: a range has no known hash. @throws object_corrupt if the file is gone or too short. */
async function* bytesOfFile(blobs: BlobStore, hash: Hash, range?: ByteRange): AsyncGenerator<Uint8Array> {
  try {
    yield* blobs.stream(fileName(hash), range)
  } catch (cause) {
    throw cause instanceof BlobMissingError ? damaged(hash, cause) : cause
  }
}

function damaged(hash: Hash, cause?: unknown): RegistryError {
  const name = `sha256:${hash}`
  return new RegistryError('object_corrupt', { say: { file: name }, details: { hash: name }, cause })
}

function uploadedHash(text: string): Hash {
  const hash = requestedFile(text)
  if (hash !== undefined) return hash
  const issue = { path: 'hash', message: requestedFileRule }
  throw new RegistryError('invalid_request', { details: { issues: [issue] } })
}

function acceptContentType(text: string | undefined): string {
  if (text === undefined) return 'application/octet-stream'
  if (text.length <= contentTypeCharactersMax && contentTypePattern.test(text)) return text
  const message = `must be a media type of at most ${contentTypeCharactersMax} characters`
  throw new RegistryError('invalid_request', { details: { issues: [{ path: 'Content-Type', message }] } })
}

/** A file that the collection has already needs no room. */
async function roomFor(context: Context, rooms: UploadRooms, by: Acting, hash: Hash): Promise<Room | null> {
  const known = await findCollectionFiles(context.database, by.collection.id, [hash])
  return known.length > 0 ? null : rooms.open(by)
}

/** @returns true if the file is new to the collection */
async function record(
  context: Context,
  by: Acting,
  { hash, size, contentType }: { hash: Hash; size: number; contentType: string },
): Promise<boolean> {
  const createdAt = context.now()
  return context.database.transact(async (tx) => {
    // This locks the collection. No foreign key does: records of its files outlive a collection.
    await demandStill(context, tx, by)
    await demandStored(context, tx, hash)
    await insertFile(tx, { hash, size, createdAt })
    const isNew = await insertCollectionFile(tx, {
      ...{ collectionId: by.collection.id, hash, contentType, createdAt },
    })
    if (isNew) await demandRoom(context, tx, by)
    return isNew
  })
}

/** Streams an upload to the store and hashes it; a wrong hash or size leaves nothing behind. */
async function store(
  context: Context,
  expected: Hash,
  body: AsyncIterable<Uint8Array>,
  room: Room | null,
): Promise<number> {
  const { fileBytesMax } = context.limits
  async function* checked(): AsyncGenerator<Uint8Array> {
    const hasher = createHash('sha256')
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > fileBytesMax)
        throw new RegistryError('too_large', { say: { what: 'The file', limit: `${fileBytesMax} bytes` } })
      // Check before storing: data refused later stays in the store until a sweep.
      room?.take(chunk.length)
      hasher.update(chunk)
      yield chunk
    }
    const actual = hasher.digest('hex')
    if (actual !== expected) {
      throw new RegistryError('hash_mismatch', {
        details: { expected: `sha256:${expected}`, actual: `sha256:${actual}` },
      })
    }
  }
  return context.blobs.put(fileName(expected), checked())
}

/**
 * Requires that the bytes are stored. During the upload, a sweep may have removed an unrecorded leftover of the same file; after
 * the gate it cannot.
 */
async function demandStored(context: Context, tx: Tx, hash: Hash): Promise<void> {
  await passSweepGate(tx, 'commit')
  if ((await context.blobs.size(fileName(hash))) === undefined) throw new RegistryError('unavailable')
}

/** Records of a version's view that refer to the files, by file. */
async function referencesTo(
  context: Context,
  version: VersionRow,
  view: View,
  files: readonly Hash[],
): Promise<Map<Hash, { type: string; id: string }[]>> {
  const { references } = await readSidecar(context.objects, storedHash(version.sidecar))
  const found = new Map<Hash, { type: string; id: string }[]>()
  for (const file of files) found.set(file, await referencesIn(context, references[view], file))
  return found
}

async function referencesIn(context: Context, tree: Tree, file: Hash) {
  const prefix = referencePrefix(file)
  const records: { type: string; id: string }[] = []
  for await (const { leaf, start } of walkLeaves(tree, context.objects, { after: prefix })) {
    for (let index = start; index < leaf.keys.length; index++) {
      const key = leaf.keys[index]!
      if (!key.startsWith(prefix)) return records
      const [type, ...id] = key.slice(prefix.length).split('/')
      // The key of a declared file names no record.
      if (type === '') continue
      countAnswer(listedBytes + key.length)
      records.push({ type: type!, id: id.join('/') })
    }
  }
  return records
}
