/**
 * Encoding of a file that is not UTF-8. Windows-1252 is certain if each word is spelt as in a Western European language; otherwise every
 * encoding in which the words are plausible is named, because only the user can tell.
 */
import { type Encoding, encodingNames, type LegacyEncoding } from './encoding-names.ts'
import type { Choice } from './options.ts'
import { type FileSource, piecesOf } from './source.ts'
import { errorAt, shown } from './table-error.ts'

const choicesFor = (encodings: readonly LegacyEncoding[]): Choice[] =>
  encodings.map((encoding) => ({ label: `Read the text as ${nameOf(encoding)}`, options: { encoding } }))

const nameOf = (encoding: LegacyEncoding): string => new Map(encodingNames).get(encoding)!
const all = encodingNames.map(([encoding]) => encoding)

/** @param pieces before the first that is not UTF-8 @throws TableError if most of the text is UTF-8 */
export async function guessEncoding(source: FileSource, pieces: number): Promise<Encoding> {
  const { line, bytes } = await brokenIn(source, pieces)
  const { isMostlyUtf8, sample } = await sampleOf(source)
  if (isMostlyUtf8) {
    const sentence = `There are bytes that are not UTF-8, though the rest of the file is. Save the file as UTF-8, or read it as another encoding.`
    throw errorAt(source.name, sentence, { line }, 'line', choicesFor(all))
  }
  const textIn = (encoding: LegacyEncoding) => shown(new TextDecoder(encoding).decode(bytes).trim())
  if (isWestern(new TextDecoder('windows-1252').decode(sample))) {
    const sentence = `Line ${line}, ${textIn('windows-1252')}, is not UTF-8. The text is read as ${nameOf('windows-1252')}; if letters look wrong, choose another encoding.`
    const choices = choicesFor(all)
    return {
      encoding: 'windows-1252',
      notes: [{ option: 'encoding', sentence, isUncertain: false, choices }],
    }
  }
  const likely = all.filter((encoding) => isPlausible(encoding, sample))
  const named = likely.length === 0 ? all : likely
  const others = all.filter((encoding) => !named.includes(encoding))
  const readings = named.map((encoding) => `${textIn(encoding)} in ${nameOf(encoding)}`)
  const sentence = `The file does not say its encoding, and is not UTF-8. Line ${line} is ${readings.join(', or ')}.`
  return {
    encoding: named[0]!,
    notes: [{ option: 'encoding', sentence, isUncertain: true, choices: choicesFor([...named, ...others]) }],
  }
}

/** Counts the lines before the first invalid byte. A second pass, because most files have none. */
async function brokenIn(
  source: FileSource,
  piecesBefore: number,
): Promise<{ readonly line: number; readonly bytes: Uint8Array }> {
  let newlines = 0
  let pieces = 0
  for await (const piece of piecesOf(source)) {
    if (pieces++ < piecesBefore) {
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) newlines++
      continue
    }
    const [good = ''] = new TextDecoder().decode(piece).split('\ufffd', 1)
    const before = good.split('\n').length - 1
    let start = 0
    for (let at = 0; at < before; at++) start = piece.indexOf(10, start) + 1
    const end = piece.indexOf(10, start)
    return { line: newlines + before + 1, bytes: piece.subarray(start, end < 0 ? undefined : end) }
  }
  return { line: newlines + 1, bytes: new Uint8Array() }
}

/** Lines with bytes beyond ASCII, up to this length together. Bytes. */
const sampleMax = 2 ** 17

async function sampleOf(source: FileSource): Promise<{ isMostlyUtf8: boolean; sample: Uint8Array }> {
  const decoder = new TextDecoder()
  let [good, bad, length] = [0, 0, 0]
  const lines: Uint8Array[] = []
  for await (const piece of piecesOf(source)) {
    for (const character of decoder.decode(piece, { stream: true }).match(/[^\u0000-\u007f]/gu) ?? [])
      if (character === '\ufffd') bad++
      else good++
    for (let start = 0; start < piece.length && length < sampleMax; ) {
      const end = piece.indexOf(10, start) + 1 || piece.length
      const line = piece.subarray(start, end)
      // A line that is cut by the end of a piece may end within a character.
      if (line.some((byte) => byte > 127) && (line.at(-1) === 10 || end === source.size)) {
        lines.push(line)
        length += line.length
      }
      start = end
    }
  }
  const sample = new Uint8Array(length)
  let at = 0
  for (const line of lines) {
    sample.set(line, at)
    at += line.length
  }
  return {
    isMostlyUtf8: good > bad,
    sample: lines.length === 0 ? await source.read(0, Math.min(source.size, 2 ** 16)) : sample,
  }
}

/** Spellings of words beyond ASCII, in lower case: German, French, Spanish, Catalan, Italian, Portuguese, Dutch, Nordic, Icelandic. */
const spellings = [
  /^[a-zäöüßé]*$/,
  /^[a-zàâæçéèêëîïôœùûüÿ]*$/,
  /^[a-záéíóúüñ]*$/,
  /^[a-zàçèéíïòóúü]*$/,
  /^[a-z]*[àèéìíîòóùú]?$/,
  /^(?:[a-záâàçéêíóôúü]|ã(?=[oes]|$)|õ(?=e))*$/,
  /^[a-zàáèéêëíïóöúü]*$/,
  /^[a-zåäöøæéèêôü]*$/,
  /^(?:[a-záðéíóúýæö]|þ(?=.))*$/,
]

const words = (text: string): string[] => text.match(/[\p{L}\p{M}]+/gu) ?? []
const isForeign = (word: string): boolean => /[^\u0000-\u007f]/.test(word)
/** A sign between letters, or a byte that the encoding does not define. An apostrophe, a dot or a dash joins words. */
const oddSign = /\p{L}[^\p{L}\p{M}\u0000-\u007f’‘´·–—•…\u00a0\u00ad«»“”„]\p{L}|[\u0080-\u009f\ufffd]/u
const isAllForeign = (word: string): boolean => word.length > 2 && !/[a-z]/i.test(word)
const isMixedCase = (word: string): boolean => /\p{Ll}\p{Lu}/u.test(word)

function isWestern(text: string): boolean {
  if (oddSign.test(text)) return false
  return words(text)
    .filter(isForeign)
    .every((word) => {
      const lower = word.toLowerCase()
      return !isAllForeign(word) && spellings.some((spelling) => spelling.test(lower))
    })
}

/** Scripts of encodings whose words have no Latin letters beside. */
const scripts: Partial<Record<LegacyEncoding, RegExp>> = {
  'windows-1251': /^[\u0400-\u045f\u0490\u0491]+$/,
  'koi8-r': /^[\u0400-\u045f]+$/,
  ibm866: /^[\u0400-\u045f]+$/,
  'windows-1253': /^\p{Script=Greek}+$/u,
  'windows-1255': /^[\p{Script=Hebrew}\p{M}]+$/u,
  'windows-1256': /^[\p{Script=Arabic}\p{M}ـ]+$/u,
}

/** Common characters of encodings of two bytes. Rare ones in most places show another encoding. */
const common: Partial<Record<LegacyEncoding, (first: number) => boolean>> = {
  gb18030: (first) => (first >= 0xa1 && first <= 0xa3) || (first >= 0xb0 && first <= 0xd7),
  big5: (first) => first >= 0xa1 && first <= 0xc6,
  shift_jis: (first) => (first >= 0x81 && first <= 0x83) || (first >= 0x88 && first <= 0x97),
  'euc-jp': (first) => (first >= 0xa1 && first <= 0xa5) || (first >= 0xb0 && first <= 0xcf),
  'euc-kr': (first) => (first >= 0xa1 && first <= 0xa3) || (first >= 0xb0 && first <= 0xc8),
}

function isPlausible(encoding: LegacyEncoding, sample: Uint8Array): boolean {
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(sample)
  } catch {
    return false
  }
  const isCommon = common[encoding]
  if (isCommon !== undefined) return mostlyCommon(sample, isCommon) && !/[\ue000-\uf8ff]/.test(text)
  if (oddSign.test(text) || /[\u2500-\u259f]/.test(text)) return false
  const foreign = words(text).filter(isForeign)
  const script = scripts[encoding]
  if (script !== undefined) return foreign.every((word) => script.test(word) && !isMixedCase(word))
  return foreign.every((word) => !isAllForeign(word) && !isMixedCase(word))
}

function mostlyCommon(bytes: Uint8Array, isCommon: (first: number) => boolean): boolean {
  let [pairs, good] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x81) continue
    pairs++
    if (isCommon(bytes[at]!)) good++
    at++
  }
  return good >= pairs * 0.7
}
