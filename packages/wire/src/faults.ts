/** Faults that refusals list: of a request's parts, of the values of a record, of the lines of a request. */
import { z } from 'zod'

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
