/** Schemas of a version's view, read from its objects and cached. A view may have thousands, so reading yields to the event loop. */
import type { Hash, ViewRoots } from '@ulmus/content'
import { giveWay, type ObjectReader } from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import { JsonText } from '../answers/json-text.ts'
import { countAnswer } from '../budgets/answer-budget.ts'
import { fieldNames } from './field-names.ts'

/** Schemas as JSON with members in canonical order, for an answer. @throws busy. */
export async function schemasOf(objects: ObjectReader, roots: ViewRoots): Promise<Map<string, JsonText>> {
  const schemas = new Map<string, JsonText>()
  for await (const { type, bytes } of readSchemaObjects(objects, roots)) {
    countAnswer(bytes.length)
    schemas.set(type, new JsonText(bytes))
  }
  return schemas
}

/** Names in the schemas of a public view, for searches. */
export async function namesIn(objects: ObjectReader, shown: ViewRoots): Promise<string> {
  async function* texts() {
    for await (const { type, bytes } of readSchemaObjects(objects, shown))
      yield [type, decoder.decode(bytes)] as const
  }
  return fieldNames(texts())
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** `bytes`: canonical JSON. Yields to the event loop between schemas. */
export async function* readSchemaObjects(
  objects: ObjectReader,
  roots: ViewRoots,
): AsyncGenerator<{ type: string; hash: Hash; bytes: Uint8Array }> {
  const types = Object.entries(roots.types)
  for (let at = 0; at < types.length; at += readAtOnce) {
    const some = types.slice(at, at + readAtOnce)
    const read = await Promise.all(some.map(([, { schema }]) => bytesOf(objects, schema)))
    for (const [index, [type, { schema }]] of some.entries()) {
      // Before, to separate it from the caller's work on the previous one; after, so that no two are sent in one turn of the
      // event loop.
      await giveWay()
      yield { type, hash: schema, bytes: read[index]! }
      await giveWay()
    }
  }
}

/** Schemas read concurrently. */
const readAtOnce = 32

/** Least-recently-used cache of schemas by hash: a version with thousands of types is not read object by object each time. */
const latest = new LRUCache<Hash, Uint8Array>({
  maxSize: 16 * 1024 ** 2,
  sizeCalculation: (bytes) => 300 + bytes.length,
})

async function bytesOf(objects: ObjectReader, hash: Hash): Promise<Uint8Array> {
  const cached = latest.get(hash)
  if (cached !== undefined) return cached
  // Copy it: the bytes may be a small part of a larger buffer.
  const bytes = new Uint8Array(await objects.plain(hash))
  latest.set(hash, bytes)
  return bytes
}
