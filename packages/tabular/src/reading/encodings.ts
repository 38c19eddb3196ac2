/**
 * Detects the encoding of a text file: by byte order mark, by zero bytes, by trying UTF-8, and otherwise by its words (guessed-encoding.ts).
 */
import type { Encoding } from './encoding-names.ts'
import type { Note } from './options.ts'
import { type FileSource, piecesOf } from './source.ts'
import { errorAt, shown } from './table-error.ts'

/** @param head the first bytes of a file @returns undefined if neither a mark nor zero bytes determine it */
export function encodingByMark(head: Uint8Array): string | undefined {
  const [a, b, c, d] = head
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && head.length > 3 ? 'utf-32' : 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32'
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  return encodingByZeros(head.subarray(0, 4096))
}

/** Latin letters, digits and delimiters have a zero in every second byte in UTF-16, and in three of four in UTF-32. */
function encodingByZeros(head: Uint8Array): string | undefined {
  const zeros = [0, 0, 0, 0]
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at % 4]!++
  const [first, second, third, fourth] = zeros.map((count) => count / (head.length / 4)) as [
    number,
    number,
    number,
    number,
  ]
  if (head.length < 8) return undefined
  if (third > 0.7 && (fourth > 0.7 ? second > 0.7 : first > 0.7 && second > 0.7)) return 'utf-32'
  if (second > 0.6 && fourth > 0.6 && first < 0.1 && third < 0.1) return 'utf-16le'
  return first > 0.6 && third > 0.6 && second < 0.1 && fourth < 0.1 ? 'utf-16be' : undefined
}

/**
 * Reads the whole file unless its beginning determines the encoding: the first byte that is not UTF-8 may be anywhere.
 * @param given the encoding that the user chose
 * @throws TableError for UTF-32, an unknown label, and UTF-8 with some invalid bytes
 */
export async function encodingOf(source: FileSource, given: string | undefined): Promise<Encoding> {
  if (given !== undefined) return { encoding: labelOf(source.name, given), notes: [] }
  const head = await source.read(0, Math.min(4096, source.size))
  const marked = encodingByMark(head)
  if (marked === 'utf-32')
    throw errorAt(source.name, 'The file is UTF-32, which few programs read. Save it as UTF-8 and try again.')
  if (marked !== undefined) {
    const hasMark = marked === 'utf-8' || head[0]! >= 0xfe
    return { encoding: marked, notes: hasMark ? [] : [markedNote(marked)] }
  }
  const broken = await firstBroken(source)
  if (broken === undefined) return { encoding: 'utf-8', notes: [] }
  // Imported on demand: most files are UTF-8.
  return (await import('./guessed-encoding.ts')).guessEncoding(source, broken)
}

const markedNote = (encoding: string): Note => ({
  option: 'encoding',
  sentence: `The text is read as ${encoding.toUpperCase()}.`,
  isUncertain: false,
  choices: [{ label: `Read the text as ${encoding.toUpperCase()}`, options: { encoding } }],
})

function labelOf(file: string, label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    const sentence = `There is no encoding ${shown(label)}. Known ones are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis and gb18030.`
    throw errorAt(file, sentence)
  }
}

/** Number of the first piece that is not UTF-8; undefined if all are. */
async function firstBroken(source: FileSource): Promise<number | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let piece = -1
  try {
    for await (const bytes of piecesOf(source)) {
      piece++
      decoder.decode(bytes, { stream: true })
    }
    decoder.decode()
    return undefined
  } catch {
    return piece
  }
}
