/**
 * Checks records that a push carries over from its base against changed schemas (content-model §7): reads them here, and checks
 * them with the task of `check-carried.ts`. New records were checked when they arrived.
 */
import { compareUtf8, emptyTree, leafBodyOf, type ViewDocument } from '@ulmus/content'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { type PushSchema, pushSchemas } from '../schemas/push-schema.ts'
import { EntriesByType, type EntriesSource } from '../spills/entries.ts'
import { type ResultingRecord, resultingRecords } from './carried-over.ts'
import { type CarriedFault, checkCarried } from './check-carried.ts'

export interface CarriedOverInput {
  base: ViewDocument
  baseSchemas: ReadonlyMap<string, PushSchema>
  schemas: ReadonlyMap<string, PushSchema>
  entries: EntriesSource
  /** Account in the fair queue for worker threads. */
  owner: string
}

/** Maximum refused records in the answer; all are counted. */
const listedMax = 100
/** Maximum records named in the refusal's sentence. */
const namedMax = 3

/**
 * Checks in worker threads, because the time depends on the schema.
 * @throws schema_violation with `validationErrors`: `{id, type, code, message, errors}`, the first 100, and `totalErrors`;
 * too_costly.
 */
export async function checkCarriedOver(
  { objects, work }: Pick<Context, 'objects' | 'work'>,
  input: CarriedOverInput,
): Promise<void> {
  const changed = [...input.schemas].filter(([type, schema]) => {
    const before = input.baseSchemas.get(type)
    return before !== undefined && before.hash !== schema.hash
  })
  if (changed.length === 0) return
  const validationErrors: (CarriedFault & { line: null })[] = []
  let totalErrors = 0
  const stream = new EntriesByType(input.entries())
  try {
    for (const [type, schema] of changed.sort(([a], [b]) => compareUtf8(a, b))) {
      const base = input.base.types[type] ?? emptyTree
      const schemas = pushSchemas([schema], `${schema.hash} ${type}`)
      for await (const records of resultingRecords(objects, base, stream.of(type))) {
        const forms = records.map(carriedOf).filter((form) => form !== undefined)
        if (forms.length === 0) continue
        const faults = await work.run(checkCarried, { bytes: leafBodyOf(forms), schemas }, input)
        totalErrors += faults.length
        const listed = faults.slice(0, listedMax - validationErrors.length)
        for (const fault of listed) validationErrors.push({ line: null, ...fault })
      }
    }
  } finally {
    await stream.close()
  }
  if (totalErrors > 0)
    throw new RegistryError('schema_violation', {
      details: { validationErrors, totalErrors },
      say: { carried: namesOf(validationErrors, totalErrors) },
    })
}

/** The first few records and the number of the others, for the sentence. */
function namesOf(faults: readonly CarriedFault[], total: number): string {
  const named = faults.slice(0, namedMax).map(({ type, id }) => `${type} ${JSON.stringify(id)}`)
  return [...named, ...(total > named.length ? [`and ${total - named.length} more`] : [])].join(', ')
}

/** The canonical form of a record from the base; undefined for a record that the push puts or removes. */
function carriedOf(one: ResultingRecord): Uint8Array | undefined {
  if ('carried' in one) return one.carried.canonical
  return one.entry.put?.carried === true ? one.entry.put.canonical : undefined
}
