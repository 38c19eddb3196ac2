/** Schemas of types: acceptance, and validation of data by accepted ones (content-model §4). */

import { type Hash, hashText, utf8Length } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { type Check, checkAgainstMetaSchema, compileSchema, type SchemaIssue } from './compiler.ts'
import { knownFieldsOf, unknownFieldsOf, withoutUnknownFields } from './known-fields.ts'
import type { SchemaPlaces } from './places.ts'
import { checkCuttable, cutPrivateFields, privateFieldsOf } from './private-fields.ts'
import { checkSchemaRules } from './rules.ts'
import { SchemaError } from './schema-error.ts'

/** Largest canonical form of a schema: 256 KiB. */
export const schemaBytesMax = 262_144
/** Schemas kept compiled, the latest used ones: so many, and so much of their canonical forms, which may take twenty times that as objects. */
const cachedSchemasMax = 256
const cachedCharactersMax = 4_194_304

/** An accepted schema. Immutable; two with the same hash are interchangeable. */
export interface Schema {
  /** A copy of the input, its members in canonical order. */
  readonly source: JsonObject | boolean
  /** RFC 8785 of `source`. */
  readonly canonical: string
  /** SHA-256 of `canonical`. */
  readonly hash: Hash
  /** Whether the type is private: the root says `"private": true`. */
  readonly private: boolean
  /** Names of the private members of the root's `properties`. */
  readonly privateFields: readonly string[]
  /** Why `data` does not match: at most 20 issues, none when it does. */
  validate(data: Json): SchemaIssue[]
  /** Top-level members of `data` that the root's `properties` does not list; none without root `properties`. */
  unknownFields(data: Json): string[]
  /** `data` without its unknown fields; `data` itself when there are none. */
  strip(data: Json): Json
}

export interface AcceptOptions {
  /** The schema was accepted before and comes from a store: nothing is checked, and it is compiled when first used. */
  accepted?: boolean
}

const cache = new Map<Hash, AcceptedSchema>()
let cachedCharacters = 0

/**
 * The schema of a type, from parsed JSON (whose text obeyed the text rules, see `parseStrict`).
 * @throws SchemaError `invalid_schema`: no object or boolean, over `schemaBytesMax`, nested more than 65 levels, not valid against its
 * meta-schema (draft-07 unless `$schema` names 2020-12), a reference that leaves it or has no target, a pattern that is too
 * long, does not compile with the `u` flag or cannot be matched in linear time, `private` where it hides nothing, private fields that
 * could not be cut.
 */
export function acceptSchema(source: Json, options: AcceptOptions = {}): Schema {
  if (typeof source !== 'boolean' && !isJsonObject(source)) {
    throw new SchemaError('A schema must be a JSON object, true or false.')
  }
  const canonical = canonicalize(source)
  const hash = hashText(canonical)
  const cached = cache.get(hash)
  if (cached !== undefined) {
    keep(cached)
    return cached
  }
  const schema = new AcceptedSchema(JSON.parse(canonical) as JsonObject | boolean, canonical, hash)
  if (options.accepted !== true && typeof schema.source !== 'boolean') check(schema.source, schema)
  keep(schema)
  return schema
}

function check(source: JsonObject, schema: AcceptedSchema): void {
  const bytes = utf8Length(schema.canonical)
  if (bytes > schemaBytesMax) {
    throw new SchemaError(
      `The schema takes ${bytes} bytes in canonical form; at most ${schemaBytesMax} are allowed.`,
    )
  }
  checkAgainstMetaSchema(source)
  const places = checkSchemaRules(source)
  schema.compile()
  if (schema.privateFields.length > 0) checkPublicForm(source, schema.privateFields, places)
}

/** The schema without its private fields must be valid, too: no reference may lead to a removed part. */
function checkPublicForm(source: JsonObject, privateFields: readonly string[], places: SchemaPlaces): void {
  checkCuttable(source, privateFields, places)
  const left = cutPrivateFields(source, privateFields)
  try {
    compileSchema(left, canonicalize(left))
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause
    throw new SchemaError(`Without its private fields the schema is none: ${cause.message}`)
  }
}

/** Makes `schema` the latest used one, and forgets those that were used longest ago. */
function keep(schema: AcceptedSchema): void {
  forget(schema)
  cache.set(schema.hash, schema)
  cachedCharacters += schema.canonical.length
  for (const oldest of cache.values()) {
    if (cache.size <= cachedSchemasMax && cachedCharacters <= cachedCharactersMax) return
    forget(oldest)
  }
}

function forget(schema: AcceptedSchema): void {
  if (cache.delete(schema.hash)) cachedCharacters -= schema.canonical.length
}

class AcceptedSchema implements Schema {
  readonly source: JsonObject | boolean
  readonly canonical: string
  readonly hash: Hash
  readonly private: boolean
  readonly privateFields: readonly string[]
  readonly #known: ReadonlySet<string> | undefined
  #check: Check | undefined

  constructor(source: JsonObject | boolean, canonical: string, hash: Hash) {
    this.source = source
    this.canonical = canonical
    this.hash = hash
    this.private = isJsonObject(source) && source['private'] === true
    this.privateFields = isJsonObject(source) ? privateFieldsOf(source) : []
    this.#known = knownFieldsOf(source)
  }

  compile(): Check {
    this.#check ??= isJsonObject(this.source)
      ? compileSchema(this.source, this.canonical)
      : constantCheck(this.source)
    return this.#check
  }

  validate(data: Json): SchemaIssue[] {
    return (this.#check ?? this.compile())(data)
  }

  unknownFields(data: Json): string[] {
    return unknownFieldsOf(data, this.#known)
  }

  strip(data: Json): Json {
    return withoutUnknownFields(data, this.#known)
  }
}

function constantCheck(admitsAll: boolean): Check {
  return () => (admitsAll ? [] : [{ path: '', message: 'is not allowed: the schema is false' }])
}
