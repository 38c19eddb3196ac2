/** When a type's schema changes, the records that the push carries over must fit the new one (content-model §7). */
import { compareUtf8, emptyTree, parseCanonical, type Schema, type ViewDocument } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { RegistryError } from '../errors.ts'
import { checkData } from '../workers/check-batch.ts'
import { EntriesByType } from './by-type.ts'
import { type Standing, standingRecords } from './carried-over.ts'
import type { EntriesSource } from './entry.ts'

export interface CarriedOverInput {
  base: ViewDocument
  baseSchemas: ReadonlyMap<string, Schema>
  schemas: ReadonlyMap<string, Schema>
  entries: EntriesSource
}

/** Refused records answered at most; all are counted. */
const listedMax = 100
const decoder = new TextDecoder()

/** @throws schema_violation with `validationErrors`: `{id, type, code, message, errors}`, the first 100, and `totalErrors`. */
export async function checkCarriedOver(objects: ObjectReader, input: CarriedOverInput): Promise<void> {
  const changed = [...input.schemas].filter(([type, schema]) => {
    const before = input.baseSchemas.get(type)
    return before !== undefined && before.hash !== schema.hash
  })
  if (changed.length === 0) return
  const validationErrors: object[] = []
  let totalErrors = 0
  const stream = new EntriesByType(input.entries())
  try {
    for (const [type, schema] of changed.sort(([a], [b]) => compareUtf8(a, b))) {
      const base = input.base.types[type] ?? emptyTree
      for await (const standing of standingRecords(objects, base, stream.of(type))) {
        for (const one of standing) {
          const canonical = carriedOf(one)
          if (canonical === undefined) continue
          const { id, data } = parseCanonical(decoder.decode(canonical))
          const checked = checkData(schema, data, false)
          if (!('code' in checked)) continue
          totalErrors++
          if (validationErrors.length < listedMax) validationErrors.push({ line: null, id, type, ...checked })
        }
      }
    }
  } finally {
    await stream.close()
  }
  if (totalErrors > 0)
    throw new RegistryError('schema_violation', { details: { validationErrors, totalErrors } })
}

/** The canonical form of a record that comes from the base; undefined for what the push brings or removes. */
function carriedOf(one: Standing): Uint8Array | undefined {
  if ('carried' in one) return one.carried.canonical
  return one.entry.put?.carried === true ? one.entry.put.canonical : undefined
}
