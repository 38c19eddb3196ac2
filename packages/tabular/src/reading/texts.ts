/** The bytes of a file as text: UTF-8, or UTF-16 where a byte order mark says so. */
import { type FileSource, piecesOf } from './source.ts'
import { errorAt } from './table-error.ts'

/** @param head the first bytes of a file, two or more */
export const encodingOf = (head: Uint8Array): string => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

const newlinesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Pieces of the text, without its byte order mark. @throws TableError for bytes that are no text, with their line */
export async function* textsOf(source: FileSource): AsyncGenerator<string, void> {
  let decoder: TextDecoder | undefined
  let encoding = 'utf-8'
  let newlines = 0
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder!.decode() : decoder!.decode(piece, { stream: true })
    } catch {
      const [good = ''] = new TextDecoder(encoding).decode(piece).split('\ufffd', 1)
      const line = newlines + newlinesIn(good) + 1
      const sentence = `There are bytes that are not ${encoding.toUpperCase()}. Save the file as UTF-8 and try again.`
      throw errorAt(source.name, sentence, { line })
    }
  }
  for await (const piece of piecesOf(source)) {
    if (decoder === undefined) {
      encoding = encodingOf(piece)
      decoder = new TextDecoder(encoding, { fatal: true })
    }
    const text = decode(piece)
    yield text
    newlines += newlinesIn(text)
  }
  if (decoder !== undefined) {
    const rest = decode()
    if (rest !== '') yield rest
  }
}
