/** Stored leaves built from records, for tests. */
import { crc32 } from 'node:zlib'
import {
  encodeNode,
  type Hash,
  hashBytes,
  hashText,
  type JsonObject,
  leafBodyOf,
  recordOf,
  referenceLineTo,
} from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { encodeObjectHere } from '@ulmus/storage/encoding'
import type { ComparedLeaf } from './compare-leaves.ts'

/** Data of records of one type, by ascending id. */
export type Contents = Record<string, JsonObject>

const isLarge = (canonical: string) => Buffer.byteLength(canonical) > 16_384

/** Expected line of a record in a body. */
export const lineOf = (id: string, data: JsonObject): string => {
  const { canonical, hash } = recordOf(id, 'T', data)
  return isLarge(canonical) ? Buffer.from(referenceLineTo(hash)).toString() : canonical
}

/** A leaf before it is stored. */
export interface Raw {
  hash: Hash
  text: Buffer
  lines: string[]
  lastKey: string
}

export function rawOf(held: Contents): Raw {
  const records = Object.entries(held).map(([id, data]) => recordOf(id, 'T', data))
  const keys = records.map(({ id }) => id)
  const hashes = records.map(({ hash }) => hash)
  const sizes = records.map(({ canonical }) => Buffer.byteLength(canonical))
  const text = encodeNode({ kind: 'leaf', tree: 'records', keys, hashes, sizes })
  const lines = records.map(({ id }) => lineOf(id, held[id]!))
  return { hash: hashText(text), text: Buffer.from(text), lines, lastKey: keys.at(-1)! }
}

const rawBody = ({ lines }: Raw) => leafBodyOf(lines.map((line) => Buffer.from(line)))

function stored(kind: 'plain' | 'body', hash: Hash, raws: Uint8Array[], bases: Hash[]): EncodedObject {
  const chain = raws.map((raw, index) => {
    const bytes = encodeObjectHere(raw, raws[index + 1])
    return { hash: [hash, ...bases][index]!, pack: 'pack', crc: crc32(bytes), bytes }
  })
  return { kind, hash, checksum: hashBytes(raws[0]!), chain, base: undefined }
}

/** The leaf as stored: alone, or as a delta against others, nearest first. */
export function leafOf(raw: Raw, ...bases: Raw[]): ComparedLeaf & { body: EncodedObject } {
  const hashes = bases.map(({ hash }) => hash)
  return {
    hash: raw.hash,
    lastKey: raw.lastKey,
    node: stored(
      'plain',
      raw.hash,
      [raw, ...bases].map(({ text }) => text),
      hashes,
    ),
    body: stored('body', raw.hash, [raw, ...bases].map(rawBody), hashes),
  }
}
