/** Paths of pages. Every part of a path is percent-encoded here and nowhere else. */

export interface CollectionName {
  readonly owner: string
  readonly slug: string
}

/** @param version a semver; default: the pages of the latest version, whatever it is */
export interface VersionPlace extends CollectionName {
  readonly version?: string | undefined
}

/** Path of the collection's own files in rendered readmes; each page puts its collection in. Markdown cannot write it: it escapes braces in links. */
export const ownFilesPath = '/api/collections/{owner}/{slug}/files/'

/** `encodeURIComponent`, but `.` and `..`, which URLs would swallow, are not paths: such an id is found by `?id=`. */
const part = encodeURIComponent

export const accountPath = (slug: string): string => `/${part(slug)}`

/** The collection, or a page below it: `versionPath(place, 'records')`. */
export function versionPath({ owner, slug, version }: VersionPlace, ...below: string[]): string {
  const within = version === undefined ? [] : ['v', version]
  return `/${[owner, slug, ...within, ...below].map(part).join('/')}`
}

/** A page of the collection as a whole, such as its versions. */
export const collectionPath = ({ owner, slug }: CollectionName, ...below: string[]): string =>
  versionPath({ owner, slug }, ...below)

export const recordPath = (place: VersionPlace, type: string, id: string): string =>
  id === '.' || id === '..'
    ? withQuery(versionPath(place, 'record'), { type, id })
    : versionPath(place, 'records', type, id)

/** The JSON of a version, or something below it. */
export const apiVersionPath = ({ owner, slug, version }: VersionPlace, ...below: string[]): string =>
  `/api/collections/${[owner, slug, 'versions', version ?? 'latest', ...below].map(part).join('/')}`

export const apiCollectionPath = ({ owner, slug }: CollectionName, ...below: string[]): string =>
  `/api/collections/${[owner, slug, ...below].map(part).join('/')}`

/** Leaves out what is undefined or empty. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}
