import type { Note } from './options.ts'

/** Encodings of texts that are not UTF-8, by their names in `TextDecoder`. */
export const encodingNames = [
  ['windows-1252', 'Windows-1252 (Western Europe)'],
  ['windows-1250', 'Windows-1250 (Central Europe)'],
  ['windows-1251', 'Windows-1251 (Cyrillic)'],
  ['koi8-r', 'KOI8-R (Cyrillic)'],
  ['ibm866', 'IBM866 (Cyrillic)'],
  ['windows-1253', 'Windows-1253 (Greek)'],
  ['windows-1254', 'Windows-1254 (Turkish)'],
  ['windows-1255', 'Windows-1255 (Hebrew)'],
  ['windows-1256', 'Windows-1256 (Arabic)'],
  ['windows-1257', 'Windows-1257 (Baltic)'],
  ['gb18030', 'GB 18030 (Chinese)'],
  ['big5', 'Big5 (Chinese)'],
  ['shift_jis', 'Shift JIS (Japanese)'],
  ['euc-jp', 'EUC-JP (Japanese)'],
  ['euc-kr', 'EUC-KR (Korean)'],
] as const

/** Encoding of a file, and what the user should know about it. */
export interface Encoding {
  readonly encoding: string
  readonly notes: readonly Note[]
}

export type LegacyEncoding = (typeof encodingNames)[number][0]
