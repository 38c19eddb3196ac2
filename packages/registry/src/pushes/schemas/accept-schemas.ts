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
  schemaWarnings,
  typeFault,
} from '@ulmus/content'
import { linesOfSchemas } from './schema-lines.ts'
import { type PushWarnings, WarningList } from './warnings.ts'

export interface AcceptedSchemas {
  kind: 'accepted'
  /** As schema-lines.ts has them. */
  bytes: Uint8Array<ArrayBuffer>
  /** Of `bytes`. */
  hash: Hash
  types: number
  warnings: PushWarnings
}

export type SchemasOutcome =
  | AcceptedSchemas
  /** More than `typesMax`, or their schemas take more than `typesBytesMax`. */
  | { kind: 'too_many'; types: number }
  /** The first that is refused. `path`: JSON pointer into it, where the fault has a place. */
  | { kind: 'refused'; type: string; reason: string; path?: string }

/** Types of a version (content-model §4). */
export const typesMax = 1_000
/** Their schemas in canonical form, together. Bytes. */
export const typesBytesMax = 4 * 1024 ** 2

/** @param bytes JSON `{type: schema}` */
export function acceptSchemas(bytes: Uint8Array): SchemasOutcome {
  const sources = Object.entries(JSON.parse(decoder.decode(bytes)) as JsonObject)
  const types = sources.length
  if (types > typesMax) return { kind: 'too_many', types }
  const schemas = new Map<string, Schema>()
  let schemaBytes = 0
  for (const [type, source] of sources) {
    const reason = typeFault(type)
    if (reason !== undefined) return { kind: 'refused', type, reason }
    try {
      const schema = acceptSchema(source)
      schemas.set(type, schema)
      schemaBytes += Buffer.byteLength(schema.canonical)
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const refused = { kind: 'refused', type, reason: error.message } as const
      return error.path === undefined ? refused : { ...refused, path: error.path }
    }
    if (schemaBytes > typesBytesMax) return { kind: 'too_many', types }
  }
  const lines = linesOfSchemas(schemas)
  return { kind: 'accepted', bytes: lines, hash: hashBytes(lines), types, warnings: warningsOf(schemas) }
}

function warningsOf(schemas: ReadonlyMap<string, Schema>): PushWarnings {
  const warnings = new WarningList()
  for (const [type, { source }] of schemas)
    for (const warning of schemaWarnings(source, (name) => schemas.has(name)))
      warnings.add({ type, ...warning })
  return { listed: warnings.listed, total: warnings.total }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
