/** The one shape of every refusal. http-api §1; the codes and what to do about each are in docs/errors.md. */
import { z } from 'zod'

/** What is wrong with one part of a request. `path`: members joined by dots, empty for the whole. */
export const Issue = z.object({ path: z.string(), message: z.string() }).meta({ id: 'Issue' })
export type Issue = z.infer<typeof Issue>

/** A refusal: a sentence for a person, a stable code for a program, and what facts the code brings beside them. */
export const ErrorBody = z
  .looseObject({
    error: z.string().meta({ description: 'A sentence for a person.' }),
    code: z.string().meta({ description: 'Stable, snake_case; see docs/errors.md.' }),
    statusCode: z.int(),
    issues: z.array(Issue).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** One refused line of an NDJSON request, or one refused record. http-api §9. */
export const ValidationError = z
  .object({
    line: z.int().optional().meta({ description: 'Counted from 1, blank lines included.' }),
    id: z.string().optional(),
    type: z.string().optional(),
    code: z.string(),
    message: z.string().optional(),
    errors: z.array(Issue).optional(),
  })
  .meta({ id: 'ValidationError' })
export type ValidationError = z.infer<typeof ValidationError>
