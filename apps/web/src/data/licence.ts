/** The licence in the metadata of a version, and the licence identifiers of SPDX. */
import deprecatedIds from 'spdx-license-ids/deprecated.json' with { type: 'json' }
import currentIds from 'spdx-license-ids/index.json' with { type: 'json' }
import { oneLine } from './citation.ts'

/** Longer addresses are left out. Characters. */
const urlMax = 2_000

/** Identifiers of SPDX by their lower case. SPDX has none that differ in case alone. */
const knownIds = new Map([...deprecatedIds, ...currentIds].map((id) => [id.toLowerCase(), id]))

/** Licences for data and for programs that are used most, with their titles. */
const common = {
  'CC0-1.0': 'Creative Commons Zero 1.0, public domain',
  'CC-BY-4.0': 'Creative Commons Attribution 4.0',
  'CC-BY-SA-4.0': 'Creative Commons Attribution Share Alike 4.0',
  'CC-BY-NC-4.0': 'Creative Commons Attribution Non Commercial 4.0',
  'ODbL-1.0': 'Open Data Commons Open Database License 1.0',
  'PDDL-1.0': 'Open Data Commons Public Domain Dedication 1.0',
  'ODC-By-1.0': 'Open Data Commons Attribution 1.0',
  MIT: 'MIT License',
  'Apache-2.0': 'Apache License 2.0',
}

/** Identifiers to suggest, with their titles if these are known: common licences first, then all that SPDX recommends. */
export const suggestedLicences: readonly (readonly [id: string, title?: string])[] = [
  ...Object.entries(common),
  ...currentIds.filter((id) => !Object.hasOwn(common, id)).map((id) => [id] as const),
]

/** The identifier that a text differs from only in case, or in spaces for hyphens: `CC-BY-4.0` for `cc by 4.0`. Undefined if there is none. */
export function licenceMeant(text: string): string | undefined {
  const id = knownIds.get(text.trim().toLowerCase().replace(/\s+/g, '-'))
  return id === text ? undefined : id
}

export interface License {
  /** SPDX id, if SPDX has it. */
  readonly id?: string
  /** Undefined for a text that is neither an id nor an address. */
  readonly url?: string
  readonly text: string
}

/** The licence in metadata, which may be any JSON. Undefined unless it is a text. */
export function licenseOf(license: unknown): License | undefined {
  const text = typeof license === 'string' ? oneLine(license) : ''
  if (text === '') return undefined
  if (knownIds.get(text.toLowerCase()) === text)
    return { id: text, url: `https://spdx.org/licenses/${text}`, text }
  if (!/^https?:\/\//i.test(text)) return { text }
  // `text` may be cut. Parsing encodes what neither a header nor a document may contain.
  const url = URL.parse(String(license).slice(0, urlMax + 1))?.href
  return url === undefined || url.length > urlMax ? { text } : { url, text }
}
