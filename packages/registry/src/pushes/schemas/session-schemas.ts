/** The schemas of a push session: those it brings, kept with its row or, when they are long, in the blob store; or its base's. */
import { createHash } from 'node:crypto'
import { type Hash, type JsonObject, privateFieldsOf } from '@ulmus/content'
import {
  BlobMissing,
  findPush,
  findPushSchemas,
  giveWay,
  type ObjectReader,
  type PushSpillRow,
  type PushStanding,
  spillName,
  type VersionRow,
} from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { storedHash } from '../../versions/content.ts'
import { readSchemaObjects } from '../../versions/schemas.ts'
import { readSidecar, type Sidecar } from '../../versions/sidecar.ts'
import { isLive } from '../state/states.ts'
import type { AcceptedSchemas } from './accept-schemas.ts'
import { headingLine, type SchemaLines } from './schema-lines.ts'

/** By session, or by the digests of a base, the latest used ones: they are asked for with every batch. */
const latest = new LRUCache<string, Uint8Array, () => Promise<Uint8Array>>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: (bytes) => 100 + bytes.length,
  fetchMethod: (_key, _stale, { context: read }) => read(),
  ignoreFetchAbort: true,
})

const held = async (
  key: string,
  read: () => Promise<Uint8Array>,
  name: string = key,
): Promise<SchemaLines> => ({
  key,
  name,
  bytes: (await latest.fetch(key, { context: read }))!,
})

/** Up to this size they are in the session's row, which is written anyway; a blob is one more write that must last. Bytes. */
const shortBytesMax = 65_536

/** What the caller adds to keep the schemas that a session brings: columns of its row; for long ones, stored here, the row of a spill. */
export async function keptSchemas(
  { blobs }: Context,
  pushId: string,
  { bytes, hash, types }: AcceptedSchemas,
): Promise<{ schemasHash: Hash; schemas?: string; spill?: Omit<PushSpillRow, 'sequence'> }> {
  if (bytes.length <= shortBytesMax) return { schemasHash: hash, schemas: decoder.decode(bytes) }
  const name = spillName(pushId, hash)
  await blobs.put(name, bytes)
  const spill = { pushId, role: 'schemas' as const, name, entries: types, bytes: bytes.length }
  return { schemasHash: hash, spill }
}

/** What a session brought; undefined: it brings none. @throws push_not_open when what it had received is gone; object_corrupt. */
export async function broughtSchemas(context: Context, push: PushStanding): Promise<SchemaLines | undefined> {
  const { schemasHash } = push
  return schemasHash === null
    ? undefined
    : held(push.id, () => readKept(context, push, schemasHash), schemasHash)
}

async function readKept(context: Context, push: PushStanding, hash: string): Promise<Uint8Array> {
  const { schemas, spill } = (await findPushSchemas(context.database, push.id)) ?? noneKept
  if (schemas !== null) {
    const bytes = encoder.encode(schemas)
    return shared([bytes], bytes.length, { hash, name: `schemas of ${push.id}` })
  }
  if (spill === null) throw ended()
  try {
    return await shared(context.blobs.stream(spill.name), spill.bytes, { hash, name: spill.name })
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error
    // Sessions that end lose what they had received.
    const now = await findPush(context.database, push.collectionId, push.id)
    throw now !== undefined && isLive(now.status) ? error : ended()
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const noneKept = { schemas: null, spill: null }

const ended = (): RegistryError => new RegistryError('push_not_open', { say: { status: 'no longer open' } })

/** In memory that threads share, when they are what was kept. */
async function shared(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  length: number,
  kept: { hash: string; name: string },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  const sum = createHash('sha256')
  let at = 0
  for await (const piece of pieces) {
    if (at + piece.length > length) throw damaged(kept.name)
    bytes.set(piece, at)
    at += piece.length
    sum.update(piece)
    await giveWay()
  }
  if (at < length || sum.digest('hex') !== kept.hash) throw damaged(kept.name)
  return bytes
}

const damaged = (received: string): RegistryError =>
  new RegistryError('object_corrupt', { say: { received } })

/** The schemas of a version. What its public view has of them is stored, and not among the lines. */
export const baseSchemas = (context: Context, version: VersionRow): Promise<SchemaLines> =>
  held(`${version.fullDigest}:${version.publicDigest}`, async () =>
    linesOfBase(context.objects, (await readSidecar(context.objects, storedHash(version.sidecar))).roots),
  )

async function linesOfBase(objects: ObjectReader, content: Sidecar['roots']): Promise<Uint8Array> {
  const shown = new Map(Object.entries(content.public.types))
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const { type, hash, bytes } of readSchemaObjects(objects, content.full)) {
    const heading = headingLine([type, hash, shown.get(type)?.schema ?? null, privateFieldsIn(bytes)])
    for (const piece of [heading, bytes, lineEnds]) {
      pieces.push(piece)
      length += piece.length
    }
  }
  const whole = new Uint8Array(new SharedArrayBuffer(length))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    await giveWay()
  }
  return whole
}

const lineEnds = Buffer.from('\n\n')
/** Canonical text of a schema that makes anything private has it. */
const sayingPrivate = Buffer.from('"private":true')

/** Parses what may have some alone: 12 ms at worst, for a schema of 256 KiB. */
function privateFieldsIn(canonical: Uint8Array): string[] {
  const bytes = Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength)
  return bytes.includes(sayingPrivate)
    ? privateFieldsOf(JSON.parse(bytes.toString('utf8')) as JsonObject)
    : []
}
