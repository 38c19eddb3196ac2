/**
 * The schemas that a session works with, as bytes which are sliced and not parsed: they may have many MiB. Three lines a type: a heading
 * in JSON; the schema, canonical; what the public view has of it, where that is another, and else an empty line.
 */
import { acceptSchema, type Hash, type Json, publicSchemas, type Schema } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'

/** `publicHash`: of what the public view has; null: the type is private. */
export type Heading = [type: string, hash: Hash, publicHash: Hash | null, privateFields: readonly string[]]

/** What a commit asks of a type's schema. */
export interface PushSchema {
  readonly hash: Hash
  /** Null: the type is private. */
  readonly publicHash: Hash | null
  readonly privateFields: readonly string[]
  /** Canonical. */
  readonly text: Uint8Array
  /** Empty where `text` is it, or it is stored already, or there is none. */
  readonly publicText: Uint8Array
  /** The three lines. */
  readonly lines: Uint8Array
}

/** Schemas as a worker is given them: of the same `key`, the same. */
export interface SchemaLines {
  readonly key: string
  /** What says the same has the same, whoever pushes it. */
  readonly name: string
  /** Shared between threads, not copied. */
  readonly bytes: Uint8Array
}

const encoder = new TextEncoder()
const newline = 0x0a

export const headingLine = (heading: Heading): Uint8Array => encoder.encode(`${JSON.stringify(heading)}\n`)

/** What is accepted, to be kept. */
export function linesOfSchemas(schemas: ReadonlyMap<string, Schema>): Uint8Array<ArrayBuffer> {
  const shown = publicSchemas(schemas)
  const texts = [...schemas].map(([type, { hash, canonical, privateFields }]) => {
    const open = shown.get(type)
    const heading: Heading = [type, hash, open?.hash ?? null, privateFields]
    const publicText = open === undefined || open.hash === hash ? '' : open.canonical
    return `${JSON.stringify(heading)}\n${canonical}\n${publicText}\n`
  })
  return encoder.encode(texts.join(''))
}

/** In the order in which they lie there. */
export async function readSchemas(bytes: Uint8Array): Promise<Map<string, PushSchema>> {
  const schemas = new Map<string, PushSchema>()
  for (const { type, heading, ...rest } of typesIn(bytes)) {
    const [, hash, publicHash, privateFields] = heading
    schemas.set(type, { hash, publicHash, privateFields, ...rest })
    await giveWay()
  }
  return schemas
}

/** The schemas by type, each made again when it is first asked for. */
export class LazySchemas {
  readonly #texts = new Map<string, Uint8Array>()
  readonly #made = new Map<string, Schema>()

  constructor(bytes: Uint8Array) {
    for (const { type, text } of typesIn(bytes)) this.#texts.set(type, text)
  }

  has(type: string): boolean {
    return this.#texts.has(type)
  }

  get(type: string): Schema | undefined {
    const made = this.#made.get(type)
    const text = this.#texts.get(type)
    if (made !== undefined || text === undefined) return made
    const schema = acceptSchema(JSON.parse(textOf(text)) as Json, { accepted: true })
    this.#made.set(type, schema)
    return schema
  }
}

function* typesIn(bytes: Uint8Array) {
  for (let start = 0; start < bytes.length; ) {
    const afterHeading = bytes.indexOf(newline, start) + 1
    const afterText = bytes.indexOf(newline, afterHeading) + 1
    const end = bytes.indexOf(newline, afterText) + 1
    const heading = JSON.parse(textOf(bytes.subarray(start, afterHeading))) as Heading
    yield {
      type: heading[0],
      heading,
      text: bytes.subarray(afterHeading, afterText - 1),
      publicText: bytes.subarray(afterText, end - 1),
      lines: bytes.subarray(start, end),
    }
    start = end
  }
}

/** Also of bytes that threads share. */
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
