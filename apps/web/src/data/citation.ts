/** Citations of a version, from its metadata (`title`, `creators`), else from the collection. */
import type { Version } from '@ulmus/wire'
import { withoutUnseen } from '../format.ts'
import { versionPath } from '../paths.ts'
import type { VisitedCollection } from './collection.ts'

/** A collection as citations name it. */
export type CitedCollection = Pick<VisitedCollection, 'owner' | 'slug' | 'name' | 'ownerName' | 'isPublic'>

/** A version with its metadata parsed. */
export type CitedVersion = Omit<Version, 'schemas'>

/** A text to paste, with the name of its format. `file`: name of the same text below the version's URL. */
export interface Citation {
  readonly form: string
  readonly file: string
  readonly text: string
}

export interface CitationFacts {
  readonly title: string
  readonly creators: readonly string[]
  readonly year: string
  readonly date: string
  readonly semver: string
  /** Permanent address of the version's page. */
  readonly url: string
  readonly digest: string
  readonly key: string
}

/** Maximum number of cited creators. */
const creatorsMax = 100
/** Maximum length of a name or title. Characters. */
const nameCharactersMax = 300

/** Text for one line of a document: without control and invisible characters, and cut. */
export const oneLine = (text: string): string =>
  withoutUnseen(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, nameCharactersMax)

/** People or organizations in `metadata.creators`: texts, or objects with a `name`. */
function creatorsOf(value: unknown, owner: string): string[] {
  const names = (Array.isArray(value) ? value : [value])
    .slice(0, creatorsMax)
    .map((one) => (typeof one === 'object' && one !== null ? (one as { name?: unknown }).name : one))
    .filter((name) => typeof name === 'string')
    .map(oneLine)
    .filter((name) => name !== '')
  return names.length === 0 ? [owner] : names
}

export function citationFacts(seen: CitedCollection, version: CitedVersion, origin: string): CitationFacts {
  const { title, creators } = version.metadata as { title?: unknown; creators?: unknown }
  const date = version.createdAt.slice(0, 10)
  return {
    title: typeof title === 'string' && oneLine(title) !== '' ? oneLine(title) : oneLine(seen.name),
    creators: creatorsOf(creators, oneLine(seen.ownerName)),
    year: date.slice(0, 4),
    date,
    semver: version.semver,
    url: origin + versionPath({ ...seen, version: version.semver }),
    // Readers without membership can verify only the public digest.
    digest: seen.isPublic ? version.publicHash : version.hash,
    key: `${seen.owner}-${seen.slug}-${version.semver}`,
  }
}

/** The citation in each format, as text to paste. */
export function citationsOf(seen: CitedCollection, version: CitedVersion, origin: string): Citation[] {
  const facts = citationFacts(seen, version, origin)
  return [
    { form: 'Text', file: 'citation.txt', text: plain(facts) },
    { form: 'BibTeX', file: 'citation.bib', text: bibtex(facts) },
    { form: 'CSL-JSON', file: 'citation.csl.json', text: JSON.stringify([csl(facts)], null, 2) },
    { form: 'RIS', file: 'citation.ris', text: ris(facts) },
  ]
}

/** A question about a version, with the size of its answer. */
export interface CitedResult {
  /** `12 of 250 records where region is Africa` */
  readonly part: string
  /** Address of the question about this version. */
  readonly url: string
  readonly accessed: Date
}

const dayText = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The citation of an answer: of its version, with the part that it is. */
export function resultCitationsOf(
  seen: CitedCollection,
  version: CitedVersion,
  { part, url, accessed }: CitedResult,
): Omit<Citation, 'file'>[] {
  const facts = { ...citationFacts(seen, version, ''), url }
  const { creators, year, title, semver, digest } = facts
  const day = `accessed ${dayText.format(accessed)}`
  const text = `${creators.join('; ')} (${year}). ${title} (${semver}) [Data set], ${part}, ${day}. ${url}. Digest ${digest}`
  return [
    { form: 'Text', text },
    { form: 'BibTeX', text: bibtex({ ...facts, key: `${facts.key}-part` }, `${part}, ${day}`) },
  ]
}

const plain = ({ creators, year, title, semver, url, digest }: CitationFacts): string =>
  `${creators.join('; ')} (${year}). ${title} (${semver}) [Data set]. ${url}. Digest ${digest}`

const bibtexEscapes: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
}
const bibtexText = (text: string): string =>
  text.replace(/[\\~^]|[{}&%$#_]/g, (sign) => bibtexEscapes[sign] ?? `\\${sign}`)

/** @param part of the version that is cited, with the day of access */
export const bibtex = (
  { key, creators, title, year, semver, url, digest }: CitationFacts,
  part?: string,
): string => `@misc{${key},
  author = {${creators.map((name) => `{${bibtexText(name)}}`).join(' and ')}},
  title = {{${bibtexText(title)}}},
  year = {${year}},
  version = {${semver}},
  url = {${url}},
  note = {Data set, ${part === undefined ? '' : `${bibtexText(part)}, `}${digest}}
}`

const csl = ({ key, creators, title, date, semver, url, digest }: CitationFacts): object => ({
  id: key,
  type: 'dataset',
  title,
  author: creators.map((literal) => ({ literal })),
  issued: { 'date-parts': [date.split('-').map(Number)] },
  version: semver,
  URL: url,
  note: digest,
})

const ris = ({ creators, title, year, date, semver, url, digest }: CitationFacts): string =>
  [
    'TY  - DATA',
    ...creators.map((name) => `AU  - ${name}`),
    `TI  - ${title}`,
    `PY  - ${year}`,
    `DA  - ${date.replaceAll('-', '/')}/`,
    `ET  - ${semver}`,
    `UR  - ${url}`,
    `N1  - ${digest}`,
    'ER  - ',
  ].join('\n')
