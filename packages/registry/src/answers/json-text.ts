/**
 * Stored JSON text that answers include unchanged. Parsing large records would block the event loop, and their hashes cover the
 * exact bytes. Serialize an answer that may contain such text with `jsonOf`, never with `JSON.stringify`.
 */
import { randomUUID } from 'node:crypto'
import { giveWay } from '@ulmus/storage'

/** A value of an answer, as the bytes of its JSON text. */
export class JsonText {
  readonly pieces: readonly Uint8Array[]

  constructor(...pieces: readonly (Uint8Array | string)[]) {
    this.pieces = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  }

  /** Call it only through `jsonOf`. */
  toJSON(): string {
    if (writing === undefined) throw new Error('An answer that holds JSON text is written by `jsonOf`.')
    writing.texts.push(this)
    return writing.mark
  }
}

/** State of the current, synchronous call of `jsonOf`. */
let writing: { mark: string; texts: JsonText[] } | undefined

/** JSON of a value; bytes if the value contains a `JsonText`. */
export function jsonOf(value: unknown): string | Buffer {
  // Unguessable, so that no text within the value can equal it.
  const mark = randomUUID()
  const texts: JsonText[] = []
  const outer = writing
  writing = { mark, texts }
  try {
    const outline = JSON.stringify(value)
    return texts.length === 0 ? outline : filled(outline.split(`"${mark}"`), texts)
  } finally {
    writing = outer
  }
}

/** Bytes of text quoted between two yields to the event loop. */
const quotedAtOnce = 262_144

/** Quotes UTF-8 bytes as a JSON string, piece by piece. */
export async function quoted(bytes: Uint8Array): Promise<string[]> {
  const pieces = ['"']
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + quotedAtOnce, bytes.length)
    // Do not split a character: continuation bytes begin with the bits 10.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
    pieces.push(JSON.stringify(decoder.decode(bytes.subarray(start, end))).slice(1, -1))
    start = end
    await giveWay()
  }
  return [...pieces, '"']
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function filled(outline: readonly string[], texts: readonly JsonText[]): Buffer {
  const pieces: Uint8Array[] = [Buffer.from(outline[0]!)]
  for (const [index, { pieces: within }] of texts.entries())
    pieces.push(...within, Buffer.from(outline[index + 1]!))
  return Buffer.concat(pieces)
}
