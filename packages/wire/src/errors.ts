/**
 * Shape of the error body that every refused request gets, and of the members that single codes add. A code with a new member gets it
 * here, as optional, with the code named in its description. docs/errors.md explains the codes; docs/design/http-api.md §1.
 */
import { z } from 'zod'
import { exampleFile, exampleId, exampleRecord } from './examples.ts'
import { Instant } from './text.ts'

/** Fault in one part of a request, found by its shape. */
export const Issue = z
  .object({
    path: z.string().meta({ description: 'Fields joined by dots; empty for the whole body.' }),
    message: z.string(),
    rule: z
      .string()
      .optional()
      .meta({
        description: 'The input rule that JSON breaks, such as `duplicate_key`.',
        examples: ['duplicate_key'],
      }),
  })
  .meta({ id: 'Issue', description: 'A fault in one part of a request.' })
export type Issue = z.infer<typeof Issue>

/** Fault of one value of a record's data, found by a schema. */
export const SchemaIssue = z
  .object({
    path: z.string().meta({ description: 'JSON pointer into the data; empty for the data itself.' }),
    message: z.string().meta({ description: 'Expected value.' }),
  })
  .meta({ id: 'SchemaIssue', description: 'A value that does not match its schema.' })
export type SchemaIssue = z.infer<typeof SchemaIssue>

/** One refused line of an NDJSON request, or one refused record. http-api §9. */
export const ValidationError = z
  .object({
    line: z.int().min(1).nullable().meta({
      description:
        'Line number from 1, counting blank lines. Null for a record of the base version that does not match a new schema.',
    }),
    id: z.string().nullable().meta({ description: 'Null if the line has no readable id.' }),
    type: z.string().nullable().meta({ description: 'Null if the line has no readable type.' }),
    code: z.string().meta({ description: 'The broken rule.', examples: ['schema_violation'] }),
    message: z.string(),
    errors: z
      .array(SchemaIssue)
      .optional()
      .meta({ description: 'For `schema_violation`: the first faults.' }),
  })
  .meta({ id: 'ValidationError', description: 'A refused line or record, with the reason.' })
export type ValidationError = z.infer<typeof ValidationError>

/** Members of `ErrorBody` about a record, a type or an object. */
const recordFacts = {
  id: z
    .string()
    .optional()
    .meta({ description: '`unexpected_record`, `manifest_conflict`: id of the record.' }),
  type: z.string().optional().meta({
    description: '`unexpected_record`, `manifest_conflict`: type of the record. `invalid_schema`: the type.',
  }),
  hash: z.string().optional().meta({
    description: '`unexpected_record`: hash of the record. `object_corrupt`: hash of the damaged object.',
  }),
  hashes: z.array(z.string()).optional().meta({ description: '`manifest_conflict`: the two hashes.' }),
  line: z.int().optional().meta({ description: '`unexpected_record`: the line, counted from 1.' }),
  path: z.string().optional().meta({ description: '`invalid_schema`: JSON pointer into the schema.' }),
}

/** Members of `ErrorBody` that only refused pushes have, or refused reads of a withdrawn version or of old events. */
const pushFacts = {
  validationErrors: z
    .array(ValidationError)
    .optional()
    .meta({ description: '`invalid_records`, `schema_violation`: the first 100.' }),
  totalErrors: z.int().optional().meta({ description: 'Number of invalid lines or records.' }),
  reason: z.string().optional().meta({ description: '`version_withdrawn`: the reason.' }),
  oldest: z.int().optional().meta({ description: '`events_gone`: the oldest number that is kept.' }),
  rule: z.string().optional().meta({ description: '`url_refused`: the rule that the address breaks.' }),
  withdrawnAt: Instant.optional().meta({ description: '`version_withdrawn`: time of the withdrawal.' }),
  currentVersion: z
    .string()
    .nullable()
    .optional()
    .meta({ description: '`version_conflict`: the latest version; null if there is none.' }),
  madePublic: z
    .array(
      z.object({
        type: z.string(),
        field: z.string().nullable().meta({ description: 'Null: the type itself.' }),
        private_in: z.array(z.string()).meta({ description: 'The types in which it is or was private.' }),
      }),
    )
    .optional()
    .meta({
      description: '`private_field_made_public`: fields and types that would become public, the first 1,000.',
    }),
  madePublicRecords: z
    .array(
      z.object({
        type: z.string(),
        id: z.string(),
        confirm: z.string().meta({ description: 'Entry of `confirm_public` for this record.' }),
      }),
    )
    .optional()
    .meta({
      description: '`private_record_made_public`: records that would lose their private mark, the first 100.',
    }),
  totalMadePublic: z
    .int()
    .optional()
    .meta({ description: 'Number of these fields and types, or of these records.' }),
  valuesInIds: z
    .array(
      z.object({
        type: z.string(),
        field: z.string(),
        records: z.int().meta({ description: 'Number of public records whose id has the value.' }),
        of: z.int().meta({ description: 'Number of public records examined.' }),
      }),
    )
    .optional()
    .meta({ description: '`private_value_in_id`: the private fields, the first 100.' }),
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
      description: '`records_missing`: hashes of the first 100 missing records.',
      examples: [[exampleRecord.hash]],
    }),
  totalMissing: z.int().optional().meta({ description: 'Number of missing records.' }),
  manifest_received: z.int().optional().meta({ description: '`manifest_incomplete`: entries received.' }),
  manifest_expected: z.int().optional().meta({ description: '`manifest_incomplete`: entries expected.' }),
  status: z.string().optional().meta({ description: '`push_not_open`: the status of the session.' }),
}

/** A refusal: a sentence for people, a stable code for programs, and members that depend on the code. */
export const ErrorBody = z
  .looseObject({
    error: z.string().meta({ description: 'Message for people. It can change.' }),
    code: z.string().meta({
      description: 'Stable code for programs: see [Errors](/docs/errors).',
      examples: ['collection_not_found'],
    }),
    statusCode: z.int().meta({ description: 'The status of the answer.' }),
    error_description: z.string().optional().meta({
      description: 'Of `POST /auth/exchange` alone: the message, where `error` is the code (RFC 6749).',
    }),
    issues: z.array(Issue).optional().meta({ description: '`invalid_request`: the faults.' }),
    job_id: z
      .string()
      .optional()
      .meta({
        description: '`metadata_update_in_progress`: the running job.',
        examples: [exampleId],
      }),
    ...pushFacts,
    ...recordFacts,
    expected: z.string().optional().meta({ description: '`hash_mismatch`: hash in the path.' }),
    actual: z.string().optional().meta({ description: '`hash_mismatch`: hash of the bytes.' }),
    limitBytes: z.int().optional().meta({ description: '`too_large`, `too_many_types`: the limit.' }),
    limitTypes: z.int().optional().meta({ description: '`too_many_types`: the limit.' }),
    usedBytes: z.int().optional().meta({ description: '`quota_exceeded`: stored bytes of the account.' }),
    receivedBytes: z
      .int()
      .optional()
      .meta({ description: '`quota_exceeded`: bytes received by open pushes.' }),
    quotaBytes: z.int().optional().meta({ description: '`quota_exceeded`: limit of both together.' }),
    types: z.int().optional().meta({ description: '`too_many_types`: number of types in the push.' }),
    contentTypes: z
      .array(z.string())
      .optional()
      .meta({ description: '`unsupported_media_type`: the supported types.' }),
    presented: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: '`invalid_grant`: claims of the token, if its signature is good.' }),
    org: z.string().optional().meta({ description: '`last_owner`, `has_owner`: the organization.' }),
    account: z
      .string()
      .optional()
      .meta({ description: '`identity_taken`: slug of the account that the identity signs in as.' }),
    collections: z
      .array(z.string())
      .optional()
      .meta({ description: '`has_public_collections`: their paths, the first 100.' }),
  })
  .meta({
    id: 'Error',
    description: 'Shape of every error. The fields that are present depend on the code.',
    examples: [
      {
        error:
          'There is no collection `ada/cities`, or you cannot see it. Check the path; private collections require signing in as a member.',
        code: 'collection_not_found',
        statusCode: 404,
      },
    ],
  })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Answer 308 for a former slug: not an error body, but it has its members. */
export const Moved = z
  .object({
    error: z.string(),
    code: z.literal('moved'),
    statusCode: z.literal(308),
    location: z.string().meta({ description: 'The same path and query with the current slugs.' }),
  })
  .meta({
    id: 'Moved',
    description: 'The account or collection has a new slug.',
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
