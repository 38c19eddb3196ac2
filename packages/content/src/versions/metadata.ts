/** Metadata of a version: how a patch is merged and what it may hold (http-api §5). */

import { utf8Length } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'

/** Largest merged metadata in canonical form: 1 MiB. */
export const metadataBytesMax = 1_048_576

/** Members that must be strings (or null in a patch, which removes them). */
const textMembers = ['description', 'readme', 'license']

export interface MetadataIssue {
  /** JSON pointer into the patch. */
  path: string
  message: string
}

/** `base` with the top-level members of `patch` in place of its own; a member that is null in the patch is removed. */
export function mergeMetadata(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

/** Faults of a patch: `description`, `readme` and `license` must be strings or null. */
export function metadataIssues(patch: JsonObject): MetadataIssue[] {
  const issues: MetadataIssue[] = []
  for (const name of textMembers) {
    const value = Object.hasOwn(patch, name) ? patch[name] : null
    if (value !== null && typeof value !== 'string') {
      issues.push({ path: `/${name}`, message: 'must be a string, or null to remove it' })
    }
  }
  return issues
}

/** Bytes that metadata takes, as `metadataBytesMax` counts them. */
export function metadataBytes(metadata: JsonObject): number {
  return utf8Length(canonicalize(metadata))
}
