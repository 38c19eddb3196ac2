/** What pages of a collection know of it, read once a visit. */
import { demand, type Principal, RegistryError } from '@ulmus/registry'
import type { Collection, Version } from '@ulmus/wire'
import { counted, cutText, withoutUnseen } from '../format.ts'
import { readJson, type Visit } from '../page.ts'
import { type VersionPlace, withQuery } from '../paths.ts'
import { own } from './own.ts'

/** A collection as a page shows it. `version` is absent where the page shows the latest, whatever it is. */
export interface SeenCollection extends VersionPlace, Standing {
  readonly name: string
  readonly description: string | null
  readonly isPublic: boolean
  readonly detail: Collection
  /** Semver of the newest version; null before the first. */
  readonly latest: string | null
  readonly forkedFrom: Collection['forkedFrom']
  readonly mayWork: boolean
  /** As whom the page is read. */
  readonly view: 'full' | 'public'
  /** For members: what the public does not see of the version, in a sentence. Undefined: nothing to say. */
  readonly difference: string | undefined
  /** This page, in the other view. */
  readonly inOtherView: string
  /** A path, with the view that this page is read in. */
  inView(path: string): string
  /** Reads as this page does. */
  readonly who: Principal
}

type Standing = Awaited<ReturnType<Visit['registry']['collections']['standing']>>

/** Version labels in paths may leave the `v` out. */
const semverPattern = /^v?(\d+\.\d+\.\d+)$/

/** @throws collection_not_found, Moved, version_not_found for what is no semver */
export async function seeCollection(visit: Visit): Promise<SeenCollection> {
  const { registry, params, url } = visit
  const path = { owner: params['owner']!, slug: params['slug']! }
  const asked = params['version']
  const place = { ...path, version: asked === undefined ? undefined : semverOf(asked) }
  const standing = await registry.collections.standing(visit.who, path)
  const asPublic = standing.isMember && url.searchParams.get('view') === 'public'
  const who = asPublic ? publicly(visit.who) : visit.who
  const detail = readJson<Collection>(await registry.collections.detail(who, path))
  const isCompared = standing.isMember && detail.latestVersion !== null
  return {
    ...place,
    ...standing,
    mayWork: standing.work === 'ok',
    name: detail.name,
    description: detail.description,
    isPublic: detail.public,
    detail,
    latest: detail.latestVersion?.semver ?? null,
    forkedFrom: detail.forkedFrom,
    view: standing.isMember && !asPublic ? 'full' : 'public',
    difference: isCompared ? await differenceOf(visit, place, detail.public) : undefined,
    inOtherView: otherView(url, asPublic),
    inView: (to) => (asPublic ? withQuery(to, { view: 'public' }) : to),
    who,
  }
}

/** As whoever is no member reads. */
export const publicly = (who: Principal): Principal =>
  who.kind === 'anonymous' ? who : { ...who, view: 'public' }

/** The same page with all else that its query says. */
function otherView(url: URL, asPublic: boolean): string {
  const query = new URLSearchParams(url.searchParams)
  if (asPublic) query.delete('view')
  else query.set('view', 'public')
  return withQuery(url.pathname, Object.fromEntries(query))
}

/** @throws not_a_member, insufficient_scope, key_limited */
export const demandWork = (seen: SeenCollection): void =>
  demand(seen.work, { owner: seen.owner, needed: 'write' })

/** @throws version_not_found */
function semverOf(asked: string): string {
  const [, numbers] = semverPattern.exec(asked) ?? []
  if (numbers === undefined) throw new RegistryError('version_not_found', { say: { version: asked } })
  return `v${numbers}`
}

/** The version as services are asked for it. */
export const versionOf = ({ owner, slug, version = 'latest' }: VersionPlace) => ({ owner, slug, v: version })

/** The version, in the view of the page. @throws version_not_found */
export const readVersion = (visit: Visit, seen: SeenCollection): Promise<Version> =>
  versionAs(visit, seen.who, seen)

const versionAs = async ({ registry }: Visit, who: Principal, place: VersionPlace): Promise<Version> =>
  readJson<Version>(await registry.versions.detail(who, versionOf(place)))

/** What members see and the public does not, of the version shown. */
async function differenceOf(
  visit: Visit,
  place: VersionPlace,
  isPublic: boolean,
): Promise<string | undefined> {
  const [full, open] = await Promise.all([
    versionAs(visit, visit.who, place),
    versionAs(visit, publicly(visit.who), place),
  ])
  const hidden = [
    ...(full.recordCount > open.recordCount
      ? [`${full.recordCount - open.recordCount} of ${counted(full.recordCount, 'record')} are hidden`]
      : []),
    ...named(
      'type',
      Object.keys(full.schemas).filter((type) => own(open.schemas, type) === undefined),
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
  const shown = names
    .slice(0, 5)
    .map((name) => cutText(withoutUnseen(name), 80))
    .join(', ')
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
