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
  /** The patch, JSON that was read strictly. */
  bytes: Uint8Array
  /** What it is merged into. */
  base: JsonObject
}

export type MetadataOutcome =
  /** `patch`: canonical, without removals of what the base does not have, so no longer than a few MiB. */
  { kind: 'fits'; patch: string } | { kind: 'faulty'; issues: MetadataIssue[] } | { kind: 'too_large' }

export function fitMetadata({ bytes, base }: MetadataTask): MetadataOutcome {
  const patch = JSON.parse(decoder.decode(bytes)) as JsonObject
  const issues = metadataIssues(patch)
  if (issues.length > 0) return { kind: 'faulty', issues }
  if (metadataBytes(mergeMetadata(base, patch)) > metadataBytesMax) return { kind: 'too_large' }
  const members = Object.entries(patch).filter(([name, value]) => value !== null || Object.hasOwn(base, name))
  return { kind: 'fits', patch: canonicalize(Object.fromEntries(members)) }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
