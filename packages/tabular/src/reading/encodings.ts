/**
 * Detects the encoding of a text file: by byte order mark, by zero bytes, by trying UTF-8; otherwise assumes Windows-1252 and reports it.
 */
import type { Choice, Note } from './options.ts'
import { type FileSource, piecesOf } from './source.ts'
import { errorAt, shown } from './table-error.ts'

export interface Encoding {
  readonly encoding: string
  readonly notes: readonly Note[]
}

const readAs = (encoding: string, label: string): Choice => ({
  label: `Read the text as ${label}`,
  options: { encoding },
})

/** Encodings that the user may try if the guess is wrong. */
const others: readonly Choice[] = [
  readAs('windows-1252', 'Windows-1252 (Western Europe)'),
  readAs('windows-1250', 'Windows-1250 (Central Europe)'),
  readAs('windows-1251', 'Windows-1251 (Cyrillic)'),
  readAs('shift_jis', 'Shift JIS (Japanese)'),
  readAs('gb18030', 'GB 18030 (Chinese)'),
]

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
    return { encoding: marked, notes: hasMark ? [] : [noteOf(marked, marked.toUpperCase(), 'The text')] }
  }
  const broken = await firstBroken(source)
  if (broken === undefined) return { encoding: 'utf-8', notes: [] }
  return guessed(source, broken)
}

function labelOf(file: string, label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    const sentence = `There is no encoding ${shown(label)}. Known ones are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis and gb18030.`
    throw errorAt(file, sentence)
  }
}

interface Broken {
  readonly line: number
  /** The first line that is not UTF-8, decoded as Windows-1252. */
  readonly text: string
}

async function firstBroken(source: FileSource): Promise<Broken | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let piecesBefore = -1
  try {
    for await (const piece of piecesOf(source)) {
      piecesBefore++
      decoder.decode(piece, { stream: true })
    }
    decoder.decode()
    return undefined
  } catch {
    return brokenIn(source, piecesBefore)
  }
}

/** Counts the lines before the first invalid byte. A second pass, because most files have none. */
async function brokenIn(source: FileSource, piecesBefore: number): Promise<Broken> {
  let newlines = 0
  let pieces = 0
  for await (const piece of piecesOf(source)) {
    if (pieces++ < piecesBefore) {
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) newlines++
      continue
    }
    const [good = ''] = new TextDecoder().decode(piece).split('\ufffd', 1)
    const lines = good.split('\n').length
    const text = new TextDecoder('windows-1252').decode(piece).split('\n')[lines - 1] ?? ''
    return { line: newlines + lines, text }
  }
  return { line: newlines + 1, text: '' }
}

/** Windows-1252, uncertain if it has bytes that Windows-1252 does not define. @throws TableError if most non-ASCII text is UTF-8 */
async function guessed(source: FileSource, { line, text }: Broken): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8')
  let good = 0
  let bad = 0
  let isForeign = false
  for await (const piece of piecesOf(source)) {
    for (const character of decoder.decode(piece, { stream: true }).match(/[^\u0000-\u007f]/gu) ?? [])
      if (character === '\ufffd') bad++
      else good++
    isForeign ||= piece.some((byte) => byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90)
  }
  if (good > bad) {
    const sentence = `There are bytes that are not UTF-8, though the rest of the file is. Save the file as UTF-8, or read it as another encoding.`
    throw errorAt(source.name, sentence, { line }, 'line', others)
  }
  const value = shown(text.trim())
  return {
    encoding: 'windows-1252',
    notes: [
      noteOf('windows-1252', 'Windows-1252 (Western Europe)', `Line ${line}, ${value},`, isForeign, others),
    ],
  }
}

function noteOf(
  encoding: string,
  label: string,
  subject: string,
  isUncertain = false,
  choices: readonly Choice[] = [readAs(encoding, label)],
): Note {
  const sentence =
    encoding === 'windows-1252'
      ? `${subject} is not UTF-8. The text is read as ${label}; if letters look wrong, choose another encoding.`
      : `${subject} is read as ${label}.`
  return { option: 'encoding', sentence, isUncertain, choices }
}
