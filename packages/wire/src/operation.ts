/** Declares operations of the HTTP API: each once, for the server, the client and the description of the API. */
import type { z } from 'zod'
import type { RefusalCode } from './codes.ts'
import type { Scope } from './keys.ts'

/** A body or an answer that no shape validates, because it is a stream. */
export interface Streamed {
  readonly description: string
  /** By content type, with JSON Schema. */
  readonly content: Readonly<Record<string, { readonly schema: object; readonly example: string }>>
}

/** zod's core type: comparing schemas with the whole of `ZodType` takes the compiler many times as long. */
type Shape = z.core.$ZodType
type Body = Shape | Streamed
type Answers = Readonly<Record<number, Shape | Streamed>>

/** An operation without its method and its path, which are its key in the table of operations. */
export interface Operation<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Body = Body,
  A extends Answers = Answers,
> {
  /** A name for programs made from the description. */
  readonly id: string
  /** Group in the description. */
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** The credential that it needs, checked before the body is read. Absent: none. */
  readonly entrance?: {
    /** The least scope; `any`: anyone signed in. */
    readonly scope: Scope | 'any'
    /** True: a key limited to one collection is refused. */
    readonly unlimited?: true
  }
  /** False: no credential is looked at. */
  readonly credentials?: false
  /** `sign-in`: requests without a credential count apart from others against the rate limit. */
  readonly limited?: 'sign-in'
  /** The URL names something that never changes: `version`, unless `:v` is `latest`; `hash`, always. Caches may keep the answer. */
  readonly names?: 'version' | 'hash'
  /** False: answers have no entity tag. They are streams of what changes while it is read. */
  readonly tagged?: false
  readonly params?: P
  readonly query?: Q
  /** Request headers that this operation reads. */
  readonly headers?: readonly {
    readonly name: string
    readonly description: string
    readonly example: string
  }[]
  readonly body?: B
  /** Successes by status. The first is the usual one. */
  readonly answers: A
  /** Descriptions of successes by status, if the answer's shape has none. */
  readonly answerWords?: Readonly<Record<number, string>>
  /** Answers that no shape describes, as OpenAPI writes them, by status. */
  readonly otherAnswers?: Readonly<
    Record<number, { readonly description: string; readonly headers?: object }>
  >
  /** Codes of refusals, beside those that follow from its method and its credential. */
  readonly refusals?: readonly RefusalCode[]
}

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

/** NDJSON: a text, of which each line has the shape. `examples`: lines, by default those of the shape. */
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
