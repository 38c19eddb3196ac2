/** Data that all pages of a collection need, read once per visit. */

import type { PlainSchema } from '@ulmus/content'
import { type Principal, RegistryError } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { counted, cutName, cutText, withoutUnseen } from '../format.ts'
import { readJson, type Visit } from '../page.ts'
import { panelParts, questionParts, type VersionPlace, withQuery } from '../paths.ts'
import { ownText, savedText } from './saved.ts'

type CollectionResponse = Awaited<ReturnType<Visit['registry']['collections']['shown']>>

/** A version as the registry returns it. The page that needs its large parts parses them. */
export type VersionResponse = NonNullable<CollectionResponse['version']>

/** A collection for rendering. `version` is absent if the page always shows the latest version. */
export interface VisitedCollection extends VersionPlace, CallerRights {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isPublic: boolean
  readonly ownerName: string
  readonly createdAt: string
  /** Semver of the newest version; null before the first. */
  readonly latest: string | null
  readonly next: CollectionResponse['next']
  readonly forkedFrom: CollectionResponse['forkedFrom']
  /** True: the visitor may see a saved question. */
  readonly hasQuestions: boolean
  /** Deprecation warning of the shown version, if any. */
  readonly deprecation: string | undefined
  /** For members: since when and why operators hide the collection. */
  readonly hiddenByOperators: CollectionResponse['hiddenByOperators']
  /** For an operator who opened the collection: until when, and why. */
  readonly openedByOperator: CollectionResponse['openedByOperator']
  /** The visitor's view. */
  readonly view: 'full' | 'public'
  /** For members: a sentence about what the public cannot see of the version. Undefined: no difference. */
  readonly difference: string | undefined
  /** Sentence that confirms the form before this page, for the visitor who sent it. */
  readonly saved: string | undefined
  /** Path of this page in the other view. */
  readonly inOtherView: string
  /** Query of this page that its versions share: a filter, a statement. */
  readonly question: Readonly<Record<string, readonly string[]>>
  /** Adds the current view to a path. */
  inView(path: string): string
  /** Principal with the rights of this page's view. Use it for every read: `visit.who` would show private data in the public view. */
  readonly who: Principal
}

type CallerRights = CollectionResponse['rights']

/** The `v` of a version in a path is optional. */
const semverPattern = /^v?(\d+\.\d+\.\d+)$/

/** @throws collection_not_found, MovedError, version_not_found if the path has no valid semver */
export const seeCollection = async (visit: Visit): Promise<VisitedCollection> =>
  (await see(visit, false)).seen

/**
 * Same as `seeCollection`, with the version that the page shows; null if the collection has none yet.
 * @throws collection_not_found, MovedError, version_not_found, busy
 */
export const seeVersion = (
  visit: Visit,
): Promise<{ seen: VisitedCollection; version: VersionResponse | null }> => see(visit, true)

async function see(visit: Visit, withVersion: boolean) {
  const { registry, params, url } = visit
  const path = { owner: params['owner']!, slug: params['slug']! }
  const semver = params['version']
  const place = { ...path, version: semver === undefined ? undefined : semverOf(semver) }
  // The form of a question is a `view`, too.
  const wantsPublic = url.searchParams.getAll('view').includes('public')
  const ask = { asPublic: wantsPublic, withVersion }
  const response = await registry.collections.shown(visit.who, versionOf(place), ask)
  const { facts, rights, latest, forkedFrom, version, hidden } = response
  const asPublic = rights.readsAll && wantsPublic
  const seen: VisitedCollection = {
    ...place,
    ...rights,
    id: facts.id,
    name: facts.name,
    description: facts.description,
    isPublic: facts.public,
    ownerName: facts.ownerName,
    createdAt: facts.createdAt,
    latest,
    question: questionIn(url.searchParams),
    next: response.next,
    forkedFrom,
    hasQuestions: response.hasQuestions,
    deprecation: version?.deprecated?.message,
    hiddenByOperators: response.hiddenByOperators,
    openedByOperator: response.openedByOperator,
    view: rights.readsAll && !asPublic ? 'full' : 'public',
    difference:
      hidden && differenceText(hidden, { isPublic: facts.public, asPublic, opening: response.opening }),
    saved: sentenceFor(visit, rights, latest),
    inOtherView: otherView(url, asPublic),
    inView: (to) => (asPublic ? withQuery(to, { view: 'public' }) : to),
    who: asPublic ? publicly(visit.who) : visit.who,
  }
  return { seen, version }
}

/** Sentences about versions and settings are for editors. */
function sentenceFor({ url, caller }: Visit, rights: CallerRights, latest: string | null) {
  const own = caller && ownText(url)
  return own ?? (rights.may('write') || rights.may('describe') ? savedText(url, latest) : undefined)
}

/** Parameters of the pages of records and of SQL that ask the same of any version. */
function questionIn(parameters: URLSearchParams): VisitedCollection['question'] {
  const names = [...questionParts, ...panelParts, 'sql']
  const parts = names.map((name) => [name, parameters.getAll(name)] as const)
  const form = parameters.getAll('view').filter((view) => view !== 'public')
  return Object.fromEntries([...parts, ['view', form]])
}

/** The view of non-members. */
export const publicly = (who: Principal): Principal =>
  who.kind === 'anonymous' ? who : { ...who, view: 'public' }

/** Address of the same page in the other view. Keeps the rest of the query. */
function otherView(url: URL, asPublic: boolean): string {
  const query = new URLSearchParams(url.searchParams)
  query.delete('saved')
  if (asPublic) query.delete('view', 'public')
  else query.append('view', 'public')
  return query.size === 0 ? url.pathname : `${url.pathname}?${query}`
}

/** @throws version_not_found */
function semverOf(text: string): string {
  const [, numbers] = semverPattern.exec(text) ?? []
  if (numbers === undefined) throw new RegistryError('version_not_found', { say: { version: text } })
  return `v${numbers}`
}

/** Parameters of a version for service calls. */
export const versionOf = ({ owner, slug, version = 'latest' }: VersionPlace) => ({ owner, slug, v: version })

/** Reads and parses a complete version, in the view of the page. @throws version_not_found */
export const readVersion = async ({ registry }: Visit, seen: VisitedCollection): Promise<Version> =>
  readJson<Version>(await registry.versions.detail(seen.who, versionOf(seen)))

/** Schema of a type, up to 4 MiB; undefined: the version has no such type. */
export const schemaIn = ({ schemas }: VersionResponse, type: string): PlainSchema | undefined =>
  Object.hasOwn(schemas, type) ? readJson<PlainSchema>(schemas[type]) : undefined

/** Private parts of the version as a sentence, for members only. */
function differenceText(
  { records, recordsInAll, types, fields }: NonNullable<CollectionResponse['hidden']>,
  {
    isPublic,
    asPublic,
    opening,
  }: { isPublic: boolean; asPublic: boolean; opening: CollectionResponse['opening'] },
): string | undefined {
  const rest = [
    ...(records > 0
      ? [`${records} of ${counted(recordsInAll, 'record')} ${records === 1 ? 'is' : 'are'} hidden`]
      : []),
    ...named('type', types),
    ...named('column', fields),
  ].join('; ')
  if (isPublic) return rest === '' ? undefined : `The public does not see all: ${rest}.`
  const older = olderText(opening)
  if (asPublic)
    return `The public sees nothing: the collection is private. Made public, it would look like this${rest === '' ? '' : `, without ${rest}`}.${older}`
  return `The collection is private: the public sees nothing of it.${rest === '' ? '' : ` Made public, its latest version would still hide: ${rest}.`}${older}`
}

/** Summary of what older versions would show; the settings name all of it. */
function olderText(opening: CollectionResponse['opening']): string {
  if (opening.length === 0) return ''
  const [first] = opening.map(({ message }) => cutText(withoutUnseen(message.replaceAll('`', '')), 300))
  const more = opening.length > 1 ? ` Settings lists ${opening.length - 1} more.` : ''
  return ` Made public, its older versions would show more. ${first}${more}`
}

function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const listed = names
    .slice(0, 5)
    .map((name) => withoutUnseen(cutName(name, 80)))
    .join(', ')
  return [
    `${what}${names.length > 1 ? 's' : ''} ${listed}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`,
  ]
}
