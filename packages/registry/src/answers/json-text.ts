/** JSON that is passed on as it is stored, inside of answers that are written here: nothing of it is parsed on its way out. */
import { randomUUID } from 'node:crypto'
import { giveWay } from '@ulmus/storage'

/** A value of an answer, as the bytes of its JSON text. */
export class JsonText {
  readonly pieces: readonly Uint8Array[]

  constructor(...pieces: readonly (Uint8Array | string)[]) {
    this.pieces = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  }

  /** For `jsonOf` alone. */
  toJSON(): string {
    if (writing === undefined) throw new Error('An answer that holds JSON text is written by `jsonOf`.')
    writing.texts.push(this)
    return writing.mark
  }
}

/** State of the current, synchronous call of `jsonOf`. */
let writing: { mark: string; texts: JsonText[] } | undefined

/** JSON of a value; as bytes where there is a `JsonText` in it. */
export function jsonOf(value: unknown): string | Buffer {
  // Unguessable, so no text within the value can be mistaken for it.
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

/** Text that is decoded and quoted in one turn. Bytes. */
const quotedAtOnce = 262_144

/** The text of some UTF-8 bytes as a JSON string, made piece by piece. */
export async function quoted(bytes: Uint8Array): Promise<string[]> {
  const pieces = ['"']
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + quotedAtOnce, bytes.length)
    // Not within a character: continuation bytes begin with the bits 10.
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
