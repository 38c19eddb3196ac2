/** Paths of pages. Only this module percent-encodes the parts of a path. */
import type { FeedLink } from './page.ts'

/** The two slugs of a collection. */
export interface CollectionName {
  readonly owner: string
  readonly slug: string
}

/** @param version a semver; default: pages of the latest version */
export interface VersionPlace extends CollectionName {
  readonly version?: string | undefined
}

/**
 * Path of the collection's own files in rendered readmes; each page fills in its collection. Markdown cannot write this path, because it
 * escapes braces in links.
 */
export const ownFilesPath = '/api/collections/{owner}/{slug}/files/'

/** `encodeURIComponent` leaves `.` and `..`, which URLs remove from paths; such ids are addressed by `?id=`, and `new`, the page that adds one. */
const part = encodeURIComponent

export const accountPath = (slug: string): string => `/${part(slug)}`

/** Path of the collection, or of a page below it: `versionPath(place, 'records')`. */
export function versionPath({ owner, slug, version }: VersionPlace, ...below: string[]): string {
  const within = version === undefined ? [] : ['v', version]
  return `/${[owner, slug, ...within, ...below].map(part).join('/')}`
}

/** The requested page in a version that does not change: paths without one mean the latest. */
export function pathInVersion(place: VersionPlace, semver: string, { pathname, search }: URL): string {
  if (place.version !== undefined) return `${pathname}${search}`
  const below = pathname.split('/').slice(3)
  return `${[versionPath({ ...place, version: semver }), ...below].join('/')}${search}`
}

/** Path of a page of the whole collection, such as its versions. */
export const collectionPath = ({ owner, slug }: CollectionName, ...below: string[]): string =>
  versionPath({ owner, slug }, ...below)

export const recordPath = (place: VersionPlace, type: string, id: string): string =>
  id === '.' || id === '..' || id === 'new'
    ? withQuery(versionPath(place, 'record'), { type, id })
    : versionPath(place, 'records', type, id)

/** Path of the JSON of a version, or of something below it. */
export const apiVersionPath = ({ owner, slug, version }: VersionPlace, ...below: string[]): string =>
  `/api/collections/${[owner, slug, 'versions', version ?? 'latest', ...below].map(part).join('/')}`

export const apiCollectionPath = ({ owner, slug }: CollectionName, ...below: string[]): string =>
  `/api/collections/${[owner, slug, ...below].map(part).join('/')}`

/** Longer places to come back to do not fit into the cookie of a sign-in. Characters. */
const returnMax = 2_000

/** Path of the sign-in that comes back to a page, or to the page without its query if that is too long. */
export function signInPath({ pathname, search }: URL): string {
  const here = `${pathname}${search}`
  return withQuery('/auth/login', { return_to: here.length <= returnMax ? here : pathname })
}

type QueryValue = string | number | undefined

/** Adds a query to a path, which may have one already; omits undefined and empty values. Several values repeat their name. */
export function withQuery(path: string, query: Record<string, QueryValue | readonly QueryValue[]>): string {
  const given = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => (value === undefined || value === '' ? [] : [[name, String(value)]])),
  )
  if (given.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** Feeds of new versions of a collection, in the view of the page. */
export const collectionFeeds = (
  seen: CollectionName & { inView(path: string): string },
): readonly FeedLink[] => [
  { format: 'Atom', path: seen.inView(collectionPath(seen, 'versions.atom')) },
  { format: 'JSON Feed', path: seen.inView(collectionPath(seen, 'feed.json')) },
]

export const accountFeeds = (slug: string): readonly FeedLink[] => [
  { format: 'Atom', path: `${accountPath(slug)}/-/feed.atom` },
]

/** Parts of the URL of a page of records that are its question, apart from `view`. */
export const questionParts = ['q', 'filter', 'sort', 'columns', 'x', 'y', 'by', 'coordinates'] as const
/** Parts that change only what stands beside the answer. */
export const panelParts = ['facets', 'facet', 'profiles', 'bars'] as const

/** Path of this page with another value of a parameter. @param value undefined: without it */
export function toggled({ pathname, searchParams }: URL, name: string, value: string | undefined): string {
  const query = new URLSearchParams(searchParams)
  if (value === undefined) query.delete(name)
  else query.set(name, value)
  return query.size === 0 ? pathname : `${pathname}?${query}`
}
