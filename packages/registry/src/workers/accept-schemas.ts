/**
 * The schemas that a push brings, each accepted or refused (content-model §4): a task for a worker thread, since to compile
 * thousands of them takes seconds.
 */
import { acceptSchema, type JsonObject, type Schema, SchemaError, typeFault } from '@ulmus/content'
import { schemasText } from '../pushes/schemas.ts'

export type SchemasOutcome =
  /** `text`: from which `restoreSchemas` makes them again. */
  | { kind: 'accepted'; text: string }
  /** The first that is refused. `path`: JSON pointer into it, where the fault has a place. */
  | { kind: 'refused'; type: string; reason: string; path?: string }

/** @param bytes JSON `{type: schema}` */
export function acceptSchemas(bytes: Uint8Array): SchemasOutcome {
  const schemas = new Map<string, Schema>()
  for (const [type, source] of Object.entries(JSON.parse(decoder.decode(bytes)) as JsonObject)) {
    const reason = typeFault(type)
    if (reason !== undefined) return { kind: 'refused', type, reason }
    try {
      schemas.set(type, acceptSchema(source))
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const refused = { kind: 'refused', type, reason: error.message } as const
      return error.path === undefined ? refused : { ...refused, path: error.path }
    }
  }
  return { kind: 'accepted', text: schemasText(schemas) }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
