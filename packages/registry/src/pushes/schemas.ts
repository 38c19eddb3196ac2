/** The schemas a push works with: those it brings, or its base's. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  acceptSchema,
  type Hash,
  type Json,
  type JsonObject,
  type Schema,
  type ViewDocument,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { AnswerBytes } from '../answer-room.ts'

/** Schemas that were accepted before, from the text that `schemasText` made of them. Each is compiled when it is first used. */
export function restoreSchemas(text: string): Map<string, Schema> {
  const sources = Object.entries(JSON.parse(text) as JsonObject)
  return new Map(sources.map(([type, source]) => [type, acceptSchema(source, { accepted: true })]))
}

/**
 * The schemas of a version's view, from its document. Each is compiled when it is first used.
 * @param answer that they go into. @throws busy.
 */
export async function schemasOf(
  objects: ObjectReader,
  document: ViewDocument,
  answer?: AnswerBytes,
): Promise<Map<string, Schema>> {
  const types = Object.entries(document.types)
  const schemas = new Map<string, Schema>()
  let characters = 0
  for (let at = 0; at < types.length; at += readAtOnce) {
    const some = types.slice(at, at + readAtOnce)
    const texts = await Promise.all(some.map(([, { schema }]) => textOf(objects, schema)))
    for (const [index, [type]] of some.entries()) {
      const text = texts[index]!
      answer?.add(text.length)
      schemas.set(type, acceptSchema(JSON.parse(text) as Json, { accepted: true }))
      characters += text.length
      if (characters < charactersAtOnce) continue
      await nextTurn()
      characters = 0
    }
  }
  return schemas
}

/** Schemas read at the same time. */
const readAtOnce = 32
/** Parsed before others have the event loop: a few milliseconds of usual schemas; the largest takes 80 alone. */
const charactersAtOnce = 65_536

/** Texts of schemas by hash, the latest used ones: a version of thousands of types is not read object by object each time. */
const texts = new LRUCache<Hash, string>({
  maxSize: 16 * 1024 ** 2,
  sizeCalculation: (text) => 100 + text.length,
})

async function textOf(objects: ObjectReader, hash: Hash): Promise<string> {
  const held = texts.get(hash)
  if (held !== undefined) return held
  const text = decoder.decode(await objects.plain(hash))
  texts.set(hash, text)
  return text
}

const decoder = new TextDecoder()

/** `{type: schema}` as JSON text, from which a worker makes the same schemas again. */
export const schemasText = (schemas: ReadonlyMap<string, Schema>): string =>
  `{${[...schemas].map(([type, schema]) => `${JSON.stringify(type)}:${schema.canonical}`).join(',')}}`
