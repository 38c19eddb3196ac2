/**
 * Semantic version numbers, and the choice of a new version's number (content-model §7). Authors never choose a number: it follows from the
 * difference between the version and its base.
 */
import { canonicalize } from '../json/canonical.ts'
import { documentText, type ViewDocument } from './document.ts'

/** The three parts of a version number; there are no pre-releases. */
export interface Semver {
  major: number
  minor: number
  patch: number
}

/** Largest part of a version number; it fits a signed 32-bit integer of a database. */
export const semverPartMax = 2_147_483_647

/**
 * Strongest difference between a version and its base. `first`: there is no base. `schema`: the set of types or a
 * type's schema. `content`: records or files. `other`: metadata or private data. `none`: nothing, so no version is made.
 */
export type VersionChange = 'first' | 'schema' | 'content' | 'other' | 'none'

/** Both views of a version. */
export interface VersionViews {
  full: ViewDocument
  public: ViewDocument
}

const semverPattern = /^v?(0|[1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,9})$/

/** The number in `v1.2.3` or `1.2.3`; undefined for any other text, including leading zeros and parts over `semverPartMax`. */
export function parseSemver(text: string): Semver | undefined {
  const match = semverPattern.exec(text)
  if (match === null) return undefined
  const [major, minor, patch] = match.slice(1).map(Number) as [number, number, number]
  return Math.max(major, minor, patch) <= semverPartMax ? { major, minor, patch } : undefined
}

/** `v1.2.3`. */
export function formatSemver({ major, minor, patch }: Semver): string {
  return `v${major}.${minor}.${patch}`
}

/** Negative if `a` comes before `b`, 0 if they are equal. */
export function compareSemver(a: Semver, b: Semver): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch
}

/** Difference between `next` and its base, or null if there is no base. */
export function changeBetween(base: VersionViews | null, next: VersionViews): VersionChange {
  if (base === null) return 'first'
  const before = base.full
  const after = next.full
  const types = Object.keys(after.types)
  const isSameTypes = types.length === Object.keys(before.types).length
  if (!isSameTypes || types.some((type) => entryOf(before, type)?.schema !== after.types[type]!.schema))
    return 'schema'
  if (before.files.root !== after.files.root) return 'content'
  if (types.some((type) => entryOf(before, type)!.root !== after.types[type]!.root)) return 'content'
  if (canonicalize(before.metadata) !== canonicalize(after.metadata)) return 'other'
  return documentText(base.public) === documentText(next.public) ? 'none' : 'other'
}

function entryOf(document: ViewDocument, type: string) {
  return Object.hasOwn(document.types, type) ? document.types[type] : undefined
}

/**
 * The number of the version after `base`: first v1.0.0, then the next major for `schema`, minor for `content`, patch for `other`.
 * @throws RangeError for `none` (nothing changed, so there is no version), if exactly one of `base` null and `first` holds, and
 * beyond `semverPartMax`.
 */
export function nextSemver(base: Semver | null, change: VersionChange): Semver {
  const next = base === null ? firstSemver(change) : raised(base, change)
  if (Math.max(next.major, next.minor, next.patch) > semverPartMax) {
    throw new RangeError(`There is no version number after ${base === null ? 'none' : formatSemver(base)}.`)
  }
  return next
}

function firstSemver(change: VersionChange): Semver {
  if (change === 'first') return { major: 1, minor: 0, patch: 0 }
  throw new RangeError(`A version without a base cannot be a change of kind "${change}".`)
}

function raised({ major, minor, patch }: Semver, change: VersionChange): Semver {
  if (change === 'schema') return { major: major + 1, minor: 0, patch: 0 }
  if (change === 'content') return { major, minor: minor + 1, patch: 0 }
  if (change === 'other') return { major, minor, patch: patch + 1 }
  throw new RangeError(`A change of kind "${change}" makes no version after another.`)
}
