/** The licence in the metadata of a version. */
import { oneLine } from './citation.ts'

/** Longer addresses are left out. Characters. */
const urlMax = 2_000

export interface License {
  /** SPDX id, if it has the form of one. */
  readonly id?: string
  /** Undefined for a text that is neither an id nor an address. */
  readonly url?: string
  readonly text: string
}

/** The licence in metadata, which may be any JSON. Undefined unless it is a text. */
export function licenseOf(license: unknown): License | undefined {
  const text = typeof license === 'string' ? oneLine(license) : ''
  if (text === '') return undefined
  if (/^[a-z0-9][a-z0-9.+-]{0,63}$/i.test(text))
    return { id: text, url: `https://spdx.org/licenses/${text}`, text }
  if (!/^https?:\/\//i.test(text)) return { text }
  // `text` may be cut. Parsing encodes what neither a header nor a document may contain.
  const url = URL.parse(String(license).slice(0, urlMax + 1))?.href
  return url === undefined || url.length > urlMax ? { text } : { url, text }
}
