/** Documentation of routes for the API description, beside their validating shapes. */
// Declares `tags`, `summary` and the like for a route's schema.
import type {} from '@fastify/swagger'
import type { ErrorCode } from '@ulmus/registry'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { z } from 'zod'

/** One operation in words, kept apart from its route: `routes/descriptions/`. */
export interface Description {
  /** A name for programs made from the description. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** Descriptions of successes by status, if the answer's shape has none. */
  readonly answers?: Readonly<Record<number, string>>
  /** How it can be refused, beside what follows from its method and its credential. */
  readonly codes?: readonly ErrorCode[]
}

/** A body that no shape validates, because it is a stream. */
export interface StreamedBody {
  readonly description: string
  /** By content type. */
  readonly content: Readonly<Record<string, { schema: object; example?: unknown }>>
}

/** A body of lines, and its example of two or more of them. */
export const linesOf = (line: z.ZodType, description: string, examples: readonly object[]): StreamedBody => ({
  description,
  content: {
    'application/x-ndjson': {
      schema: linesSchema(line),
      example: linesText(examples),
    },
  },
})

const linesText = (lines: readonly unknown[]): string =>
  lines.map((one) => `${JSON.stringify(one)}\n`).join('')

/** NDJSON as JSON Schema has it: text, of which each line has the shape. */
export const linesSchema = (line: z.ZodType) => ({
  type: 'string',
  contentMediaType: 'application/x-ndjson',
  contentSchema: { $ref: `#/components/schemas/${line.meta()?.id}` },
  examples: [linesText((line.meta()?.['examples'] ?? []) as unknown[])],
})

declare module 'fastify' {
  interface FastifySchema {
    answers?: Readonly<Record<number, string>>
    codes?: readonly ErrorCode[]
    streamedBody?: StreamedBody
    /** Headers that mean something to this route, as parameters of OpenAPI. */
    headerParameters?: readonly { name: string; description: string; example: string }[]
    /** Answers that no shape describes, in OpenAPI's own words, by status. */
    otherAnswers?: Readonly<Record<number, { description: string; headers?: object }>>
  }
}

/** A route that is described. */
export interface DescribedRoute {
  readonly method: string
  readonly url: string
  readonly schema: FastifySchema
  readonly config: FastifyContextConfig
}
