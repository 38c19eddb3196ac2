/** For tests: schemas with `private` and its misspellings in many places, with a token that must not become visible. */
import fc from 'fast-check'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Part of every name and value that is marked private, and of nothing else. */
export const token = 'k7Qz'

/** A schema with marks, and data for it. */
export interface MarkedSchema {
  source: JsonObject
  /** Matches the schema, if it is accepted. */
  data: JsonObject
}

const mark = fc.constantFrom<JsonObject>(
  { private: true },
  { private: true },
  { private: 'true' },
  { Private: true },
  { 'x-private': true },
  { _private: 1 },
)

const wraps: readonly ((inner: JsonObject) => JsonObject)[] = [
  (inner) => ({ properties: { a: inner } }),
  (inner) => ({ items: inner }),
  (inner) => ({ items: [true, inner] }),
  (inner) => ({ allOf: [inner] }),
  (inner) => ({ anyOf: [inner, {}] }),
  (inner) => ({ not: { not: inner } }),
  (inner) => ({ if: inner, else: {} }),
  (inner) => ({ patternProperties: { '^zz': inner } }),
  (inner) => ({ additionalProperties: inner }),
  (inner) => ({ dependencies: { zz: inner } }),
  (inner) => ({ dependentSchemas: { zz: inner } }),
  (inner) => ({ contains: { title: 'one' }, prefixItems: [inner] }),
  (inner) => ({ 'x-parts': [inner] }),
  (inner) => ({ Properties: { a: inner } }),
  (inner) => ({ $defs: { in: inner } }),
]

/** A schema nested in several others, possibly marked within. */
const nested = fc
  .tuple(fc.array(fc.constantFrom(...wraps), { maxLength: 3 }), fc.option(mark, { freq: 4 }))
  .map(([around, marked]) => {
    const inner: JsonObject = marked === null ? { title: 'plain' } : { ...marked, title: token }
    return around.reduce((schema, wrap) => wrap(schema), inner)
  })
/** Chosen so that about one schema in three is accepted. */
const plain = fc
  .array(fc.constantFrom(...wraps.slice(0, 5)), { maxLength: 2 })
  .map((around) => around.reduce<JsonObject>((schema, wrap) => wrap(schema), {}))
const member = fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: nested })

const fieldSays = fc.constantFrom<JsonObject>(
  { const: token },
  { description: token, 'x-ref-type': token },
  { $ref: '#/$defs/hidden' },
  { properties: { [token]: { enum: [token] } } },
)

const rootSays = fc.shuffledSubarray<JsonObject>(
  [
    { required: ['a', `${token}1`] },
    { dependencies: { a: [`${token}1`] } },
    { dependentRequired: { [`${token}2`]: ['a'] } },
    { dependentSchemas: { a: { required: [`${token}1`] } } },
    { examples: [{ [`${token}1`]: 1 }] },
    { default: { a: token } },
    { $comment: token },
    { 'x-hint': { [token]: [token] } },
    { discriminator: token },
  ],
  { maxLength: 4 },
)
/** Keywords that a schema with private fields must not have. */
const rootMustNot = fc.constantFrom<JsonObject>(
  { allOf: [{ required: [`${token}1`] }] },
  { oneOf: [{ properties: { [`${token}1`]: {} } }] },
  { patternProperties: { [token]: {} } },
  { propertyNames: { enum: ['a', 'b', `${token}1`, `${token}2`] } },
  { enum: [{ [`${token}1`]: token }] },
)

/** Spellings of a reference to a place in the schema, for public fields. */
const writings: readonly ((pointer: string) => string)[] = [
  (pointer) => `#${pointer}`,
  (pointer) => `#${encodeURI(pointer)}`,
  (pointer) => `#${pointer.replace('p', '%70')}`,
  (pointer) => `http://a.org/t#${pointer}`,
  (pointer) => `t#${pointer}`,
]

const parts = fc.record({
  open: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), member, { minKeys: 1 }),
  fields: fc.constantFrom([], [`${token}1`, `${token}2`]),
  says: fc.array(fieldSays, { minLength: 2, maxLength: 2 }),
  root: rootSays,
  mustNot: fc.option(rootMustNot, { freq: 8 }),
  definitions: fc.dictionary(fc.constantFrom('d', 'e', 'f'), member),
  type: fc.option(mark, { freq: 10 }),
  references: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...writings)), { maxLength: 2 }),
})

export const markedSchema: fc.Arbitrary<MarkedSchema> = parts.map((given) => {
  const fields = given.fields.map((name, i) => [name, { private: true, ...given.says[i]! }] as const)
  const isMarked = fields.length > 0 || given.type !== null
  const definitions: JsonObject = { ...given.definitions }
  const source: JsonObject = {
    $id: 'http://a.org/t',
    ...given.type,
    // A definition that only private fields use is hidden with them; without private fields it would be an open one.
    $defs: fields.length > 0 ? { ...definitions, hidden: { $ref: `#/definitions/${token}` } } : definitions,
    ...(fields.length > 0 ? { definitions: { [token]: { title: token } } } : {}),
    ...(isMarked ? Object.assign({}, ...given.root, given.mustNot) : {}),
    properties: Object.fromEntries([
      ...Object.entries(given.open),
      ['r0', { 'x-ref-type': `${token}Type` }],
      ['r1', { items: { 'x-ref-type': [`${token}Type`] } }],
      ...fields,
    ]),
  }
  const targets = [...pointers(source, '')].filter(
    // A reference to all of `$defs` also exposes definitions that private fields use.
    (pointer) =>
      !/^\/(?:\$defs(?:\/hidden|$)|definitions)/.test(pointer) ||
      (fields.length === 0 && pointer === '/$defs'),
  )
  const all = Object.entries(source['properties'] as JsonObject).filter(([name]) => !name.includes(token))
  for (const [where, target, write] of given.references) {
    const [, holder] = all[where % all.length]!
    if (isJsonObject(holder)) holder['not'] = { not: { $ref: write(targets[target % targets.length]!) } }
  }
  const data = Object.fromEntries(fields.map(([name]) => [name, token]))
  return { source: JSON.parse(JSON.stringify(source)) as JsonObject, data }
})

/** Pointers to all objects within. */
function* pointers(value: Json, at: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield at
  for (const [key, inner] of Object.entries(value)) {
    yield* pointers(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}
