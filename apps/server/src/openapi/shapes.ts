/** Shapes of the wire package as JSON Schema: a model that has an id once, under `components`, and everywhere else by reference. */
import { z } from 'zod'

export type JsonSchema = { [keyword: string]: unknown }

const place = '#/components/schemas/'

export const referTo = (model: string): JsonSchema => ({ $ref: `${place}${model}` })

/**
 * Requests and answers are described alike, as they arrive: a member with a default may be left out. What an answer does not name
 * may be there some day, so only bodies of requests exclude other members.
 */
const options = {
  io: 'input',
  unrepresentable: 'any',
  reused: 'inline',
  override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => {
    // Bounds of every integer that JavaScript can hold exactly say nothing.
    if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
    if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
    // The format says as much.
    if (jsonSchema['format'] === 'uuid' || jsonSchema['format'] === 'date-time') delete jsonSchema['pattern']
  },
} as const

/** A shape where it is used. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _dialect, $defs: _models, ...schema } = z.toJSONSchema(shape, options) as JsonSchema
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${place}`)) as JsonSchema
}

/** The models that a document refers to, and those that they refer to, by name. */
export function modelsIn(document: unknown): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...options, uri: (id) => `${place}${id}` })
  const models = new Map<string, JsonSchema>()
  const add = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (models.has(name)) continue
      const { $schema: _dialect, $id: _place, id: _name, ...model } = schemas[name] as JsonSchema
      models.set(name, model)
      add(model)
    }
  }
  add(document)
  return Object.fromEntries([...models].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The example of a shape: its own; of an array a list of one, of a union the first's. */
export function exampleOf(shape: z.ZodType): unknown {
  const [own] = (shape.meta()?.['examples'] ?? []) as unknown[]
  if (own !== undefined) return own
  if (shape instanceof z.ZodUnion) return exampleOf(shape.options[0] as z.ZodType)
  if (!(shape instanceof z.ZodArray)) return undefined
  const item = exampleOf(shape.element as z.ZodType)
  return item === undefined ? undefined : [item]
}
