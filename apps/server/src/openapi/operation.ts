/** Describes one operation of the wire package in OpenAPI 3.1: parameters, body, answers. `describe.ts` collects them. */
import type { Operation, Streamed } from '@ulmus/wire'
import { z } from 'zod'
import {
  type DescribedOperation,
  entityTag,
  isTagged,
  movedOf,
  pageLinks,
  type Response,
  refusalsOf,
  unchangedOf,
} from './refusals.ts'
import { exampleOf, type JsonSchema, schemaOf } from './shapes.ts'

export function operationOf(operation: DescribedOperation): object {
  const parameters = [
    ...parametersIn('path', operation.params),
    ...parametersIn('query', operation.query),
    ...(operation.headers ?? []).map(({ example, ...named }) => ({
      ...{ in: 'header', ...named, required: false, schema: { type: 'string' } },
      ...exampleParts(example, false),
    })),
  ]
  const body = bodyOf(operation)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...successesOf(operation),
      ...movedOf(operation),
      ...unchangedOf(operation),
      ...refusalsOf(operation),
    },
  }
}

function securityOf({ entrance, credentials }: Operation): object[] {
  if (credentials === false) return []
  // The reference page uses the first entry in its terminal examples.
  const either = [{ apiKey: [] }, { session: [] }]
  return entrance === undefined ? [{}, ...either] : either
}

/** The API reference sends every example that is not disabled. Some optional parameters exclude each other. */
const exampleParts = (value: unknown, isRequired: boolean): object =>
  isRequired ? { example: value } : { examples: { usual: { value, 'x-disabled': true } } }

interface Meta {
  examples?: unknown[]
  default?: unknown
}

/** Members of a shape as parameters, each with its example. */
function parametersIn(place: 'path' | 'query', shape: unknown): object[] {
  if (!(shape instanceof z.ZodObject)) return []
  const { properties = {}, required = [] } = schemaOf(shape) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, examples: _examples, ...schema }]) => {
    // The JSON Schema of a parameter that is read from text lacks these.
    const { examples, default: usual } = (shape.shape[name] as z.ZodType).meta() as Meta
    const isRequired = required.includes(name)
    return {
      ...{ in: place, name, required: isRequired, description },
      schema: usual === undefined ? schema : { ...schema, default: usual },
      ...exampleParts(examples?.[0], isRequired),
    }
  })
}

function bodyOf({ body }: Operation): object | undefined {
  if (body === undefined) return undefined
  if (!(body instanceof z.ZodType)) return { required: true, ...body }
  const shape = body instanceof z.ZodOptional ? (body.unwrap() as z.ZodType) : body
  return { required: shape === body, content: { 'application/json': mediaOf(shape) } }
}

function mediaOf(shape: z.ZodType): object {
  const example = exampleOf(shape)
  return { schema: schemaOf(shape), ...(example === undefined ? {} : { example }) }
}

function successesOf(operation: DescribedOperation): Record<string, Response> {
  const described = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    successOf(operation, status, answer),
  ])
  return { ...Object.fromEntries(described), ...(operation.otherAnswers as Record<string, Response>) }
}

function successOf(
  operation: DescribedOperation,
  status: string,
  answer: Operation['answers'][number],
): Response {
  const words = operation.answerWords?.[Number(status)]
  const headers = {
    // Caches must not keep the progress of a build.
    ...(isTagged(operation) && status !== '202' ? entityTag : {}),
    ...(isPage(answer, operation.query) ? pageLinks : {}),
  }
  const also = Object.keys(headers).length === 0 ? {} : { headers }
  if (!(answer instanceof z.ZodType)) {
    const streamed = answer as Streamed
    return { description: words ?? streamed.description, ...also, content: streamed.content }
  }
  if (answer instanceof z.ZodNull) return { description: words ?? '', ...also }
  const description = words ?? answer.meta()?.description ?? ''
  const forms = status === '200' ? operation.otherForms : undefined
  return { description, ...also, content: { 'application/json': mediaOf(answer), ...forms } }
}

const isPage = (answer: unknown, query: unknown): boolean =>
  answer instanceof z.ZodObject
    ? 'pagination' in answer.shape
    : answer instanceof z.ZodArray && query instanceof z.ZodObject && 'cursor' in query.shape
