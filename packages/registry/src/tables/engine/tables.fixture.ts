/** Schemas and records with odd names and values, for properties of tables. */
import { isJsonObject, type Json, type JsonObject } from '@ulmus/content'
import fc from 'fast-check'
import { takenNames } from '../../../../content/src/testing/taken-names.ts'
import type { Row } from './reference.fixture.ts'

export const texts = fc.oneof(
  fc.constantFrom('', 'Tromsø', 'tromsø', 'Århus', 'a', 'b', 'line\nline', '%', "'", '"', 'null', '12'),
  fc.string({ maxLength: 6 }),
)
const dates = fc.constantFrom('2024-02-29', '1999-12-31', '0001-01-01', '9999-12-31')
const instants = fc.constantFrom(
  '2024-02-29T12:00:00Z',
  '2024-02-29T13:00:00+01:00',
  '1969-12-31T23:59:59.5Z',
  '2016-12-31T23:59:60Z',
)
const integers = fc.oneof(fc.integer(), fc.constantFrom(0, 2 ** 53, -(2 ** 62), 1e21, -1e300))
const numbers = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
  .map((n) => (n === 0 ? 0 : n))
/** As JSON has them: without -0, which a record's canonical form has as 0. */
const anything = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

type Property = { schema: JsonObject; values: fc.Arbitrary<Json> }
const scalars: Property[] = [
  { schema: { type: 'string' }, values: texts },
  { schema: { type: 'number' }, values: numbers },
  { schema: { type: 'integer' }, values: integers },
  { schema: { type: 'boolean' }, values: fc.boolean() },
  { schema: { type: 'string', format: 'date' }, values: dates },
  { schema: { type: 'string', format: 'date-time' }, values: instants },
]
const properties = fc.oneof(
  fc.constantFrom(...scalars),
  fc.constantFrom(...scalars).map(
    ({ schema, values }): Property => ({
      schema: { type: 'array', items: schema },
      values: fc.array(fc.oneof(values, fc.constant(null)), { maxLength: 3 }),
    }),
  ),
  fc.constant<Property>({ schema: {}, values: anything }),
  fc.constantFrom(...scalars).map(
    ({ schema, values }): Property => ({
      schema: { type: 'object', properties: { 'in ner': schema }, additionalProperties: false },
      values: fc.record({ 'in ner': fc.oneof(values, fc.constant(null)) }, { requiredKeys: [] }),
    }),
  ),
)

/** A schema, and records that match it. */
export const tables = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...takenNames), properties), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .chain(([members, isObject]) => {
    const schema: JsonObject = {
      ...(isObject && { type: 'object' }),
      properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    }
    const data = fc
      .record(
        Object.fromEntries(members.map(([name, { values }]) => [name, fc.option(values, { freq: 5 })])),
        { requiredKeys: [] },
      )
      .map((value) => value as Json)
    // An object with a declared name might not match its schema.
    const others = anything.filter(
      (one) => !isJsonObject(one) || members.every(([name]) => !Object.hasOwn(one, name)),
    )
    const rows = fc
      .array(isObject ? data : fc.oneof({ weight: 5, arbitrary: data }, others), { maxLength: 12 })
      .map((all) => all.map((one, n): Row => ({ id: `${'zyx'[n % 3]}${n}`, data: one })))
    return fc.record({ schema: fc.constant(schema), rows })
  })
