/**
 * Shapes for snapshot pushes: the client sends the manifest of the whole version, and then only the records and files that the registry
 * lacks. Commit and state have the shapes of pushes.ts. docs/design/http-api.md §9.
 */
import { z } from 'zod'
import { exampleId, exampleManifest, exampleNeeded, exampleSchemas } from './examples.ts'
import { AnyObject } from './json.ts'
import { neededFiles, OpenPush, schemaWarnings } from './pushes.ts'
import { Count, HashText, Id } from './text.ts'

/** Maximum number of manifest entries in the opening body. packages/registry/src/pushes/snapshots.ts enforces it: change both. */
export const manifestInlineMax = 500_000
/** Maximum number of entries in one chunk of a manifest; enforced in the same file. */
export const manifestChunkMax = 50_000

/** An entry of a manifest: a record by its hash. */
export const ManifestEntry = z
  .object({ id: z.string(), type: z.string(), hash: HashText, private: z.boolean().optional() })
  .meta({
    id: 'ManifestEntry',
    description: 'A record of the version by hash.',
    examples: exampleManifest.slice(2),
  })
export type ManifestEntry = z.infer<typeof ManifestEntry>

const { schemas: _optional, ...common } = OpenPush.shape

/** Opening of a snapshot without its manifest, which the registry reads separately because it may be large. The server parses with it. */
export const NegotiateOpening = z.strictObject({
  ...common,
  schemas: AnyObject.meta({ description: 'The complete set `{type: JSON Schema}`.' }),
  manifest_expected: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Instead of `manifest`: number of entries to be sent in chunks.' }),
})
export type NegotiateOpening = z.infer<typeof NegotiateOpening>

/** `POST …/versions/negotiate`, as the API description has it; requests are parsed with `NegotiateOpening`. */
export const Negotiate = NegotiateOpening.extend({
  manifest: z
    .array(ManifestEntry)
    .max(manifestInlineMax)
    .optional()
    .meta({ description: 'Every record of the version by hash, at most 500,000.' }),
}).meta({
  id: 'Negotiate',
  description: 'A snapshot to open, with either `manifest` or `manifest_expected`.',
  examples: [
    {
      base_version: 'v1.0.0',
      message: 'Stockholm and its country',
      schemas: exampleSchemas,
      manifest: exampleManifest,
    },
  ],
})
export type Negotiate = z.infer<typeof Negotiate>

/** Answer 200 to a negotiation with an inline manifest. */
export const Negotiated = z
  .object({
    session_id: Id,
    needed_records: z
      .array(HashText)
      .meta({ description: 'Hashes of the records that the base version lacks.' }),
    needed_files: neededFiles,
    total_records: Count,
    total_files: Count,
    already_have_records: Count,
    already_have_files: Count,
    ...schemaWarnings,
  })
  .meta({
    id: 'Negotiated',
    description: 'Answer to a manifest in the body: records and files to send.',
    examples: [
      {
        session_id: exampleId,
        needed_records: exampleNeeded,
        needed_files: [],
        total_records: 4,
        total_files: 0,
        already_have_records: 2,
        already_have_files: 0,
        warnings: [],
        total_warnings: 0,
      },
    ],
  })
export type Negotiated = z.infer<typeof Negotiated>

/** Answer 200 to a negotiation whose manifest is sent in chunks. */
export const NegotiatedInChunks = z
  .object({
    session_id: Id,
    manifest_expected: Count,
    manifest_received: Count,
    needed_files: neededFiles,
    total_files: Count,
    already_have_files: Count,
    ...schemaWarnings,
    next: z.string().meta({ description: 'Path for the chunks.' }),
  })
  .meta({
    id: 'NegotiatedInChunks',
    description: 'Answer to `manifest_expected`: path for the manifest.',
    examples: [
      {
        session_id: exampleId,
        manifest_expected: 4,
        manifest_received: 0,
        needed_files: [],
        total_files: 0,
        already_have_files: 0,
        warnings: [],
        total_warnings: 0,
        next: `/api/collections/ada/cities/versions/negotiate/${exampleId}/manifest`,
      },
    ],
  })
export type NegotiatedInChunks = z.infer<typeof NegotiatedInChunks>

/** Answer to a chunk of the manifest. */
export const ManifestReceived = z
  .object({
    received: Count,
    needed_records: z.array(HashText),
    manifest_received: Count.meta({ description: 'Distinct entries received so far.' }),
    manifest_expected: Count,
  })
  .meta({
    id: 'ManifestReceived',
    description: 'Progress of the manifest, and records of the chunk to send.',
    examples: [{ received: 2, needed_records: exampleNeeded, manifest_received: 2, manifest_expected: 4 }],
  })
export type ManifestReceived = z.infer<typeof ManifestReceived>

/** Answer to a batch of records. */
export const SnapshotReceived = z
  .object({
    received: Count,
    remaining: Count.meta({ description: 'Number of needed records still to send.' }),
  })
  .meta({
    id: 'SnapshotReceived',
    description: 'Number of lines received, and of records still to send.',
    examples: [{ received: 2, remaining: 0 }],
  })
export type SnapshotReceived = z.infer<typeof SnapshotReceived>
