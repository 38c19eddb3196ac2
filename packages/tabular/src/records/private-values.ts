/** Sample of the values that existing records have in private fields: shows which new columns repeat them under another name. */
import {
  canonicalize,
  isJsonObject,
  isValueInId,
  type Json,
  privateNamesOf,
  type SchemaSources,
} from '@ulmus/content'
import { HashSet, hashNumber } from '../inference/hash-set.ts'
import { nestedOf } from '../inference/kinds.ts'
import { Numeral, Real } from '../reading/table.ts'

/** Maximum records of a type's sample; and maximum of its values, so that wide types have fewer records. */
const [recordsMax, valuesMax] = [2 ** 16, 2 ** 22]
/** Whole records that show which fields make the id. */
const samplesMax = 100

/** Private fields by type; undefined: the type is private and lists no fields, so all of its members are. */
export function privateFieldsIn(schemas: SchemaSources): Map<string, readonly string[] | undefined> {
  const fields = new Map<string, string[] | undefined>()
  for (const { type, field } of privateNamesOf(schemas))
    if (field !== undefined) fields.set(type, [...(fields.get(type) ?? []), field])
  for (const [type, schema] of schemas) {
    const isOpen = isJsonObject(schema) && schema['private'] === true && !isJsonObject(schema['properties'])
    if (isOpen) fields.set(type, undefined)
  }
  return fields
}

/** A value for comparison. Equal values of different kinds, such as `5` and `"5"`, are equal. */
export interface PlainValue {
  readonly hash: number
  /** True for a text that is no number and no boolean: two different ones that are equal are hardly a coincidence. */
  readonly isTelling: boolean
}

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** Undefined for a missing or empty value. */
export function plainValue(value: unknown): PlainValue | undefined {
  const text = plainText(value)
  if (text === undefined || text === '') return undefined
  const isTelling = !decimal.test(text) && text !== 'true' && text !== 'false'
  return { hash: hashNumber(text), isTelling }
}

function plainText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Numeral) return plainText(value.text)
  if (value instanceof Real) return String(value.value)
  if (typeof value === 'string') return textOf(value)
  return typeof value === 'object' ? objectText(value) : String(value)
}

/** Ignores case and outer spaces; a number, a boolean or an object in a text is one. */
function textOf(given: string): string | undefined {
  const text = given.trim()
  if (decimal.test(text)) return String(Number(text))
  if (text.startsWith('{') || text.startsWith('[')) {
    const nested = nestedOf(text)
    if (nested !== undefined) return objectText(nested)
  }
  const plain = text.normalize('NFKC').toLowerCase()
  return plain === 'yes' ? 'true' : plain === 'no' ? 'false' : plain
}

function objectText(value: object): string | undefined {
  try {
    return canonicalize(value as Json)
  } catch {
    // Not JSON, or nested too deep.
    return undefined
  }
}

/** Private values of one type. Memory is bounded: of many records, those are kept whose ids have a hash with enough zeros at its end. */
export class PrivateValues {
  readonly type: string
  /** For `proposeIdFor`, which finds the columns of a file that make the ids. */
  readonly schema: unknown
  readonly ids = new HashSet()
  readonly samples: { readonly id: string; readonly data: unknown }[] = []
  readonly #fields: string[]
  readonly #isOpen: boolean
  readonly #records = new Map<number, (number | undefined)[]>()
  #divisor = 1

  /** @param fields undefined: all members of the records */
  constructor(type: string, schema: unknown, fields: readonly string[] | undefined) {
    this.type = type
    this.schema = schema
    this.#fields = [...(fields ?? [])]
    this.#isOpen = fields === undefined
  }

  get fields(): readonly string[] {
    return this.#fields
  }

  add(id: string, data: unknown): void {
    if (this.samples.length < samplesMax) this.samples.push({ id, data })
    const key = hashNumber(id)
    if (key % this.#divisor !== 0 || typeof data !== 'object' || data === null) return
    if (this.#isOpen) this.#findFields(data)
    this.ids.add(id)
    this.#records.set(
      key,
      this.#fields.map((field) => {
        const value = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined
        // A value in the id is public already.
        return isValueInId(id, value) ? undefined : plainValue(value)?.hash
      }),
    )
    if (this.#records.size > Math.min(recordsMax, valuesMax / (this.#fields.length || 1))) this.#halve()
  }

  #findFields(data: object): void {
    for (const name of Object.keys(data))
      if (this.#fields.length < openFieldsMax && !this.#fields.includes(name)) this.#fields.push(name)
  }

  #halve(): void {
    this.#divisor *= 2
    for (const key of this.#records.keys()) if (key % this.#divisor !== 0) this.#records.delete(key)
  }

  /** Hashes of a record's values, by the place of the field. Undefined: no such record is in the sample. */
  valuesOf(id: string): readonly (number | undefined)[] | undefined {
    return this.#records.get(hashNumber(id))
  }

  /** Number of records in the sample by the value of a field. */
  countsOf(place: number): Map<number, number> {
    const counts = new Map<number, number>()
    for (const values of this.#records.values()) {
      const value = values[place]
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    return counts
  }
}

/** Maximum fields of a type that lists none. */
const openFieldsMax = 200
