/** Decodes the bytes of a file to text. */
import { type FileSource, piecesOf } from './source.ts'
import { errorAt } from './table-error.ts'

const newlinesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Pieces of the text, without its byte order mark. @throws TableError for invalid bytes, with their line */
export async function* textsOf(source: FileSource, encoding: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let newlines = 0
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
    } catch {
      const [good = ''] = new TextDecoder(encoding).decode(piece).split('\ufffd', 1)
      const line = newlines + newlinesIn(good) + 1
      const sentence = `There are bytes that are not ${encoding.toUpperCase()}. Save the file as UTF-8 and try again.`
      throw errorAt(source.name, sentence, { line })
    }
  }
  for await (const piece of piecesOf(source)) {
    const text = decode(piece)
    yield text
    newlines += newlinesIn(text)
  }
  const rest = decode()
  if (rest !== '') yield rest
}

/** The beginning of the text, as far as one read returns it. `isCut`: the text continues. */
export async function headOf(
  source: FileSource,
  encoding: string,
): Promise<{ text: string; isCut: boolean }> {
  let text = ''
  let pieces = 0
  for await (const piece of textsOf(source, encoding)) {
    if (++pieces > 1 && text !== '') return { text, isCut: true }
    text += piece
  }
  return { text, isCut: false }
}
