/** Schemas that the records of a push session must match: its own, which its opening sent, or else those of its base. */
import { hashText, type JsonObject, parseJson, privateFieldsOf, type Sidecar } from '@ulmus/content'
import {
  findPushSchemas,
  giveWay,
  type ObjectReader,
  openObjectWriter,
  type PushStanding,
  recordPacks,
  type VersionRow,
} from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { storedHash } from '../../versions/content.ts'
import { abortOnError } from '../../versions/land.ts'
import { readSchemaObjects } from '../../versions/schemas.ts'
import { readSidecar } from '../../versions/sidecar.ts'
import { type PushSchema, type PushSchemas, pushSchemas } from './push-schema.ts'

/** Cache by session or by the digests of a base; evicts the least recently used. Every batch needs them. */
const latest = new LRUCache<string, PushSchemas, () => Promise<PushSchemas>>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: ({ list, units }) => 100 + list.length * 500 + units,
  fetchMethod: (_key, _stale, { context: read }) => read(),
  ignoreFetchAbort: true,
})

const cached = async (key: string, read: () => Promise<PushSchemas>): Promise<PushSchemas> =>
  (await latest.fetch(key, { context: read }))!

/** Schemas that a session uploaded; undefined if none. @throws push_not_open if it has ended; object_corrupt. */
export async function pushedSchemas(context: Context, push: PushStanding): Promise<PushSchemas | undefined> {
  const { id, schemasHash } = push
  if (schemasHash === null) return undefined
  return cached(id, async () => {
    const text = await findPushSchemas(context.database, id)
    // Sessions lose their received data when they end.
    if (text === null) throw new RegistryError('push_not_open', { say: { status: 'ended by now' } })
    if (hashText(text) !== schemasHash)
      throw new RegistryError('object_corrupt', { say: { received: `schemas of ${id}` } })
    return pushSchemas(await readSchemas(text), id, schemasHash)
  })
}

/** Reads the output of `schemasText`. */
export async function readSchemas(text: string): Promise<PushSchema[]> {
  const schemas: PushSchema[] = []
  for (const line of text === '' ? [] : text.split('\n')) {
    schemas.push(parseJson(line) as PushSchema)
    await giveWay()
  }
  return schemas
}

/** The schemas of a version. Those of its public view are stored already. */
export const baseSchemas = (context: Context, version: VersionRow): Promise<PushSchemas> => {
  const key = `${version.fullDigest}:${version.publicDigest}`
  return cached(key, async () => {
    const { roots } = await readSidecar(context.objects, storedHash(version.sidecar))
    return pushSchemas(await schemasOfBase(context.objects, roots), key)
  })
}

async function schemasOfBase(objects: ObjectReader, content: Sidecar['roots']): Promise<PushSchema[]> {
  const shown = new Map(Object.entries(content.public.types))
  const schemas: PushSchema[] = []
  for await (const { type, hash, bytes } of readSchemaObjects(objects, content.full)) {
    const text = decoder.decode(bytes)
    const publicHash = shown.get(type)?.schema ?? null
    schemas.push({ type, hash, publicHash, privateFields: privateFieldsIn(text), text, publicText: null })
  }
  return schemas
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Parses only if there may be private fields: 12 ms at worst, for a schema of 256 KiB. */
const privateFieldsIn = (canonical: string): readonly string[] =>
  canonical.includes('"private":true') ? privateFieldsOf(parseJson(canonical) as JsonObject) : []

/**
 * Stores the schemas of a push even if the index has them: a damaged one would make its base unreadable. Schemas that the index
 * lacks are stored, too; a sweep removes those that no version needs.
 */
export async function restoreSchemas(
  { database, blobs, objects }: Pick<Context, 'database' | 'blobs' | 'objects'>,
  pushed: ReadonlyMap<string, PushSchema>,
): Promise<void> {
  const writer = openObjectWriter({ database, blobs, objects })
  await abortOnError(writer, async () => {
    for (const { hash, text, publicHash, publicText } of pushed.values()) {
      await writer.add('plain', hash, encoder.encode(text))
      if (publicHash !== null && publicText !== null)
        await writer.add('plain', publicHash, encoder.encode(publicText))
    }
    const packed = await writer.finish()
    await database.transact((tx) => recordPacks(tx, packed))
    for (const { kind, hash } of packed.replaced) objects.forget(kind, hash)
  })
}

const encoder = new TextEncoder()
