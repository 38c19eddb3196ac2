/** Shapes of the wire package as JSON Schema. A model with an id is described once, under `components`, and referenced elsewhere. */
import { z } from 'zod'

export type JsonSchema = { [keyword: string]: unknown }

const place = '#/components/schemas/'

export const referTo = (model: string): JsonSchema => ({ $ref: `${place}${model}` })

/**
 * Describes requests and answers in the same way, as they arrive: a member with a default may be absent. Later versions may add members to
 * answers, so only request bodies exclude other members.
 */
const options = {
  io: 'input',
  unrepresentable: 'any',
  reused: 'inline',
  override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => {
    // Omit bounds that every exact integer in JavaScript meets.
    if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
    if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
    // The format implies the pattern.
    if (jsonSchema['format'] === 'uuid' || jsonSchema['format'] === 'date-time') delete jsonSchema['pattern']
  },
} as const

/** The schema of a shape at the place of its use. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _dialect, $defs: _models, ...schema } = z.toJSONSchema(shape, options) as JsonSchema
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${place}`)) as JsonSchema
}

/** Models that a document refers to, directly or through other models, by name. */
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

/** The example of a shape: its own; for an array a list of one, for a union the example of its first member. */
export function exampleOf(shape: z.ZodType): unknown {
  const [own] = (shape.meta()?.['examples'] ?? []) as unknown[]
  if (own !== undefined) return own
  if (shape instanceof z.ZodUnion) return exampleOf(shape.options[0] as z.ZodType)
  if (!(shape instanceof z.ZodArray)) return undefined
  const item = exampleOf(shape.element as z.ZodType)
  return item === undefined ? undefined : [item]
}
