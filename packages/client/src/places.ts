/** Paths of the API, percent-encoded. */

/** A collection by its path: `owner/slug`, or the two apart. */
export type CollectionRef = string | { readonly owner: string; readonly slug: string }

const segment = encodeURIComponent

/**
 * URL parsers take `.` and `..` for steps here and up, percent-encoded or not, so such a name would lead to another call.
 * @throws TypeError for a path with one
 */
export function demandPath(path: string): void {
  const step = path.split('/').find((name) => name === '.' || name === '..')
  if (step !== undefined) throw new TypeError(`\`${step}\` is no name that an address can carry.`)
}

export const accountPlace = (slug: string): string => `/api/accounts/${segment(slug)}`

/** @throws TypeError when a text is not `owner/slug`. */
export const partsOf = (ref: CollectionRef): { owner: string; slug: string } =>
  typeof ref === 'string' ? splitRef(ref) : ref

/** @throws TypeError when a text is not `owner/slug`. */
export function collectionPlace(ref: CollectionRef): string {
  const { owner, slug } = partsOf(ref)
  return `/api/collections/${segment(owner)}/${segment(slug)}`
}

function splitRef(ref: string): { owner: string; slug: string } {
  const [owner, slug, ...rest] = ref.split('/')
  if (!owner || !slug || rest.length > 0)
    throw new TypeError(`\`${ref}\` is no collection: write \`owner/slug\`.`)
  return { owner, slug }
}

/** `version`: `latest`, a semver or a digest. */
export const versionPlace = (ref: CollectionRef, version: string): string =>
  `${collectionPlace(ref)}/versions/${segment(version)}`

export const filePlace = (ref: CollectionRef, hash: string): string =>
  `${collectionPlace(ref)}/files/${segment(hash)}`

export const pushPlace = (ref: CollectionRef, session: string): string =>
  `${collectionPlace(ref)}/pushes/${segment(session)}`

export const snapshotPlace = (ref: CollectionRef, session: string): string =>
  `${collectionPlace(ref)}/versions/negotiate/${segment(session)}`
