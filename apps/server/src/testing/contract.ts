/** Builds requests from the examples of the API description, and compares responses with it. */
import { parseJson } from '@ulmus/content'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { RequestOptions, TestResponse } from './test-client.ts'

export interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required: boolean
  description?: string
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Media {
  schema: { contentSchema?: object; [keyword: string]: unknown }
  example?: unknown
}

export interface DescribedResponse {
  description: string
  headers?: Record<string, object>
  content?: Record<string, Media>
  'x-codes'?: string[]
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, DescribedResponse>
}

export interface ApiDocument {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, object>
    examples: Record<string, { summary: string; value: Record<string, unknown> }>
  }
}

export interface DescribedCall {
  method: string
  /** With `{name}` for parameters. */
  path: string
  operation: Operation
}

/** Replacements of the examples. */
export interface Instead {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

export type Contract = ReturnType<typeof contractOf>

export function contractOf(document: ApiDocument) {
  const calls = callsOf(document)
  const schemas = schemasOf(document)

  /** Differences between a response and its description; empty if there are none. */
  function faultsOf({ method, path, operation }: DescribedCall, response: TestResponse): string[] {
    const name = `${method} ${path} ${response.status}`
    const described = operation.responses[response.status]
    if (described === undefined) return [`${name} is not described: ${response.text.slice(0, 200)}`]
    const missing = Object.keys(described.headers ?? {}).filter(
      (header) => header !== 'Link' && response.headers[header.toLowerCase()] === undefined,
    )
    const found = bodyFaults(
      described,
      ['paths', path, method.toLowerCase(), 'responses', `${response.status}`],
      response,
    )
    return [...missing.map((header) => `has no header ${header}`), ...found].map(
      (fault) => `${name}: ${fault}`,
    )
  }

  function bodyFaults(described: DescribedResponse, place: string[], response: TestResponse): string[] {
    if (described.content === undefined) return response.bytes.length === 0 ? [] : ['has a body']
    const type = String(response.headers['content-type']).split(';', 1)[0]!
    const mediaType = type in described.content ? type : '*/*'
    const media = described.content[mediaType]
    if (media === undefined) return [`has the content type ${type}`]
    const schema = [...place, 'content', mediaType, 'schema']
    if (media.schema.contentSchema !== undefined) {
      const lines = response.text.split('\n').filter((line) => line !== '')
      return lines.flatMap((line) => schemas.faults([...schema, 'contentSchema'], parseJson(line)))
    }
    // A file is bytes, whatever its content type.
    if (type !== 'application/json' || media.schema['format'] === 'binary') return []
    const codes = described['x-codes']
    const code = response.json?.code as string
    if (codes !== undefined && !codes.includes(code)) return [`has the code ${code}`]
    return schemas.faults(schema, response.json)
  }

  return {
    document,
    calls,
    schemas,
    faultsOf,
    /** By its `operationId`. */
    call(id: string): DescribedCall {
      const found = calls.find(({ operation }) => operation.operationId === id)
      if (found === undefined) throw new Error(`No operation is called ${id}.`)
      return found
    },
  }
}

function callsOf({ paths }: ApiDocument): DescribedCall[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** Schemas of a document by their path in it. They refuse unnamed members, so that the description stays complete. */
function schemasOf(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(closed(document) as object, 'openapi:')
  const compiled = new Map<string, ValidateFunction>()
  const at = (place: readonly string[]) => {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const schema = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi:#/${encodeURI(pointer)}` })
    compiled.set(pointer, schema)
    return schema
  }
  return {
    faults(place: readonly string[], value: unknown): string[] {
      const validate = at(place)
      if (validate(value)) return []
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
    },
  }
}

const notSchemas = new Set(['example', 'examples', 'default'])

function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).map(([name, value]) => [
    name,
    notSchemas.has(name) ? value : closed(value),
  ])
  const schema = Object.fromEntries(members) as Record<string, unknown>
  const others = JSON.stringify(schema['additionalProperties'] ?? {})
  const isOpen = typeof schema['properties'] === 'object' && others === '{}'
  return isOpen ? { ...schema, additionalProperties: false } : schema
}

export const exampleOf = ({ example, examples }: Parameter): unknown =>
  example ?? Object.values(examples ?? {})[0]?.value

/** Builds the path and options of a request from the examples of an operation. */
export function requestOf(
  { path, operation }: DescribedCall,
  instead: Instead = {},
): { path: string; options: RequestOptions & { headers: Record<string, string> } } {
  const parameters = operation.parameters ?? []
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(instead.path?.[name] ?? String(exampleOf(example!)))
  })
  const required = parameters.filter((one) => one.in === 'query' && one.required)
  const query = new URLSearchParams({
    ...Object.fromEntries(required.map((one) => [one.name, String(exampleOf(one))])),
    ...instead.query,
  })
  const target = query.size === 0 ? filled : `${filled}?${query}`
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined) return { path: target, options: { headers: {} } }
  const value = instead.body ?? media?.example
  const isForm = type === 'application/x-www-form-urlencoded'
  const text = isForm ? String(new URLSearchParams(value as Record<string, string>)) : JSON.stringify(value)
  const body = typeof value === 'string' ? value : text
  return { path: target, options: { body, headers: { 'content-type': type } } }
}
