/** Facets: values by which lists of public collections are filtered and counted, such as `license:MIT` or `type:Country`. */

/** Numbers of records up to which a collection has a size; more is `large`. */
export const sizeLimits = { small: 1_000, medium: 100_000 } as const

/** Kinds of facets in `collection_words`. */
export type FacetKind = 'license' | 'size' | 'type'

/** Types of a collection that are facets; further ones are found by search only. */
const typesMax = 20
/** Longer licences are no facets. UTF-16 units. */
const licenseMax = 100

/** A value as it is stored. */
export const facetText = (kind: FacetKind, value: string): string => `${kind}:${value}`

/** Facets of a version, all of its public view. */
export function facetsOf(version: {
  license: string | null
  publicRecords: number
  types: readonly string[]
}): string[] {
  const { publicRecords, types } = version
  const license = version.license?.trim() ?? ''
  const isLicense = license !== '' && license.length <= licenseMax && !/\p{Cc}/u.test(license)
  const size =
    publicRecords <= sizeLimits.small ? 'small' : publicRecords <= sizeLimits.medium ? 'medium' : 'large'
  return [
    ...(isLicense ? [facetText('license', license)] : []),
    facetText('size', size),
    ...types.slice(0, typesMax).map((type) => facetText('type', type)),
  ]
}
