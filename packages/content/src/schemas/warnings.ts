/** Warnings about keywords of an accepted schema that have no effect, although the author may expect one (content-model §4). */
import { distance } from 'fastest-levenshtein'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { isLikePrivate, plainOf } from '../records/private-likeness.ts'
import { referenceKeyword } from '../records/references.ts'
import { isKnownDraft, isKnownFormat } from './compiler.ts'
import { orderKeyword } from './field-order.ts'
import { isJsonSchemaKeyword, jsonSchemaKeywords, type Place, placesOf, pointerTo } from './places.ts'

/** A warning for the author of a schema; the API adds its type. */
export interface SchemaWarning {
  code: 'draft_unknown' | 'format_unknown' | 'keyword_unknown' | 'reference_type_missing'
  /** JSON pointer into the schema. */
  path: string
  message: string
}

/** Keywords that a misspelling may mean: those of JSON Schema and ours. `elsewhere`: valid keywords beyond JSON Schema, also OpenAPI's. */
const known = [...jsonSchemaKeywords, referenceKeyword, orderKeyword, 'private'].map((name) => ({
  name,
  plainName: plainOf(name),
}))
const elsewhere = new Set([
  referenceKeyword,
  orderKeyword,
  'private',
  'example',
  'discriminator',
  'externalDocs',
  'nullable',
  'xml',
  '$async',
])

/** Maximum number of unknown keywords per schema that are compared with known ones. Each comparison takes some microseconds. */
const comparedMax = 2_000
/** Longer keywords cannot be misspellings. Characters. */
const comparedCharactersMax = 40

/** @param hasType whether the new version has a type of that name */
export function* schemaWarnings(
  schema: Json,
  hasType: (type: string) => boolean,
): Generator<SchemaWarning, void, undefined> {
  if (!isJsonObject(schema)) return
  yield* draftWarnings(schema)
  const suggestions = new KeywordSuggestions()
  for (const place of placesOf(schema).places) {
    if (!place.isCertain) continue
    for (const keyword of Object.keys(place.schema)) {
      const suggestion = suggestions.for(keyword)
      if (suggestion !== undefined)
        yield warning('keyword_unknown', place, keyword, `has no effect: "${suggestion}" may be meant`)
    }
    yield* formatWarnings(place)
    yield* referenceWarnings(place, hasType)
  }
}

function* draftWarnings(schema: JsonObject): Generator<SchemaWarning> {
  const draft = schema['$schema']
  if (draft === undefined || isKnownDraft(draft)) return
  const message = `names ${JSON.stringify(draft)}; the schema is read as draft-07`
  yield { code: 'draft_unknown', path: '/$schema', message }
}

function* formatWarnings(place: Place): Generator<SchemaWarning> {
  const format = place.schema['format']
  if (typeof format !== 'string' || isKnownFormat(format)) return
  yield warning(
    'format_unknown',
    place,
    'format',
    `${JSON.stringify(format)} is not known and checks nothing`,
  )
}

function* referenceWarnings(place: Place, hasType: (type: string) => boolean): Generator<SchemaWarning> {
  const type = place.schema[referenceKeyword]
  if (type === undefined || (typeof type === 'string' && hasType(type))) return
  const message =
    typeof type === 'string' ? `there is no type ${JSON.stringify(type)}` : 'must be the name of a type'
  yield warning('reference_type_missing', place, referenceKeyword, message)
}

const warning = (
  code: SchemaWarning['code'],
  { at }: Place,
  keyword: string,
  message: string,
): SchemaWarning => ({ code, path: pointerTo(at, keyword), message })

/** Suggests the known keyword that an unknown one misspells: in one or two letters, in case or in hyphens. */
class KeywordSuggestions {
  readonly #found = new Map<string, string | undefined>()

  for(keyword: string): string | undefined {
    if (isJsonSchemaKeyword(keyword) || elsewhere.has(keyword)) return undefined
    if (keyword.length > comparedCharactersMax) return undefined
    if (!this.#found.has(keyword) && this.#found.size < comparedMax)
      this.#found.set(keyword, suggestionFor(keyword))
    return this.#found.get(keyword)
  }
}

function suggestionFor(keyword: string): string | undefined {
  if (isLikePrivate(keyword)) return 'private'
  const plain = plainOf(keyword)
  let like: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const { name, plainName } of known) {
    const apart = distance(plain, plainName)
    // Short words resemble too many others.
    const most = name.length < 4 ? 0 : name.length < 8 ? 1 : 2
    if (apart <= most && apart < least) [like, least] = [name, apart]
  }
  return like
}
