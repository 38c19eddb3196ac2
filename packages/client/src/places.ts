/** Path parameters for collections and versions, from the references that users pass to calls. */

/** A collection's path: `owner/slug`, or both parts separately. */
export type CollectionRef = string | { readonly owner: string; readonly slug: string }

/** @throws TypeError if a text is not `owner/slug`. */
export const partsOf = (ref: CollectionRef): { owner: string; slug: string } =>
  typeof ref === 'string' ? splitRef(ref) : ref

function splitRef(ref: string): { owner: string; slug: string } {
  const [owner, slug, ...rest] = ref.split('/')
  if (!owner || !slug || rest.length > 0)
    throw new TypeError(`\`${ref}\` is not a collection: use \`owner/slug\`.`)
  return { owner, slug }
}

/** Path parameters of a version: `latest`, a semver or a digest. */
export const versionParts = (ref: CollectionRef, v: string) => ({ ...partsOf(ref), v })
