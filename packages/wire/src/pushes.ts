/**
 * Shapes for delta pushes, which send changed and deleted records; the shapes of commit and state are those of snapshot pushes too
 * (snapshots.ts). Bodies are snake_case. docs/design/http-api.md §9.
 */
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

/** Maximum number of files that one push may declare in addition to those its records refer to. */
export const declaredFilesMax = 100_000

/** `POST …/pushes` */
export const OpenPush = z
  .strictObject({
    base_version: z
      .string()
      .nullable()
      .meta({ description: 'The version that the changes are based on; null before the first.' }),
    schemas: AnyObject.optional().meta({
      description:
        'The complete set `{type: JSON Schema}` (default: that of the base version). An omitted type is removed with its records.',
    }),
    metadata: AnyObject.optional().meta({
      description: 'Merged into that of the base version; a field that is null is removed.',
    }),
    files: z
      .array(FileHash)
      .max(declaredFilesMax)
      .optional()
      .meta({ description: 'Files to include even if no record refers to them.' }),
    message: prose(10_000).nullish(),
    app_id: line(200).nullish(),
    actor_id: line(200).nullish(),
    strip_unknown_fields: z.boolean().default(false).meta({
      description: 'Remove top-level fields that the schema does not list instead of refusing them.',
    }),
    confirm_public: z.array(z.string()).optional().meta({
      description:
        'Names of private fields and types that may become public. Required if `schemas` makes them public; other names are ignored.',
    }),
  })
  .meta({
    id: 'OpenPush',
    description: 'A delta push to open.',
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

/** Limits of the session, so that a client can cut its batches without settings of its own. */
export const PushLimits = z
  .object({
    batch_bytes: Count.meta({ description: 'Maximum bytes of an NDJSON request.' }),
    batch_lines: Count.meta({ description: 'Maximum lines of an NDJSON request.' }),
    session_idle_seconds: Count.meta({
      description: 'Seconds without a request after which the session expires.',
    }),
    file_bytes: Count.meta({ description: 'Maximum bytes of a file.' }),
  })
  .meta({ id: 'PushLimits', description: 'Limits of the session.' })
export type PushLimits = z.infer<typeof PushLimits>

/** Accepted input that may be unintended. */
export const PushWarning = z
  .object({
    code: z.string().meta({ description: 'Stable: [Publishing](/docs/publishing#warnings) lists them.' }),
    type: z.string(),
    id: z
      .string()
      .optional()
      .meta({ description: 'Id of the record. Absent: the warning is about the schema of `type`.' }),
    path: z.string().meta({ description: "JSON pointer into the record's data, or into the schema." }),
    message: z.string(),
  })
  .meta({ id: 'PushWarning', description: 'Something accepted that may be a mistake.' })
export type PushWarning = z.infer<typeof PushWarning>

/** Warnings about schemas, in the answers that open sessions. */
export const schemaWarnings = {
  warnings: z
    .array(PushWarning)
    .meta({ description: 'Parts of schemas that have no effect: the first 100.' }),
  total_warnings: Count,
}

/** Answer 201 to `POST …/pushes`. */
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
    description: 'An open session.',
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

/** Answer to a batch: the number of accepted lines, which is all of them. */
export const BatchReceived = z.object({ received: Count }).meta({
  id: 'BatchReceived',
  description: 'Number of lines received: all of the request.',
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

/** Answer 201 to a commit. */
export const CommittedPush = z
  .object({
    semver: SemverText,
    hash: DigestText.meta({ description: 'Digest of the view of members.' }),
    publicHash: DigestText.meta({ description: 'Digest of the public view: the one to cite.' }),
    recordCount: Count,
    fileCount: Count,
    changes: z.object({ added: Count, updated: Count, removed: Count }),
    warnings: z.array(PushWarning).meta({
      description: 'References to missing records and files: the first 100.',
    }),
    totalWarnings: Count,
  })
  .meta({
    id: 'CommittedPush',
    description: 'The new version, with the counts of the view of members.',
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

/** Answer 200 to a commit with `?dry_run=true`. */
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
    description: 'The version that the commit would create. `hash` is its digest if nothing else changes.',
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

/** Answer 202 to a commit with `?async=true`. */
export const CommittingPush = z.object({ session_id: Id, status: z.literal('committing') }).meta({
  id: 'CommittingPush',
  description: 'The commit is running; the state of the session has its progress.',
  examples: [{ session_id: exampleId, status: 'committing' }],
})
export type CommittingPush = z.infer<typeof CommittingPush>

/** Status of a session: also a column in storage, and the states of packages/registry/src/pushes/state/states.ts. Change all three. */
export const PushStatus = z
  .enum(['open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired'])
  .meta({ description: '`checking`: a dry run is running, after which the session is open again.' })
export type PushStatus = z.infer<typeof PushStatus>

/** Query of `GET …/pushes/:id` */
export const PushStateQuery = z.strictObject({
  files_after: FileHash.optional().meta({
    examples: [exampleFile.hash],
    description: 'List needed files after this one: `next_files_after` of the previous answer.',
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
    needed_records: Count.meta({ description: 'Number of records still to send; 0 in a delta push.' }),
    total_files: Count.meta({ description: 'Number of files that the session declared.' }),
    needed_files: z.array(FileHash).meta({
      description: 'Files that the collection lacks, ascending; the first 1,000.',
    }),
    next_files_after: FileHash.nullable().meta({
      description: 'If not null, pass it as `files_after` to get the next files. A page can be empty.',
    }),
    records_done: Count.meta({ description: 'Progress of the running commit or dry run, in records.' }),
    records_total: Count,
    expires_at: Instant.meta({
      description: 'When the session expires without a further request. Reading its state counts as one.',
    }),
    result: CommittedPush.nullable(),
    error: ErrorBody.nullable(),
  })
  .meta({
    id: 'PushState',
    description: 'State of a session and of its commit.',
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
