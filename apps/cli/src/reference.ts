/**
 * References: `owner/slug@v1.2.0#Type/id`, optionally after `https://host/`. In a working folder `@v1.2.0` and `#Type/id` alone refer to
 * its collection.
 */
import { usageError } from './terminal/failure.ts'

export interface CollectionName {
  /** Address of the registry, without a path; undefined: the default registry. */
  readonly host?: string
  readonly owner: string
  readonly slug: string
}

/** A parsed reference, to a collection or a part of it. */
export interface Reference extends CollectionName {
  /** `latest`, a semver with or without `v`, or a digest; undefined: not given. */
  readonly version?: string
  readonly type?: string
  /** Never without `type`. */
  readonly id?: string
}

/** Format of slugs in registries. They contain no special characters of shells or terminals. */
const collectionPattern = /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?\/[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/

/** True for `owner/slug`. */
export const isCollectionName = (text: string): boolean => collectionPattern.test(text)

/** Validates the collection of a folder; commands refuse a folder with an invalid one. @throws CommandError (usage) */
export function demandCollectionName(text: string): void {
  if (isCollectionName(text)) return
  throw usageError(
    `\`${text}\` is not a valid collection. Use owner/slug, each of lowercase letters, digits and, between them, hyphens.`,
  )
}

/** The WHATWG rules allow `$`, `(`, `;` and backquotes in a host, which are special in a shell. */
const harmlessHost = /^[a-zA-Z0-9._:[\]-]+$/

/** Scheme, name and port of a registry's address; undefined for any other text. */
export function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && harmlessHost.test(url.host)
    ? url.origin
    : undefined
}

/** `owner/slug`, the client's format. */
export const pathOf = ({ owner, slug }: CollectionName): string => `${owner}/${slug}`

const pattern = /^(?:(?<host>https?:\/\/[^/]+)\/)?(?<path>[^@#]*)(?:@(?<version>[^#]+))?(?:#(?<record>.*))?$/s

/** @param here returns the default collection; called only for a text without one. @throws CommandError (usage) for an invalid reference */
export function parseReference(text: string, here?: () => CollectionName | undefined): Reference {
  const { host, path = '', version, record } = pattern.exec(text)?.groups ?? {}
  const around = path === '' && host === undefined && text !== '' ? here?.() : undefined
  if (around !== undefined) return { ...around, version, ...recordIn(record) }
  const [owner, slug, ...rest] = path.replace(/\/$/, '').split('/')
  const isPath = [owner, slug].some((name) => name === '.' || name === '..')
  if (!owner || !slug || rest.length > 0 || isPath)
    throw usageError(
      `\`${text}\` is not a reference. Use \`owner/slug\`, \`owner/slug@v1.2.0\` or \`owner/slug#Type/id\`.`,
    )
  return { host, owner, slug, version, ...recordIn(record) }
}

function recordIn(record: string | undefined): { type?: string; id?: string } {
  if (record === undefined || record === '') return {}
  const slash = record.indexOf('/')
  return slash === -1 ? { type: record } : { type: record.slice(0, slash), id: record.slice(slash + 1) }
}

/** Formats a reference. */
export function referenceText({ host, owner, slug, version, type, id }: Reference): string {
  const place = `${host === undefined ? '' : `${host}/`}${owner}/${slug}${version === undefined ? '' : `@${version}`}`
  if (type === undefined) return place
  return `${place}#${type}${id === undefined ? '' : `/${id}`}`
}
