/**
 * Schemas of types: accepts or refuses a schema, and validates data with accepted ones (content-model §4). Compiled schemas are cached by
 * hash for the whole program.
 */

import { type Hash, hashText, utf8Length } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { type Check, checkAgainstMetaSchema, compileSchema, type SchemaIssue } from './compiler.ts'
import { knownFieldsOf, unknownFieldsOf, withoutUnknownFields } from './known-fields.ts'
import type { SchemaPlaces } from './places.ts'
import { checkCuttable, cutPrivateFields, privateFieldsOf } from './private-fields.ts'
import { checkSchemaRules } from './rules.ts'
import { SchemaError } from './schema-error.ts'

/** Largest canonical form of a schema: 256 KiB. */
export const schemaBytesMax = 262_144
/** Maximum number of compiled schemas in the cache. */
const cachedSchemasMax = 256
/** Maximum total size of their canonical forms. Characters; as objects they may take twenty times that. */
const cachedCharactersMax = 4_194_304

/** An accepted schema. Immutable; two with the same hash are interchangeable. */
export interface Schema {
  /** Copy of the input, its members in canonical order. */
  readonly source: JsonObject | boolean
  /** `source` as in RFC 8785. */
  readonly canonical: string
  /** SHA-256 of `canonical`. */
  readonly hash: Hash
  /** True if the type is private: the root has `"private": true`. */
  readonly private: boolean
  /** Names of the private members of the root's `properties`. */
  readonly privateFields: readonly string[]
  /** Issues of `data`: at most 20, none if it matches. */
  validate(data: Json): SchemaIssue[]
  /** Top-level members of `data` that the root's `properties` does not list; none without root `properties`. */
  unknownFields(data: Json): string[]
  /** `data` without its unknown fields; `data` itself if there are none. */
  strip(data: Json): Json
}

/** Options of `acceptSchema`. */
export interface AcceptOptions {
  /** The schema comes from a store and was accepted before: it is not checked, and is compiled at first use. */
  accepted?: boolean
}

const cache = new Map<Hash, AcceptedSchema>()
let cachedCharacters = 0

/**
 * The schema of a type, from parsed JSON (whose text obeyed the text rules, see `parseStrict`).
 * @throws SchemaError `invalid_schema` if it is neither an object nor a boolean, exceeds `schemaBytesMax`, nests more than 65 levels, or is
 * invalid against its meta-schema (draft-07 unless `$schema` names 2020-12); if a reference leaves it or has no target; if a pattern is too
 * long, does not compile with the `u` flag or cannot run in linear time; if `private` hides nothing, or private fields cannot be removed.
 */
export function acceptSchema(source: Json, options: AcceptOptions = {}): Schema {
  if (typeof source !== 'boolean' && !isJsonObject(source)) {
    throw new SchemaError('A schema must be a JSON object, true or false.')
  }
  const canonical = canonicalize(source)
  const hash = hashText(canonical)
  const cached = cache.get(hash)
  if (cached !== undefined) {
    // It may come from a store, where a rule of today has not checked it.
    if (options.accepted !== true) cached.check()
    keep(cached)
    return cached
  }
  const schema = new AcceptedSchema(parseJson(canonical) as JsonObject | boolean, canonical, hash)
  if (options.accepted !== true) schema.check()
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

/** The schema without its private fields must be valid too: no reference may point to a removed part. */
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

/** Marks `schema` as most recently used, and evicts the least recently used ones. */
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
  #isAccepted = false

  constructor(source: JsonObject | boolean, canonical: string, hash: Hash) {
    this.source = source
    this.canonical = canonical
    this.hash = hash
    this.private = isJsonObject(source) && source['private'] === true
    this.privateFields = isJsonObject(source) ? privateFieldsOf(source) : []
    this.#known = knownFieldsOf(source)
  }

  /** Checks the schema by the rules, once. @throws SchemaError */
  check(): void {
    if (this.#isAccepted) return
    if (typeof this.source !== 'boolean') check(this.source, this)
    this.#isAccepted = true
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
