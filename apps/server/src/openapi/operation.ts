/** One route as an operation of OpenAPI 3.1. */
import type { Entrance } from '@ulmus/registry'
import { z } from 'zod'
import {
  entityTag,
  isTagged,
  movedOf,
  pageLinks,
  type Response,
  refusalsOf,
  unchangedOf,
} from './refusals.ts'
import type { DescribedRoute } from './routes.ts'
import { exampleOf, type JsonSchema, schemaOf } from './shapes.ts'

export function operationOf(route: DescribedRoute): object {
  const { schema, config } = route
  const parameters = [
    ...parametersIn('path', schema.params),
    ...parametersIn('query', schema.querystring),
    ...(schema.headerParameters ?? []).map(({ example, ...named }) => ({
      ...{ in: 'header', ...named, required: false, schema: { type: 'string' } },
      ...exampleParts(example, false),
    })),
  ]
  const body = bodyOf(route)
  return {
    operationId: schema.operationId,
    tags: schema.tags,
    summary: schema.summary,
    description: schema.description,
    security: securityOf(config.entrance, config.credentials),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...successesOf(route), ...movedOf(route), ...unchangedOf(route), ...refusalsOf(route) },
  }
}

function securityOf(entrance: Entrance | undefined, credentials: false | undefined): object[] {
  if (credentials === false) return []
  // The page that shows the API has the first in its examples for a terminal.
  const either = [{ apiKey: [] }, { session: [] }]
  return entrance?.scope === undefined ? [{}, ...either] : either
}

/** The API reference sends every example that is not disabled. Some optional parameters exclude each other. */
const exampleParts = (value: unknown, isRequired: boolean): object =>
  isRequired ? { example: value } : { examples: { usual: { value, 'x-disabled': true } } }

interface Meta {
  examples?: unknown[]
  default?: unknown
}

/** The members of a shape as parameters, each with its example. */
function parametersIn(place: 'path' | 'query', shape: unknown): object[] {
  if (!(shape instanceof z.ZodObject)) return []
  const { properties = {}, required = [] } = schemaOf(shape) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, examples: _examples, ...schema }]) => {
    // What JSON Schema has of a parameter that is read from text lacks these.
    const { examples, default: usual } = (shape.shape[name] as z.ZodType).meta() as Meta
    const isRequired = required.includes(name)
    return {
      ...{ in: place, name, required: isRequired, description },
      schema: usual === undefined ? schema : { ...schema, default: usual },
      ...exampleParts(examples?.[0], isRequired),
    }
  })
}

function bodyOf({ schema }: DescribedRoute): object | undefined {
  if (schema.streamedBody !== undefined) return { required: true, ...schema.streamedBody }
  if (!(schema.body instanceof z.ZodType)) return undefined
  return { required: true, content: { 'application/json': mediaOf(schema.body) } }
}

function mediaOf(shape: z.ZodType): object {
  const example = exampleOf(shape)
  return { schema: schemaOf(shape), ...(example === undefined ? {} : { example }) }
}

type Answer = z.ZodType | { description: string; content: Record<string, { schema: z.ZodType }> }

function successesOf(route: DescribedRoute): Record<string, Response> {
  const { response, answers, otherAnswers } = route.schema
  const described = Object.entries((response ?? {}) as Record<string, Answer>).map(([status, answer]) => {
    const said = answers?.[Number(status)]
    return [status, successOf(route, answer, said)] as const
  })
  return { ...Object.fromEntries(described), ...(otherAnswers as Record<string, Response>) }
}

function successOf(route: DescribedRoute, answer: Answer, said: string | undefined): Response {
  const headers = {
    ...(isTagged(route) ? entityTag : {}),
    ...(answer instanceof z.ZodArray && isPaged(route.schema.querystring) ? pageLinks : {}),
  }
  const also = Object.keys(headers).length === 0 ? {} : { headers }
  if (!(answer instanceof z.ZodType)) {
    const content = Object.entries(answer.content).map(([type, { schema }]) => [type, mediaOf(schema)])
    return { description: said ?? answer.description, ...also, content: Object.fromEntries(content) }
  }
  if (answer instanceof z.ZodNull) return { description: said ?? '', ...also }
  const description = said ?? answer.meta()?.description ?? ''
  return { description, ...also, content: { 'application/json': mediaOf(answer) } }
}

const isPaged = (query: unknown): boolean => query instanceof z.ZodObject && 'cursor' in query.shape
