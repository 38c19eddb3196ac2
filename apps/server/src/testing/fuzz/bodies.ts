/** Request bodies: valid by a schema of the description, then mutated in one or several ways. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { parseJson } from '@ulmus/content'
import fc from 'fast-check'
import type { ApiDocument, Media } from '../contract.ts'
import { contentEncodings, hostileJson, textPieces } from './hostile.ts'
import type { Random } from './random.ts'

type Schema = Record<string, unknown>

/** Values of earlier answers, by the name of their member. */
export type Known = (name: string, random: Random) => unknown

export interface Sent {
  readonly bytes: Buffer
  readonly headers: Record<string, string>
}

export function bodiesOf(document: ApiDocument, known: Known) {
  const resolve = (schema: Schema): Schema => {
    const named = /^#\/components\/schemas\/(.+)$/.exec(String(schema['$ref']))?.[1]
    return named === undefined ? schema : resolve(document.components.schemas[named] as Schema)
  }

  /** Members that name a version must name an existing one; others may have any value. */
  const likely = (name: string, random: Random): unknown =>
    random.chance(name.includes('version') ? 0.8 : 0.4) ? known(name, random) : undefined

  /** Replaces values of an example by values of earlier answers. */
  function adapted(example: unknown, random: Random): unknown {
    if (typeof example !== 'object' || example === null || Array.isArray(example)) return example
    return Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, likely(name, random) ?? structuredClone(value)]),
    )
  }

  /** Generates a value that matches the schema, for the keywords that the description uses. */
  function valid(given: Schema, random: Random, depth = 0): unknown {
    const schema = resolve(given)
    const examples = schema['examples'] as unknown[] | undefined
    if (examples !== undefined && random.chance(0.6)) return adapted(random.pick(examples), random)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
    const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
    if (choices !== undefined) return valid(random.pick(choices), random, depth)
    switch ([schema['type']].flat()[0]) {
      case 'object':
        return members(schema, random, depth)
      case 'array': {
        const length = depth > 4 ? 0 : random.below(4)
        return Array.from({ length }, () => valid((schema['items'] ?? {}) as Schema, random, depth + 1))
      }
      case 'string':
        return text(schema, random)
      case 'integer':
      case 'number':
        return Number(schema['minimum'] ?? 0) + random.below(random.pick([3, 200, 2 ** 31]))
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return depth > 4 ? {} : hostileJson(random)
    }
  }

  function members(schema: Schema, random: Random, depth: number): Record<string, unknown> {
    const required = (schema['required'] ?? []) as string[]
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
    const chosen = properties.flatMap(([name, shape]): [string, unknown][] => {
      if (!required.includes(name) && random.chance(0.5)) return []
      const seen = likely(name, random)
      return [[name, seen ?? valid(shape, random, depth + 1)]]
    })
    const others = schema['additionalProperties']
    if (typeof others === 'object' || others === true) {
      const shape = others === true ? {} : (others as Schema)
      for (const name of ['City', 'note', 'Country'].slice(random.below(4)))
        chosen.push([name, valid(shape, random, depth + 1)])
    }
    return Object.fromEntries(chosen)
  }

  function text(schema: Schema, random: Random): string {
    const format = schema['format']
    if (format === 'uuid') return random.of(fc.uuid())
    if (format === 'date-time') return random.of(fc.date({ noInvalidDate: true })).toISOString()
    const pattern = schema['pattern'] as string | undefined
    if (pattern !== undefined) return random.of(fc.stringMatching(new RegExp(pattern, 'u')))
    const [minLength, maxLength] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? 60)]
    const unit = random.pick(['grapheme', 'binary', 'grapheme-ascii'] as const)
    return random.chance(0.5)
      ? `a${random.below(1_000)}`
      : random.of(fc.string({ unit, minLength, maxLength: Math.min(maxLength, 60) }))
  }

  /** One value for JSON, several for NDJSON. */
  function values({ schema, example }: Media, random: Random): unknown[] {
    const line = schema.contentSchema as Schema | undefined
    if (line === undefined) return [random.chance(0.4) ? adapted(example, random) : valid(schema, random)]
    if (random.chance(0.4)) return linesOf(String(example))
    return Array.from({ length: random.below(6) }, () => valid(line, random))
  }

  return (type: string, media: Media, random: Random): Sent => {
    if (media.schema['format'] === 'binary') return encoded(bytesFor(media, random), random)
    const isLines = media.schema.contentSchema !== undefined
    let made = values(media, random)
    if (random.chance(0.3)) made = made.map((value) => (random.chance(0.7) ? mutated(value, random) : value))
    let written = made.map((value) => JSON.stringify(value) ?? '').join('\n')
    if (isLines && random.chance(0.8)) written += '\n'
    for (let n = random.chance(0.2) ? 1 + random.below(3) : 0; n > 0; n--) written = mangled(written, random)
    const bytes = random.chance(0.05) ? spoiled(written, random) : Buffer.from(written)
    return encoded(bytes, random, { 'content-type': type })
  }
}

const linesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line) as unknown]))

const bytesFor = ({ example }: Media, random: Random): Buffer =>
  random.chance(0.5)
    ? Buffer.from(String(example))
    : Buffer.from(random.of(fc.uint8Array({ maxLength: random.pick([0, 10, 2_000]) })))

/** Replaces, removes, repeats, renames or nests one part of a value. */
function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return hostileJson(random)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, hostileJson(random)]
    if (random.chance(0.1)) return Array.from({ length: 1_000 }, () => value[0])
    const at = random.below(value.length)
    return value.map((item, n) => (n === at ? mutated(item, random) : item))
  }
  const entries = Object.entries(value)
  const at = random.below(entries.length || 1)
  const hostileName = () =>
    random.pick(['__proto__', '', 'private', 'Private', '\u0000', '$ref', 'a'.repeat(300), 'id', '\ud800'])
  switch (random.below(5)) {
    case 0:
      return Object.fromEntries(entries.filter((_, n) => n !== at))
    case 1:
      return Object.fromEntries([...entries, [hostileName(), hostileJson(random)]])
    case 2:
      return Object.fromEntries(entries.map(([name, one], n) => [n === at ? hostileName() : name, one]))
    default:
      return Object.fromEntries(
        entries.map(([name, one], n) => [name, n === at ? mutated(one, random) : one]),
      )
  }
}

/** Cuts, splices, doubles or nests a text. */
function mangled(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  switch (random.below(9)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random.below(10))
    case 3:
      return random.pick(['', ' ', '\ufeff', '\n', 'null', '[]', '""', '0'])
    case 4:
      return text + text
    case 5: {
      const levels = random.pick([10, 64, 65, 100, 5_000, 60_000])
      return random.pick(['[', '{"a":']).repeat(levels) + (random.chance(0.5) ? text : '')
    }
    case 6:
      return `\ufeff${text}`
    case 7:
      return text.replaceAll('\n', random.pick(['\r\n', '\r', ' ', '\n\n', '\n \n', '\n\ufeff']))
    default:
      return text.slice(0, at) + random.pick(textPieces) + text.slice(at)
  }
}

/** Encodes a text as invalid UTF-8 or in another encoding. */
function spoiled(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  switch (random.below(4)) {
    case 0:
      return Buffer.from(text, 'utf16le')
    case 1:
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
    case 2:
      return Buffer.from(text, 'latin1')
    default: {
      if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256)
      return bytes
    }
  }
}

const codings = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync }

/** Compresses the bytes, compresses and damages them, or only claims a compression. Mostly unchanged. */
function encoded(bytes: Buffer, random: Random, headers: Record<string, string> = {}): Sent {
  if (random.chance(0.9)) return { bytes, headers }
  if (random.chance(0.3))
    return { bytes, headers: { ...headers, 'content-encoding': random.pick(contentEncodings) } }
  const coding = random.pick(['gzip', 'br', 'zstd', 'deflate'] as const)
  // Sometimes a compression bomb: 40 MiB in 40 KiB or less.
  const content = random.chance(0.02) ? Buffer.alloc(40 * 1_048_576, 0x20) : bytes
  const packed = codings[coding](content)
  if (random.chance(0.4)) packed[random.below(packed.length)]! ^= 1 << random.below(8)
  const cut = random.chance(0.3) ? packed.subarray(0, random.below(packed.length + 1)) : packed
  return { bytes: cut, headers: { ...headers, 'content-encoding': coding } }
}
