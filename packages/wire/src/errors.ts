/** The one shape of every refusal. http-api §1; the codes and what to do about each are in docs/errors.md. */
import { z } from 'zod'
import { exampleFile, exampleId, exampleRecord } from './examples.ts'
import { Instant } from './text.ts'

/** Fault in one part of a request. `path`: members joined by dots, empty for the whole. */
export const Issue = z
  .object({
    path: z.string().meta({ description: 'Members joined by dots; empty for the whole.' }),
    message: z.string(),
    rule: z
      .string()
      .optional()
      .meta({
        description: 'The input rule that JSON breaks, such as `duplicate_key`.',
        examples: ['duplicate_key'],
      }),
  })
  .meta({ id: 'Issue', description: 'What is wrong with one part of a request.' })
export type Issue = z.infer<typeof Issue>

/** Fault that a schema finds in one value of a record's data. */
export const SchemaIssue = z
  .object({
    path: z.string().meta({ description: 'JSON pointer into the data; empty for the data itself.' }),
    message: z.string().meta({ description: 'What is expected there.' }),
  })
  .meta({ id: 'SchemaIssue', description: 'What a schema finds wrong with one value.' })
export type SchemaIssue = z.infer<typeof SchemaIssue>

/** One refused line of an NDJSON request, or one refused record. http-api §9. */
export const ValidationError = z
  .object({
    line: z.int().min(1).nullable().meta({
      description:
        'Counted from 1, blank lines included. Null of a record that the base version holds and a new schema refuses.',
    }),
    id: z.string().nullable().meta({ description: 'Null where the line has none that could be read.' }),
    type: z.string().nullable().meta({ description: 'Likewise.' }),
    code: z.string().meta({ description: 'The rule that it breaks.', examples: ['schema_violation'] }),
    message: z.string(),
    errors: z
      .array(SchemaIssue)
      .optional()
      .meta({ description: 'Of a `schema_violation`: what the schema expects, the first of it.' }),
  })
  .meta({ id: 'ValidationError', description: 'A line or a record that was refused, and why.' })
export type ValidationError = z.infer<typeof ValidationError>

/** Facts about a record, which several codes have. */
const recordFacts = {
  id: z.string().optional().meta({ description: 'Of the record: `unexpected_record`, `manifest_conflict`.' }),
  type: z.string().optional().meta({
    description: 'Of the record: `unexpected_record`, `manifest_conflict`. The type: `invalid_schema`.',
  }),
  hash: z
    .string()
    .optional()
    .meta({ description: 'Of the record: `unexpected_record`. Of what is damaged: `object_corrupt`.' }),
  hashes: z.array(z.string()).optional().meta({ description: '`manifest_conflict`: the two hashes.' }),
  line: z.int().optional().meta({ description: '`unexpected_record`: the line, counted from 1.' }),
  path: z.string().optional().meta({ description: '`invalid_schema`: JSON pointer into the schema.' }),
}

/** Facts of pushes. */
const pushFacts = {
  validationErrors: z
    .array(ValidationError)
    .optional()
    .meta({ description: '`invalid_records`, `schema_violation`: the first 100.' }),
  totalErrors: z.int().optional().meta({ description: 'How many there are of them.' }),
  reason: z.string().optional().meta({ description: '`version_withdrawn`: why.' }),
  withdrawnAt: Instant.optional().meta({ description: '`version_withdrawn`: since when.' }),
  currentVersion: z
    .string()
    .nullable()
    .optional()
    .meta({ description: '`version_conflict`: the latest version; null when there is none.' }),
  madePublic: z
    .array(
      z.object({
        type: z.string(),
        field: z.string().nullable().meta({ description: 'Null: the type itself.' }),
        private_in: z.array(z.string()).meta({ description: 'The types in which it is or was private.' }),
      }),
    )
    .optional()
    .meta({ description: '`private_field_made_public`: what would become public, the first 1,000.' }),
  totalMadePublic: z.int().optional().meta({ description: 'How many there are of them.' }),
  filesNeeded: z
    .array(z.string())
    .optional()
    .meta({
      description: '`files_missing`: the files to upload.',
      examples: [[exampleFile.hash]],
    }),
  missing_hashes: z
    .array(z.string())
    .optional()
    .meta({
      description: '`records_missing`: the first 100 of the records that have not come.',
      examples: [[exampleRecord.hash]],
    }),
  totalMissing: z.int().optional().meta({ description: 'How many there are of them.' }),
  manifest_received: z.int().optional().meta({ description: '`manifest_incomplete`: entries so far.' }),
  manifest_expected: z.int().optional().meta({ description: '`manifest_incomplete`: entries announced.' }),
  status: z.string().optional().meta({ description: '`push_not_open`: the status of the session.' }),
}

/** A refusal: a sentence for a person, a stable code for a program, and the facts of that code. */
export const ErrorBody = z
  .looseObject({
    error: z.string().meta({ description: 'A sentence for a person. It may change.' }),
    code: z.string().meta({
      description: 'For programs: stable, snake_case, explained in [Errors](/docs/errors).',
      examples: ['collection_not_found'],
    }),
    statusCode: z.int().meta({ description: 'The status of the answer.' }),
    issues: z
      .array(Issue)
      .optional()
      .meta({ description: '`invalid_request`: what is wrong, part by part.' }),
    job_id: z
      .string()
      .optional()
      .meta({
        description: '`metadata_update_in_progress`: the job that is running.',
        examples: [exampleId],
      }),
    ...pushFacts,
    ...recordFacts,
    expected: z.string().optional().meta({ description: '`hash_mismatch`: what the path says.' }),
    actual: z.string().optional().meta({ description: '`hash_mismatch`: what the bytes hash to.' }),
    limitBytes: z.int().optional().meta({ description: '`too_large`, `too_many_types`: the limit.' }),
    limitTypes: z.int().optional().meta({ description: '`too_many_types`: the limit.' }),
    usedBytes: z.int().optional().meta({ description: '`quota_exceeded`: what the account has stored.' }),
    receivedBytes: z
      .int()
      .optional()
      .meta({ description: '`quota_exceeded`: what pushes under way have received.' }),
    quotaBytes: z.int().optional().meta({ description: '`quota_exceeded`: what both may come to.' }),
    types: z.int().optional().meta({ description: '`too_many_types`: how many the push brings.' }),
    contentTypes: z
      .array(z.string())
      .optional()
      .meta({ description: '`unsupported_media_type`: those that the call takes.' }),
    org: z.string().optional().meta({ description: '`last_owner`, `has_owner`: the organization.' }),
    account: z
      .string()
      .optional()
      .meta({ description: '`identity_taken`: the slug of the account that the identity signs in as.' }),
    collections: z
      .array(z.string())
      .optional()
      .meta({ description: '`has_public_collections`: their paths, the first 100.' }),
  })
  .meta({
    id: 'Error',
    description: 'Every refusal has this shape. A code brings those facts beside it that name it.',
    examples: [
      {
        error: 'There is no collection `ada/cities` that you may see.',
        code: 'collection_not_found',
        statusCode: 404,
      },
    ],
  })
export type ErrorBody = z.infer<typeof ErrorBody>

/** The 308 of a former slug. */
export const Moved = z
  .object({
    error: z.string(),
    code: z.literal('moved'),
    statusCode: z.literal(308),
    location: z.string().meta({ description: 'The same path and query with the present slugs.' }),
  })
  .meta({
    id: 'Moved',
    description: 'The account or the collection has another slug now.',
    examples: [
      {
        error: 'It has moved to /api/collections/ada/cities.',
        code: 'moved',
        statusCode: 308,
        location: '/api/collections/ada/cities',
      },
    ],
  })
export type Moved = z.infer<typeof Moved>
