/** Schemas in push sessions: plain objects with canonical texts, which pass between threads without parsing. */
import { acceptSchema, type Hash, type Json, parseJson, publicSchemas, type Schema } from '@ulmus/content'

/** A type's schema with the facts that a push needs. */
export interface PushSchema {
  readonly type: string
  readonly hash: Hash
  /** Hash of the schema in the public view; null: the type is private. */
  readonly publicHash: Hash | null
  readonly privateFields: readonly string[]
  /** Canonical JSON. */
  readonly text: string
  /** Schema of the public view; null if it equals `text`, is stored already, or does not exist. */
  readonly publicText: string | null
}

/** The schemas of a push, as passed to worker threads. */
export interface PushSchemas {
  /** Key for caches: equal keys mean equal schemas. */
  readonly key: string
  /** Equal for equivalent schemas of any account. */
  readonly name: string
  readonly list: readonly PushSchema[]
  /** Size of all texts. UTF-16 units. */
  readonly units: number
}

export function pushSchemas(list: readonly PushSchema[], key: string, name: string = key): PushSchemas {
  const units = list.reduce((sum, { text, publicText }) => sum + text.length + (publicText?.length ?? 0), 0)
  return { key, name, list, units }
}

/**
 * Stored form of accepted schemas: NDJSON, a type a line; `readSchemas` reads it. Open sessions of an earlier release may have it, so
 * keep reading it.
 */
export function schemasText(schemas: ReadonlyMap<string, Schema>): string {
  const shown = publicSchemas(schemas)
  const lines = [...schemas].map(([type, { hash, canonical: text, privateFields }]) => {
    const open = shown.get(type)
    const publicText = open === undefined || open.hash === hash ? null : open.canonical
    const schema: PushSchema = { type, hash, publicHash: open?.hash ?? null, privateFields, text, publicText }
    return JSON.stringify(schema)
  })
  return lines.join('\n')
}

export const byType = (schemas: readonly PushSchema[]): Map<string, PushSchema> =>
  new Map(schemas.map((schema) => [schema.type, schema]))

/** Schemas by type, each compiled on first use. */
export class LazySchemas {
  readonly #texts: Map<string, string>
  readonly #made = new Map<string, Schema>()

  constructor(schemas: readonly PushSchema[]) {
    this.#texts = new Map(schemas.map(({ type, text }) => [type, text]))
  }

  has(type: string): boolean {
    return this.#texts.has(type)
  }

  get(type: string): Schema | undefined {
    const made = this.#made.get(type)
    const text = this.#texts.get(type)
    if (made !== undefined || text === undefined) return made
    const schema = acceptSchema(parseJson(text) as Json, { accepted: true })
    this.#made.set(type, schema)
    return schema
  }
}
