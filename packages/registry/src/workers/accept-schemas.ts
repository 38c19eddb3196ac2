/**
 * The schemas that a push brings, each accepted or refused (content-model §4): a task for a worker thread, since to compile
 * thousands of them takes seconds.
 */
import {
  acceptSchema,
  type Hash,
  hashBytes,
  type JsonObject,
  type Schema,
  SchemaError,
  typeFault,
} from '@ulmus/content'
import { linesOfSchemas } from '../pushes/schema-lines.ts'

export interface AcceptedSchemas {
  kind: 'accepted'
  /** As schema-lines.ts has them. */
  bytes: Uint8Array<ArrayBuffer>
  /** Of `bytes`. */
  hash: Hash
  types: number
}

export type SchemasOutcome =
  | AcceptedSchemas
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
  const lines = linesOfSchemas(schemas)
  return { kind: 'accepted', bytes: lines, hash: hashBytes(lines), types: schemas.size }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
