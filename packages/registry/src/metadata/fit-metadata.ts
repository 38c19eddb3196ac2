/** Metadata that a push brings, against that of its base: a task for a worker thread where it is long. */
import {
  canonicalize,
  type JsonObject,
  type MetadataIssue,
  mergeMetadata,
  metadataBytes,
  metadataBytesMax,
  metadataIssues,
} from '@ulmus/content'

export interface MetadataTask {
  /** JSON that was read strictly. */
  patch: string
  /** What it is merged into. */
  base: JsonObject
}

export type MetadataOutcome =
  /** `patch`: canonical, without removals of what the base does not have, so no longer than merged metadata and its names. */
  { kind: 'fits'; patch: string } | { kind: 'faulty'; issues: MetadataIssue[] } | { kind: 'too_large' }

export function fitMetadata({ patch: text, base }: MetadataTask): MetadataOutcome {
  const patch = JSON.parse(text) as JsonObject
  const issues = metadataIssues(patch)
  if (issues.length > 0) return { kind: 'faulty', issues }
  if (metadataBytes(mergeMetadata(base, patch)) > metadataBytesMax) return { kind: 'too_large' }
  const members = Object.entries(patch).filter(([name, value]) => value !== null || Object.hasOwn(base, name))
  return { kind: 'fits', patch: canonicalize(Object.fromEntries(members)) }
}
