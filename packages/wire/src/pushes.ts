/**
 * Shapes for delta pushes, which send changed and deleted records; commits.ts has the shapes of commit and
 * state. Bodies are snake_case. docs/design/http-api.md §9.
 */
import { z } from 'zod'
import {
  exampleDeletes,
  exampleId,
  exampleInstant,
  exampleMetadata,
  exampleRecords,
  exampleSchemas,
} from './examples.ts'
import { AnyJson, AnyObject } from './json.ts'
import { Count, Id, Instant, line, prose, RequestedFile, SemverText } from './text.ts'

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
        '`{type: JSON Schema}` of new and changed types; others stay as in the base version. `{type: null}` removes a type with its records.',
    }),
    metadata: AnyObject.optional().meta({
      description: 'Merged into that of the base version; a field that is null is removed.',
    }),
    files: z.array(RequestedFile).max(declaredFilesMax).optional().meta({
      description:
        'Files to include even if no record refers to them, with or without `sha256:` before the digits.',
    }),
    message: prose(10_000).nullish(),
    app_id: line(200).nullish(),
    actor_id: line(200).nullish(),
    strip_unknown_fields: z.boolean().default(false).meta({
      description: 'Remove top-level fields that the schema does not list instead of refusing them.',
    }),
    confirm_public: z.array(z.string()).optional().meta({
      description:
        'What may become public: names of private fields and types that `schemas` makes public, names of private fields whose values are in ids, and `Type/id` or `Type/*` for private records sent without their mark. Other entries are ignored.',
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
    records: Count.optional().meta({
      description: '`type_removed`: number of records removed with the type.',
    }),
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

/** Files to upload, in the answers that open sessions. */
export const neededFiles = z
  .array(RequestedFile)
  .meta({ description: 'Files of `files` to upload, written as in the request.' })

/** Answer 201 to `POST …/pushes`. */
export const OpenedPush = z
  .object({
    session_id: Id,
    base_version: SemverText.nullable(),
    needed_files: neededFiles,
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
