/** What pages of a collection know of it, read once a visit. */
import { type Principal, RegistryError } from '@ulmus/registry'
import type { Collection, Version } from '@ulmus/wire'
import { counted } from '../format.ts'
import { readJson, type Visit } from '../page.ts'
import { type VersionPlace, withQuery } from '../paths.ts'

export interface SeenCollection extends VersionPlace {
  /** As it was asked for: `version` is absent where the page shows the latest, whatever it is. */
  readonly place: VersionPlace
  readonly name: string
  readonly description: string | null
  readonly isPublic: boolean
  readonly detail: Collection
  /** Semver of the newest version; null before the first. */
  readonly latest: string | null
  readonly forkedFrom: Collection['forkedFrom']
  /** Whether the visitor is a member of the owner, and may do what members do. */
  readonly isMember: boolean
  readonly mayWork: boolean
  readonly mayDelete: boolean
  /** As whom the page is read. */
  readonly view: 'full' | 'public'
  /** For members: what the public does not see, in a sentence. Undefined: nothing to say. */
  readonly difference: string | undefined
  /** The path of this page, without its query. */
  readonly here: string
  /** A path, with the view that this page is read in. */
  inView(path: string): string
  /** Reads as this page does. */
  readonly who: Principal
}

/** Version labels in paths may leave the `v` out. */
const semverPattern = /^v?(\d+\.\d+\.\d+)$/

/** @throws collection_not_found, Moved, version_not_found for what is no semver */
export async function seeCollection(visit: Visit): Promise<SeenCollection> {
  const { registry, params, url } = visit
  const path = { owner: params['owner']!, slug: params['slug']! }
  const asked = params['version']
  const version = asked === undefined ? undefined : semverOf(asked)
  const standing = await registry.collections.standing(visit.who, path)
  const asPublic = standing.isMember && url.searchParams.get('view') === 'public'
  const who: Principal =
    asPublic && visit.who.kind !== 'anonymous' ? { ...visit.who, view: 'public' } : visit.who
  const detail = readJson<Collection>(await registry.collections.detail(who, path))
  const place = { ...path, ...(version === undefined ? {} : { version }) }
  const latest = detail.latestVersion?.semver ?? null
  return {
    ...path,
    place,
    version,
    name: detail.name,
    description: detail.description,
    isPublic: detail.public,
    detail,
    latest,
    forkedFrom: detail.forkedFrom,
    ...standing,
    view: standing.isMember && !asPublic ? 'full' : 'public',
    difference:
      standing.isMember && latest !== null ? await differenceOf(visit, place, detail.public) : undefined,
    here: url.pathname,
    inView: (to) => (asPublic ? withQuery(to, { view: 'public' }) : to),
    who,
  }
}

/** @throws version_not_found */
function semverOf(asked: string): string {
  const [, numbers] = semverPattern.exec(asked) ?? []
  if (numbers === undefined) throw new RegistryError('version_not_found', { say: { version: asked } })
  return `v${numbers}`
}

/** What anyone may see of a version, in the visitor's view. @throws version_not_found */
export async function readVersion(visit: Visit, seen: SeenCollection): Promise<Version> {
  const v = seen.place.version ?? 'latest'
  return readJson<Version>(await visit.registry.versions.detail(seen.who, { ...seen.place, v }))
}

/** What members see and the public does not, of the version shown. */
async function differenceOf(
  visit: Visit,
  place: VersionPlace,
  isPublic: boolean,
): Promise<string | undefined> {
  if (visit.who.kind === 'anonymous') return undefined
  const path = { ...place, v: place.version ?? 'latest' }
  const { versions } = visit.registry
  const [full, open] = await Promise.all([
    versions.detail(visit.who, path).then(readJson<Version>),
    versions.detail({ ...visit.who, view: 'public' }, path).then(readJson<Version>),
  ])
  const hidden = [
    ...(full.recordCount > open.recordCount
      ? [`${full.recordCount - open.recordCount} of ${counted(full.recordCount, 'record')} are hidden`]
      : []),
    ...named(
      'type',
      Object.keys(full.schemas).filter((type) => open.schemas[type] === undefined),
    ),
    ...named('field', hiddenFields(full, open)),
  ]
  const rest = hidden.join('; ')
  if (!isPublic)
    return `The collection is private: nobody else sees it.${rest === '' ? '' : ` Made public, it would hide: ${rest}.`}`
  return rest === '' ? undefined : `The public does not see all: ${rest}.`
}

function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const shown = names.slice(0, 5).join(', ')
  return [
    `${what}${names.length > 1 ? 's' : ''} ${shown}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`,
  ]
}

function hiddenFields(full: Version, open: Version): string[] {
  const fieldsOf = (schema: unknown) => Object.keys((schema as { properties?: object }).properties ?? {})
  return Object.entries(open.schemas).flatMap(([type, schema]) => {
    const shown = new Set(fieldsOf(schema))
    return fieldsOf(full.schemas[type])
      .filter((field) => !shown.has(field))
      .map((field) => `${type}.${field}`)
  })
}
