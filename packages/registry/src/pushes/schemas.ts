/** The schemas a push works with: those it brings, or its base's. */
import {
  acceptSchema,
  type Json,
  type JsonObject,
  type Schema,
  SchemaError,
  typeFault,
  type ViewDocument,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { RegistryError } from '../errors.ts'

/** @throws invalid_schema naming the type and the place. */
export function acceptSchemas(sources: JsonObject): Map<string, Schema> {
  const schemas = new Map<string, Schema>()
  for (const [type, source] of Object.entries(sources)) {
    const fault = typeFault(type)
    if (fault !== undefined)
      throw new RegistryError('invalid_schema', { details: { type }, say: { reason: fault } })
    try {
      schemas.set(type, acceptSchema(source))
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      throw new RegistryError('invalid_schema', {
        details: { type, ...(error.path === undefined ? {} : { path: error.path }) },
        say: { reason: error.message },
      })
    }
  }
  return schemas
}

/** The schemas of a version's view, from its document. */
export async function schemasOf(objects: ObjectReader, document: ViewDocument): Promise<Map<string, Schema>> {
  const schemas = new Map<string, Schema>()
  for (const [type, { schema }] of Object.entries(document.types)) {
    schemas.set(type, acceptSchema(JSON.parse(decoder.decode(await objects.plain(schema))) as Json))
  }
  return schemas
}

const decoder = new TextDecoder()

/** `{type: schema}` as JSON text, from which a worker makes the same schemas again. */
export const schemasText = (schemas: ReadonlyMap<string, Schema>): string =>
  `{${[...schemas].map(([type, schema]) => `${JSON.stringify(type)}:${schema.canonical}`).join(',')}}`
