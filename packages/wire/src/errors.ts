/**
 * Shape of the error body that every refused request gets, with the members that single codes add: refusals/ declares them.
 * docs/errors.md explains the codes; docs/design/http-api.md §1.
 */
import { z } from 'zod'
import { Issue, ValidationError } from './faults.ts'
import { type Declared, type RefusalCode, refusalCodes, refusals } from './refusals/index.ts'
import { Instant } from './text.ts'

type MembersOf<Code extends RefusalCode> = Code extends unknown
  ? Declared[Code] extends { members: (shapes: never) => infer Members }
    ? Members
    : never
  : never
type NameIn<Members> = Members extends unknown ? keyof Members : never
type ShapeIn<Members, Name> = Members extends unknown
  ? Name extends keyof Members
    ? Members[Name]
    : never
  : never
type AllMembers = MembersOf<RefusalCode>
type MemberShapes = {
  [Name in NameIn<AllMembers>]: z.ZodOptional<Extract<ShapeIn<AllMembers, Name>, z.ZodType>>
}

/** Members by name, each with the codes that have it: "`invalid_schema`: the type." */
function memberShapes(): Record<string, z.ZodType> {
  const found = new Map<string, { shape: z.ZodType; codes: Map<string, RefusalCode[]> }>()
  for (const code of refusalCodes) {
    const members = refusals[code].members?.({ z, Issue, ValidationError, Instant }) ?? {}
    for (const [name, shape] of Object.entries(members)) {
      const { codes } = found.get(name) ?? { codes: new Map<string, RefusalCode[]>() }
      const { description = '' } = shape
      codes.set(description, [...(codes.get(description) ?? []), code])
      if (!found.has(name)) found.set(name, { shape, codes })
    }
  }
  return Object.fromEntries(
    Array.from(found, ([name, { shape, codes }]) => {
      const clauses = Array.from(
        codes,
        ([text, of]) => `${of.map((code) => `\`${code}\``).join(', ')}: ${text}`,
      )
      return [name, shape.optional().meta({ ...shape.meta(), description: clauses.join(' ') })]
    }),
  )
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
    ...(memberShapes() as MemberShapes),
  })
  .meta({
    id: 'Error',
    description: 'Shape of every error. The fields that are present depend on the code.',
    examples: [
      {
        error:
          'There is no collection `ada/cities`, or you cannot see it. Check the path; private collections require signing in as a member or collaborator.',
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
