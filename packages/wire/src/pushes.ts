/** Delta pushes: "this changed". http-api §9; bodies are snake_case. */
import { z } from 'zod'
import { ErrorBody } from './errors.ts'
import {
  exampleDeletes,
  exampleDigest,
  exampleFile,
  exampleId,
  exampleInstant,
  exampleMetadata,
  exampleRecords,
  exampleSchemas,
} from './examples.ts'
import { AnyJson, AnyObject } from './json.ts'
import { querySwitch } from './lists.ts'
import { Count, DigestText, FileHash, Id, Instant, line, prose, SemverText } from './text.ts'

/** Files that one push may declare beside those its records refer to. */
export const declaredFilesMax = 100_000

/** `POST …/pushes` */
export const OpenPush = z
  .strictObject({
    base_version: z
      .string()
      .nullable()
      .meta({ description: 'The version the changes are against; null when there is none yet.' }),
    schemas: AnyObject.optional().meta({
      description:
        "The complete set `{type: JSON Schema}`: a type left out goes with its records. The base's, if absent.",
    }),
    metadata: AnyObject.optional().meta({
      description: "Merged into the base's; a member given as null is removed.",
    }),
    files: z
      .array(FileHash)
      .max(declaredFilesMax)
      .optional()
      .meta({ description: 'Files to hold though no record refers to them.' }),
    message: prose(10_000).nullish(),
    app_id: line(200).nullish(),
    actor_id: line(200).nullish(),
    strip_unknown_fields: z.boolean().default(false).meta({
      description: 'Remove top-level members that the schema does not list, rather than refuse them.',
    }),
    confirm_public: z.array(z.string()).optional().meta({
      description:
        'Names of fields and types that were private and may become public. Needed where `schemas` does that; other names are ignored.',
    }),
  })
  .meta({
    id: 'OpenPush',
    description: 'What opens a delta push.',
    examples: [
      {
        base_version: null,
        message: 'Oslo and its country',
        metadata: exampleMetadata,
        schemas: exampleSchemas,
      },
    ],
  })
export type OpenPush = z.infer<typeof OpenPush>

export const PushLimits = z
  .object({
    batch_bytes: Count.meta({ description: 'Of one NDJSON request.' }),
    batch_lines: Count.meta({ description: 'Of one NDJSON request.' }),
    session_idle_seconds: Count.meta({ description: 'Silence after which the session ends.' }),
    file_bytes: Count.meta({ description: 'Of one file.' }),
  })
  .meta({ id: 'PushLimits', description: 'What one request of the session may bring.' })
export type PushLimits = z.infer<typeof PushLimits>

/** Something that is accepted, though it may not be meant. */
export const PushWarning = z
  .object({
    code: z.string().meta({ description: 'Stable: [Publishing](/docs/publishing#warnings) lists them.' }),
    type: z.string(),
    id: z.string().optional().meta({ description: 'Of the record. Absent: the schema of `type` is meant.' }),
    path: z.string().meta({ description: "JSON pointer into the record's data, or into the schema." }),
    message: z.string(),
  })
  .meta({ id: 'PushWarning', description: 'Something that is accepted, though it may not be meant.' })
export type PushWarning = z.infer<typeof PushWarning>

/** Of the schemas, in the answers that open sessions. */
export const schemaWarnings = {
  warnings: z
    .array(PushWarning)
    .meta({ description: 'What the schemas say that has no effect: the first 100.' }),
  total_warnings: Count,
}

export const OpenedPush = z
  .object({
    session_id: Id,
    base_version: SemverText.nullable(),
    needed_files: z.array(FileHash),
    ...schemaWarnings,
    expires_at: Instant,
    limits: PushLimits,
  })
  .meta({
    id: 'OpenedPush',
    description: 'An open session, which takes records, deletes and the commit.',
    examples: [
      {
        session_id: exampleId,
        base_version: null,
        needed_files: [],
        warnings: [],
        total_warnings: 0,
        expires_at: exampleInstant,
        limits: {
          batch_bytes: 134_217_728,
          batch_lines: 10_000,
          session_idle_seconds: 3_600,
          file_bytes: 1_073_741_824,
        },
      },
    ],
  })
export type OpenedPush = z.infer<typeof OpenedPush>

/** A line of `POST …/pushes/:id/records`. Other members are ignored. content-model §2. */
export const RecordLine = z
  .object({ id: z.string(), type: z.string(), data: AnyJson, private: z.boolean().optional() })
  .meta({
    id: 'RecordLine',
    description: 'A record to put. Other members are ignored.',
    examples: exampleRecords,
  })
export type RecordLine = z.infer<typeof RecordLine>

/** A line of `POST …/pushes/:id/deletes`. */
export const DeleteLine = z
  .object({ id: z.string(), type: z.string() })
  .meta({ id: 'DeleteLine', description: 'A record to remove, if it is there.', examples: exampleDeletes })
export type DeleteLine = z.infer<typeof DeleteLine>

/** The answer to a batch: how many lines were taken, all of them. */
export const BatchReceived = z.object({ received: Count }).meta({
  id: 'BatchReceived',
  description: 'How many lines were taken: all of them.',
  examples: [{ received: 2 }],
})
export type BatchReceived = z.infer<typeof BatchReceived>

export const CommitQuery = z
  .strictObject({
    async: querySwitch('Answer at once, with a session to poll.'),
    dry_run: querySwitch('Tell what the commit would make, without making it.'),
  })
  .refine((query) => !(query.async && query.dry_run), {
    path: ['dry_run'],
    error:
      'cannot be asked for together with `async`: a dry run is answered when it is done. Leave one of them out.',
  })
export type CommitQuery = z.infer<typeof CommitQuery>

/** The 201 to a commit. */
export const CommittedPush = z
  .object({
    semver: SemverText,
    hash: DigestText.meta({ description: 'The digest that members read.' }),
    publicHash: DigestText.meta({ description: 'The digest of the public view: the one to cite.' }),
    recordCount: Count,
    fileCount: Count,
    changes: z.object({ added: Count, updated: Count, removed: Count }),
    warnings: z.array(PushWarning).meta({
      description: 'References to records and files that are not there: the first 100.',
    }),
    totalWarnings: Count,
  })
  .meta({
    id: 'CommittedPush',
    description: 'The version that was made, with the counts of what members read.',
    examples: [
      {
        semver: 'v1.0.0',
        hash: exampleDigest,
        publicHash: exampleDigest,
        recordCount: 2,
        fileCount: 1,
        changes: { added: 2, updated: 0, removed: 0 },
        warnings: [],
        totalWarnings: 0,
      },
    ],
  })
export type CommittedPush = z.infer<typeof CommittedPush>

/** The 200 to a commit with `?dry_run=true`. */
export const DryRun = z
  .object({
    dry_run: z.literal(true),
    ...CommittedPush.shape,
    schemaChanged: z
      .boolean()
      .meta({ description: 'Whether types or schemas differ from those of the base version.' }),
  })
  .meta({
    id: 'DryRun',
    description: 'The version that the commit would make. `hash` is its own, if nothing else changes.',
    examples: [
      {
        dry_run: true,
        semver: 'v1.0.0',
        hash: exampleDigest,
        publicHash: exampleDigest,
        recordCount: 2,
        fileCount: 1,
        changes: { added: 2, updated: 0, removed: 0 },
        warnings: [],
        totalWarnings: 0,
        schemaChanged: true,
      },
    ],
  })
export type DryRun = z.infer<typeof DryRun>

/** The 202 to a commit with `?async=true`. */
export const CommittingPush = z.object({ session_id: Id, status: z.literal('committing') }).meta({
  id: 'CommittingPush',
  description: 'The session is being committed; its state tells how far that is.',
  examples: [{ session_id: exampleId, status: 'committing' }],
})
export type CommittingPush = z.infer<typeof CommittingPush>

export const PushStatus = z
  .enum(['open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired'])
  .meta({ description: '`checking`: a dry run is under way, after which the session is open again.' })
export type PushStatus = z.infer<typeof PushStatus>

/** The query of `GET …/pushes/:id` */
export const PushStateQuery = z.strictObject({
  files_after: FileHash.optional().meta({
    examples: [exampleFile.hash],
    description: 'Name needed files after this one: `next_files_after` of the answer before.',
  }),
})
export type PushStateQuery = z.infer<typeof PushStateQuery>

/** `GET …/pushes/:id` */
export const PushState = z
  .object({
    session_id: Id,
    status: PushStatus,
    base_version: SemverText.nullable(),
    total_records: Count.meta({ description: 'Lines of records received so far.' }),
    needed_records: Count.meta({ description: 'How many records the session still lacks: 0 in a delta.' }),
    total_files: Count.meta({ description: 'How many files the session declared.' }),
    needed_files: z.array(FileHash).meta({
      description: 'The first 1,000 of those that the collection lacks, ascending.',
    }),
    next_files_after: FileHash.nullable().meta({
      description: 'There may be more: ask again with this as `files_after`. A page of them may be empty.',
    }),
    records_done: Count.meta({ description: 'Progress of a commit or a dry run under way, in records.' }),
    records_total: Count,
    expires_at: Instant.meta({
      description: 'When an open session ends if no request comes. To ask for its state is one.',
    }),
    result: CommittedPush.nullable(),
    error: ErrorBody.nullable(),
  })
  .meta({
    id: 'PushState',
    description: 'How a session is, and what became of its commit.',
    examples: [
      {
        session_id: exampleId,
        status: 'open',
        base_version: null,
        total_records: 2,
        needed_records: 0,
        total_files: 0,
        needed_files: [],
        next_files_after: null,
        records_done: 0,
        records_total: 0,
        expires_at: exampleInstant,
        result: null,
        error: null,
      },
    ],
  })
export type PushState = z.infer<typeof PushState>
