/** Validation by zod: parses requests by the shapes of the wire package, and checks answers in tests. */
import { jsonOf, RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import { z } from 'zod'

type Issue = z.core.$ZodIssue

/**
 * @param checkAnswers true: an answer without its documented shape is an error (500). For tests; in production the check costs much and
 *   finds little in our own output.
 */
export function checkShapes(app: FastifyInstance, options: { checkAnswers: boolean }): void {
  app.setValidatorCompiler(validate as FastifySchemaCompiler<unknown>)
  app.setSerializerCompiler(({ schema, method, url }) => (answer) => {
    const text = jsonOf(answer)
    if (options.checkAnswers) demandShape(schema as z.ZodType, JSON.parse(String(text)), `${method} ${url}`)
    return text as string
  })
}

function demandShape(shape: z.ZodType, value: unknown, route: string): void {
  const { error } = z.safeEncode(shape, value)
  if (error !== undefined) throw new Error(`The answer of ${route} is not as documented.`, { cause: error })
}

const validate: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    try {
      return { value: httpPart === 'body' ? parseBody(schema, data) : parseShape(schema, data) }
    } catch (error) {
      return { error: error as RegistryError }
    }
  }

/** Maximum number of issues in an answer. */
const issuesMax = 100

/** @throws invalid_request with an issue for each mismatch, at most a hundred */
export function parseShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const result = shape.safeParse(value, { error: sentenceOf })
  if (result.success) return result.data
  const known = shape instanceof z.ZodObject ? Object.keys(shape.shape) : []
  throw invalid(result.error.issues.flatMap((issue) => issuesOf(issue, known)).slice(0, issuesMax))
}

/** `parseShape` for a body; null stands for a missing one, which an optional shape accepts. */
export function parseBody<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  if (value !== null) return parseShape(shape, value)
  if (!shape.safeParse(undefined).success) throw invalid([bodyNeeded])
  return parseShape(shape, undefined)
}

/** Default message of an issue: zod's own speak of types and of its input. */
const sentenceOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`
    case 'too_small':
      if (issue.input === '') return 'must not be empty'
      return `must ${boundOf(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${boundOf(issue.origin, 'at most', issue.maximum)}`
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'in the documented form'}`
    default:
      return 'is not in the documented form'
  }
}

const units: Record<string, string> = { string: 'characters', array: 'entries', object: 'members' }
const boundOf = (origin: string, which: string, bound: number | bigint): string =>
  units[origin] === undefined ? `be ${which} ${bound}` : `have ${which} ${bound} ${units[origin]}`

const formats: Record<string, string> = {
  uuid: 'an id such as 0198c9a0-0000-7000-8000-000000000000',
  email: 'an e-mail address',
  datetime: 'a time such as 2026-01-15T00:00:00Z',
}

const invalid = (issues: { path: string; message: string }[]): RegistryError =>
  new RegistryError('invalid_request', { details: { issues } })

const bodyNeeded = { path: '', message: 'A JSON body with `Content-Type: application/json` is required.' }

/** @param known members at the top level */
function issuesOf(issue: Issue, known: readonly string[]): { path: string; message: string }[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
  const others = path.length > 0 || known.length === 0 ? '' : `; use ${known.join(', ')}`
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: `is unknown${others}` }))
}

/** An answer that contains stored JSON unparsed; its shape documents it. */
export const textIn = <Shape>(answer: object): Shape => answer as Shape

/** For a route with a streamed body: its shape documents it, and the reader of the stream validates it. */
export const bodyUnchecked = (route: FastifyRouteSchemaDef<unknown>) =>
  route.httpPart === 'body'
    ? (data: unknown) => ({ value: data })
    : validate(route as FastifyRouteSchemaDef<z.ZodType>)

const newline = 0x0a

/**
 * Ends JSON answers with a newline, so that a terminal shows its prompt on a new line. Call it before the plugins that hash and compress
 * answers. Streams write their own last newline.
 */
export function endJsonLines(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.hasHeader('content-encoding') || !isJson(reply.getHeader('content-type'))) return payload
    if (typeof payload === 'string') return payload.endsWith('\n') ? payload : `${payload}\n`
    if (Buffer.isBuffer(payload) && payload.at(-1) !== newline)
      return Buffer.concat([payload, Uint8Array.of(newline)])
    return payload
  })
}

const isJson = (type: unknown) => String(type).startsWith('application/json')
