/**
 * Declaration of an operation of the HTTP API: credential, shapes, refusals and words in one place, so that the server, the client and the
 * API description cannot differ. The files in operations/ make one per route; CONTRIBUTING.md "To add a route" has the steps.
 */
import type { z } from 'zod'
import type { RefusalCode } from './codes.ts'
import type { Scope } from './keys.ts'

/** A body or answer that is a stream and not validated. */
export interface Streamed {
  readonly description: string
  /** JSON Schema and example by content type. */
  readonly content: Readonly<Record<string, { readonly schema: object; readonly example: string | object }>>
}

/** zod's core type: the compiler takes many times as long to compare schemas with the whole of `ZodType`. */
type Shape = z.core.$ZodType
type Body = Shape | Streamed
type Answers = Readonly<Record<number, Shape | Streamed>>

/** An operation without its method and path, which are its key in the table of operations. */
export interface Operation<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Body = Body,
  A extends Answers = Answers,
> {
  /** Name for code generated from the description. */
  readonly id: string
  /** Group in the description. */
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Required credential, checked before the body is read. Absent: none. */
  readonly entrance?: {
    /** Least scope; `any`: any signed-in caller. */
    readonly scope: Scope | 'any'
    /** If true, a key limited to one collection is refused. */
    readonly unlimited?: true
  }
  /** If true, callers without a role in the owner that the path names may call it, too. */
  readonly forOutsiders?: true
  /** If false, credentials are ignored. */
  readonly credentials?: false
  /** `sign-in`: requests without a credential have a rate limit of their own; `reports`: all requests have one. */
  readonly limited?: 'sign-in' | 'reports'
  /** The URL refers to immutable content: `version`, unless `:v` is `latest`; `hash`, always. Caches may keep the answer. */
  readonly names?: 'version' | 'hash'
  /** If false, answers have no entity tag, because they are streams of data that may change during the read. */
  readonly tagged?: false
  readonly params?: P
  readonly query?: Q
  /** Request headers that this operation reads. */
  readonly headers?: readonly {
    readonly name: string
    readonly description: string
    readonly example: string | object
  }[]
  readonly body?: B
  /** Successful answers by status. The first is the usual one. */
  readonly answers: A
  /** Other forms of the usual answer, by content type. */
  readonly otherForms?: Streamed['content']
  /** Descriptions of successful answers by status, if the shape has none. */
  readonly answerWords?: Readonly<Record<number, string>>
  /** Other answers in OpenAPI's form, by status. */
  readonly otherAnswers?: Readonly<
    Record<number, { readonly description: string; readonly headers?: object }>
  >
  /** Codes of refusals, in addition to those implied by its method, its path and its entrance. */
  readonly refusals?: readonly RefusalCode[]
}

/** Returns the declaration unchanged; the call makes the compiler infer its exact shapes. */
export const operation = <
  P extends Shape = never,
  Q extends Shape = never,
  B extends Body = never,
  A extends Answers = Answers,
>(
  declared: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> => declared

const linesText = (lines: readonly unknown[]): string =>
  lines.map((one) => `${JSON.stringify(one)}\n`).join('')

/** NDJSON: a text in which each line has the shape. `examples`: lines; default: those of the shape. */
export function linesOf(line: z.ZodType, description: string, examples?: readonly object[]): Streamed {
  const { id, examples: own = [] } = line.meta() ?? {}
  const schema = {
    type: 'string',
    contentMediaType: 'application/x-ndjson',
    contentSchema: { $ref: `#/components/schemas/${id}` },
    examples: [linesText(own as readonly unknown[])],
  }
  return {
    description,
    content: { 'application/x-ndjson': { schema, example: linesText(examples ?? (own as unknown[])) } },
  }
}

/** Bytes as an answer. */
export const bytesOf = (contentType: string, description: string): Streamed => ({
  description,
  content: {
    [contentType]: { schema: { type: 'string', format: 'binary', examples: ['…'] }, example: '…' },
  },
})
