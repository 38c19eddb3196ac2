/** Metadata of a collection for data set search engines: schema.org `Dataset`. */
import { topicsOf } from '@ulmus/content'
import type { Version } from '@ulmus/wire'
import { apiCollectionPath, apiVersionPath, versionPath } from '../paths.ts'
import type { SeenCollection } from './collection.ts'
import { licenseOf } from './licence.ts'

/** Google refuses shorter descriptions. Characters. */
const descriptionMin = 50

export function datasetOf(seen: SeenCollection, version: Omit<Version, 'schemas'>, origin: string): object {
  const licence = licenseOf(version.metadata['license'])
  const topics = topicsOf(version.metadata)
  const url = origin + versionPath(seen)
  const said = seen.description ?? ''
  const facts = `${seen.name}, a collection of ${version.recordCount} records by ${seen.ownerName}, version ${version.semver}.`
  const distribution = [
    ['application/gzip', `${apiCollectionPath(seen, 'export')}?version=${version.semver}`],
    ['application/x-ndjson', apiVersionPath({ ...seen, version: version.semver }, 'records.ndjson')],
  ]
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: seen.name,
    description: (said.length >= descriptionMin ? said : `${said} ${facts}`.trim()).slice(0, 5_000),
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
