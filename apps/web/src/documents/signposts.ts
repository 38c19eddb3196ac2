/**
 * Signs for programs on the page of a version: `Link` headers to its documents and files (FAIR Signposting, RFC 8288), and a schema.org
 * `Dataset` for data set search engines.
 */

import { topicsOf } from '@ulmus/content'
import type { Version } from '@ulmus/wire'
import type { VersionResponse, VisitedCollection } from '../data/collection.ts'
import { licenseOf } from '../data/licence.ts'
import { jsonBytes, readJson, type Visit } from '../page.ts'
import { apiCollectionPath, apiVersionPath, versionPath, withQuery } from '../paths.ts'
import { croissantType } from './croissant.ts'
import { dataFileOf, type FilePlace } from './described.ts'

/** Limit of the header. Proxies commonly accept 8 KiB of all headers. Bytes. */
const headerMax = 4_096
/** A version with more types names its archive instead of a file for each type. */
const itemsMax = 20
/** Longer metadata is not parsed for a header; the documents name its licence. Bytes. */
const metadataMax = 65_536

export function signpostsOf(
  place: FilePlace,
  { metadata, schemas }: Pick<VersionResponse, 'metadata' | 'schemas'>,
): string {
  const { origin, asPublic } = place
  const link = (url: string, rel: string, type?: string): string =>
    `<${url}>; rel="${rel}"${type === undefined ? '' : `; type="${type.replaceAll('"', '\\"')}"`}`
  const view = asPublic ? 'public' : undefined
  const document = (file: string, type: string) =>
    link(origin + withQuery(apiVersionPath(place, file), { view }), 'describedby', type)
  const license =
    jsonBytes(metadata) > metadataMax
      ? undefined
      : licenseOf(readJson<Version['metadata']>(metadata)['license'])?.url
  const links = [
    link(origin + versionPath(place), 'cite-as'),
    document('croissant.json', croissantType),
    document('datapackage.json', 'application/json'),
    document('citation.bib', 'application/x-bibtex'),
    ...(license === undefined ? [] : [link(license, 'license')]),
  ]
  const types = Object.keys(schemas)
  const items = types.slice(0, itemsMax).map((type) => {
    const { url, mediaType } = dataFileOf(type, place)
    return link(url, 'item', mediaType)
  })
  const archive = `${origin}${apiCollectionPath(place, 'export')}?version=${place.version}`
  const whole = [
    link(origin + apiVersionPath(place, 'records.ndjson'), 'item', 'application/x-ndjson'),
    link(archive, 'item', 'application/gzip'),
  ]
  const all = [...links, ...items].join(', ')
  const header = types.length > itemsMax || all.length > headerMax ? [...links, ...whole].join(', ') : all
  return header.length > headerMax ? links[0]! : header
}

/** For a page of the version, in the view of the page. */
export const pageSignposts = (
  { owner, slug, readsAll, view }: VisitedCollection,
  version: VersionResponse,
  { origin, registry }: Visit,
): string =>
  signpostsOf(
    {
      ...{ owner, slug, origin, version: version.semver },
      hasTables: registry.tables.isAvailable,
      asPublic: readsAll && view === 'public',
    },
    version,
  )

/** Google refuses shorter descriptions. Characters. */
const descriptionMin = 50

export function datasetOf(
  seen: VisitedCollection,
  version: Omit<Version, 'schemas'>,
  origin: string,
): object {
  const licence = licenseOf(version.metadata['license'])
  const topics = topicsOf(version.metadata)
  const url = origin + versionPath(seen)
  const description = seen.description ?? ''
  const facts = `${seen.name}, a collection of ${version.recordCount} records by ${seen.ownerName}, version ${version.semver}.`
  const distribution = [
    ['application/gzip', `${apiCollectionPath(seen, 'export')}?version=${version.semver}`],
    ['application/x-ndjson', apiVersionPath({ ...seen, version: version.semver }, 'records.ndjson')],
  ]
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: seen.name,
    description: (description.length >= descriptionMin
      ? description
      : `${description} ${facts}`.trim()
    ).slice(0, 5_000),
    url,
    identifier: version.publicHash,
    version: version.semver,
    dateModified: version.createdAt,
    ...(licence && { license: licence.url ?? licence.text }),
    creator: { '@type': 'Organization', name: seen.ownerName, url: `${origin}/${seen.owner}` },
    ...(topics.length > 0 ? { keywords: topics } : {}),
    isAccessibleForFree: true,
    ...(seen.forkedFrom === undefined ? {} : { isBasedOn: origin + versionPath(seen.forkedFrom) }),
    distribution: distribution.map(([encodingFormat, path]) => ({
      '@type': 'DataDownload',
      encodingFormat,
      contentUrl: `${origin}${path}`,
    })),
  }
}
