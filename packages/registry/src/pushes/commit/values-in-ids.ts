/**
 * Finds private fields whose values are in the ids of their records: ids are public, so the mark hides nothing. Counts the public records
 * that a push projects anyway: those that it sends, and all of a type whose private fields change or that becomes public.
 */
import { isJsonObject, isValueInId, type Json } from '@ulmus/content'
import { RegistryError } from '../../errors/errors.ts'
import type { PushSchema } from '../schemas/push-schema.ts'

/** Beside records that stay unread, so few do not show whether a short value is in their ids by chance. */
const fewRecords = 10
/** Longest value that may be in an id by chance: a small number, a grade, a code. UTF-16 units. */
const shortUnitsMax = 3
/** Maximum fields in the refusal. */
const listedMax = 100

/** Counts the records of one type. */
export interface IdValueCounter {
  /** @param data of a record that the public view gets */
  count(id: string, data: Json): void
}

interface FieldCount {
  readonly type: string
  readonly field: string
  matches: number
  longMatches: number
}

class TypeCounter implements IdValueCounter {
  readonly #isWhole: boolean
  readonly #fields: FieldCount[]
  #records = 0

  constructor({ type, privateFields }: PushSchema, isWhole: boolean) {
    this.#isWhole = isWhole
    this.#fields = privateFields.map((field) => ({ type, field, matches: 0, longMatches: 0 }))
  }

  count(id: string, data: Json): void {
    this.#records++
    if (!isJsonObject(data)) return
    for (const one of this.#fields) {
      const value = Object.hasOwn(data, one.field) ? data[one.field] : undefined
      if (!isValueInId(id, value)) continue
      one.matches++
      if (String(value).length > shortUnitsMax) one.longMatches++
    }
  }

  /** Fields whose values are in the ids of more than half of the records. */
  *found(): Generator<{ type: string; field: string; records: number; of: number }> {
    const mayBeChance = !this.#isWhole && this.#records < fewRecords
    for (const { type, field, matches, longMatches } of this.#fields) {
      const records = mayBeChance ? longMatches : matches
      if (records * 2 > this.#records) yield { type, field, records, of: this.#records }
    }
  }
}

/** Private fields in the ids of one push. */
export class ValuesInIds {
  readonly #confirmed: ReadonlySet<string>
  readonly #counters: TypeCounter[] = []

  constructor(confirmed: ReadonlySet<string>) {
    this.#confirmed = confirmed
  }

  /**
   * Undefined for a type that has no private fields, or is private itself: its ids are hidden, too.
   * @param isWhole true if all public records of the type are counted
   */
  counterFor(schema: PushSchema, isWhole: boolean): IdValueCounter | undefined {
    if (schema.publicHash === null || schema.privateFields.length === 0) return undefined
    const counter = new TypeCounter(schema, isWhole)
    this.#counters.push(counter)
    return counter
  }

  /** @throws private_value_in_id unless the push confirms the fields. */
  demandConfirmed(): void {
    const found = this.#counters
      .flatMap((counter) => [...counter.found()])
      .filter(({ field }) => !this.#confirmed.has(field))
    if (found.length === 0) return
    throw new RegistryError('private_value_in_id', {
      details: { valuesInIds: found.slice(0, listedMax) },
      say: { total: found.length },
    })
  }
}
