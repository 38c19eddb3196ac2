/**
 * Accepts or refuses the schemas of a push (content-model §4). A task for a worker thread, since compiling thousands of schemas
 * takes seconds.
 */
import {
  acceptSchema,
  type Hash,
  hashText,
  type Json,
  newNameFault,
  parseJson,
  type Schema,
  SchemaError,
  schemaWarnings,
  typeFault,
} from '@ulmus/content'
import { defineTask } from '../../work/task.ts'
import { schemasText } from './push-schema.ts'
import { type PushWarnings, WarningList } from './warnings.ts'

/** Schemas that passed, in the form that the session stores. */
export interface AcceptedSchemas {
  kind: 'accepted'
  /** Stored form of the schemas (push-schema.ts). */
  text: string
  /** Hash of `text`. */
  hash: Hash
  warnings: PushWarnings
}

export type SchemasOutcome =
  | AcceptedSchemas
  /** The first refused schema. `path`: JSON pointer to the fault, if it has a position. */
  | { kind: 'refused'; type: string; reason: string; path?: string }

/** Maximum number of types in a version (content-model §4), as in docs/limits.md. */
export const typesMax = 1_000
/** Maximum size of their schemas together, in canonical form, as in docs/limits.md. Bytes. */
export const typesBytesMax = 4 * 1024 ** 2

/** Schemas by type, as canonical JSON. */
export type SchemaTexts = (readonly [type: string, text: string])[]

export interface SchemasTask {
  /** Schemas that the push names. */
  given: SchemaTexts
  /** Schemas of the base that stay. */
  kept: SchemaTexts
  /** Hashes of the base's schemas. Its names, and schemas equal to its own, were accepted before: a rule of today must not lock them. */
  stored: ReadonlyMap<string, Hash>
}

export const acceptSchemas = defineTask({
  name: 'acceptSchemas',
  pool: 'push',
  run: acceptAll,
  costs: ({ given, kept }) => ({ bytes: unitsOf(given) + unitsOf(kept), schemaUnits: unitsOf(given) }),
})

const unitsOf = (texts: SchemaTexts): number =>
  texts.reduce((sum, [type, text]) => sum + type.length + text.length, 0)

function acceptAll({ given, kept, stored }: SchemasTask): SchemasOutcome {
  const schemas = new Map<string, Schema>()
  for (const [type, text] of kept)
    schemas.set(type, acceptSchema(parseJson(text) as Json, { accepted: true }))
  for (const [type, text] of given) {
    const before = stored.get(type)
    const reason = typeFault(type) ?? (before === undefined ? newNameFault('type', type) : undefined)
    if (reason !== undefined) return { kind: 'refused', type, reason }
    try {
      const isStored = before === hashText(text)
      schemas.set(type, acceptSchema(parseJson(text) as Json, { accepted: isStored }))
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const refused = { kind: 'refused', type, reason: error.message } as const
      return error.path === undefined ? refused : { ...refused, path: error.path }
    }
  }
  const text = schemasText(schemas)
  return {
    kind: 'accepted',
    text,
    hash: hashText(text),
    warnings: warningsOf(schemas, new Set(given.map(([type]) => type))),
  }
}

/** Names reserved for devices on Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Warns of type names that cannot be file names: exports and working folders store types as files. */
function* fileNameWarnings(types: Iterable<string>): Generator<[type: string, message: string]> {
  const known = new Map<string, string>()
  for (const type of types) {
    const folded = type.toLowerCase()
    const like = known.get(folded)
    known.set(folded, type)
    if (deviceName.test(type)) yield [type, 'Windows keeps this name for a device: no file there can have it']
    else if (like !== undefined)
      yield [
        type,
        `differs from ${JSON.stringify(like)} in its case alone: on Windows and macOS the files of both are one`,
      ]
  }
}

/** @param given types that the push names: schemas that stay were warned of before */
function warningsOf(schemas: ReadonlyMap<string, Schema>, given: ReadonlySet<string>): PushWarnings {
  const warnings = new WarningList()
  for (const [type, { source }] of schemas) {
    if (!given.has(type)) continue
    for (const warning of schemaWarnings(source, (name) => schemas.has(name)))
      warnings.add({ type, ...warning })
  }
  for (const [type, message] of fileNameWarnings(schemas.keys()))
    if (given.has(type)) warnings.add({ code: 'file_name', type, path: '', message })
  return { listed: warnings.listed, total: warnings.total }
}
