/**
 * Finds malformed `$file` members and references to missing records, after a push has received all records. Costs nothing if no
 * schema has `x-ref-type` and no record has `$file`.
 */
import { compareUtf8, findEntry, leafBodyOf, type ViewDocument } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import type { PushSchema } from '../schemas/push-schema.ts'
import { noWarnings, type PushWarnings, WarningList } from '../schemas/warnings.ts'
import { EntriesByType, type EntriesSource, type PushEntry } from '../spills/entries.ts'
import { findReferences, type Referred } from './find-references.ts'

/** Maximum ids looked up in one commit. Each takes some hundred bytes of memory. */
const referredMax = 100_000
/** Canonical forms in one task. Bytes. */
const formsBytesMax = 1_048_576

export interface RecordWarningsInput {
  base: ViewDocument
  schemas: ReadonlyMap<string, PushSchema>
  /** Read up to two more times. */
  entries: EntriesSource
  /** Account in the fair queue for worker threads. */
  owner: string
}

const referenceMark = '"x-ref-type"'

/** Collects, while the build reads the entries of a push, the types whose records may hold references. */
export class ReferringTypes {
  readonly types = new Set<string>()
  readonly #referring: ReadonlySet<string>

  constructor(schemas: ReadonlyMap<string, PushSchema>) {
    const referring = [...schemas].filter(([, { text }]) => text.includes(referenceMark))
    this.#referring = new Set(referring.map(([type]) => type))
  }

  noting(entries: EntriesSource): EntriesSource {
    return (passed) => this.#noted(entries(passed))
  }

  /** Each batch is of one type. */
  async *#noted(batches: AsyncGenerator<PushEntry[]>): AsyncGenerator<PushEntry[]> {
    for await (const batch of batches) {
      const { type } = batch[0]!
      if (!this.types.has(type) && batch.some(({ put }) => put && this.mayRefer(type, put)))
        this.types.add(type)
      yield batch
    }
  }

  mayRefer(type: string, put: NonNullable<PushEntry['put']>): boolean {
    return put.carried !== true && (put.refers || this.#referring.has(type))
  }
}

/** Finds the warnings of a push that is built and has not landed. A warning never refuses the push. */
export async function recordWarnings(
  context: Pick<Context, 'objects' | 'work'>,
  referring: ReferringTypes,
  input: RecordWarningsInput,
): Promise<PushWarnings> {
  if (referring.types.size === 0) return noWarnings
  const warnings = new WarningList()
  const referred = new ReferredRecords()
  const stream = new EntriesByType(input.entries())
  try {
    for (const type of [...referring.types].sort(compareUtf8)) {
      const schema = input.schemas.get(type)!.text
      const ofType = stream.of(type)
      for await (const bytes of formsOf(ofType, (put) => referring.mayRefer(type, put))) {
        const found = await context.work.run(findReferences, { bytes, schema }, input)
        warnings.addAll(found.malformed)
        for (const one of found.referred) referred.add(type, one)
      }
    }
  } finally {
    await stream.close()
  }
  await referred.tellMissing(context, input, warnings)
  return warnings
}

async function* formsOf(
  batches: AsyncGenerator<PushEntry[]>,
  mayRefer: (put: NonNullable<PushEntry['put']>) => boolean,
): AsyncGenerator<Uint8Array> {
  let forms: Uint8Array[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const { put } of batch) {
      if (put === undefined || !mayRefer(put)) continue
      // A copy, because the buffer may be released with its batch.
      forms.push(put.canonical.slice())
      bytes += put.canonical.length
      if (bytes < formsBytesMax) continue
      yield leafBodyOf(forms)
      forms = []
      bytes = 0
    }
  }
  if (forms.length > 0) yield leafBodyOf(forms)
}

type FromType = Referred & { fromType: string }

/** Referenced records by type and id, each once. */
class ReferredRecords {
  readonly #byType = new Map<string, Map<string, FromType>>()
  #count = 0
  #isMore: FromType | undefined

  add(fromType: string, one: Referred): void {
    let ofType = this.#byType.get(one.type)
    if (ofType === undefined) {
      ofType = new Map()
      this.#byType.set(one.type, ofType)
    }
    const known = ofType.get(one.id)
    if (known !== undefined) known.times += one.times
    else if (this.#count < referredMax) {
      this.#count++
      ofType.set(one.id, { ...one, fromType })
    } else this.#isMore ??= { ...one, fromType }
  }

  /** Warns of ids that are neither pushed nor kept from the base. Skips types without a schema: `schemaWarnings` reports those. */
  async tellMissing(
    { objects }: Pick<Context, 'objects'>,
    { base, schemas, entries }: RecordWarningsInput,
    warnings: WarningList,
  ): Promise<void> {
    const types = [...this.#byType.keys()].filter((type) => schemas.has(type)).sort(compareUtf8)
    if (types.length === 0) return
    const stream = new EntriesByType(entries())
    try {
      for (const type of types) {
        const wanted = this.#byType.get(type)!
        const deleted = new Set<string>()
        for await (const batch of stream.of(type)) {
          for (const { id, put } of batch) {
            if (put !== undefined) wanted.delete(id)
            else if (wanted.has(id)) deleted.add(id)
          }
        }
        const tree = Object.hasOwn(base.types, type) ? base.types[type] : undefined
        for (const id of [...wanted.keys()].sort(compareUtf8)) {
          await giveWay()
          const isThere = tree && !deleted.has(id) && (await findEntry(tree, id, objects)) !== undefined
          if (!isThere) warnings.add(missing(wanted.get(id)!))
        }
      }
    } finally {
      await stream.close()
    }
    if (this.#isMore !== undefined) warnings.add(unlooked(this.#isMore))
  }
}

function missing({ type, id, from, path, fromType, times }: FromType) {
  const others = times === 1 ? '' : `; ${times} references of this push name it`
  const message = `there is no ${type} ${JSON.stringify(id)}${others}`
  return { code: 'reference_missing', type: fromType, id: from, path, message }
}

function unlooked({ from, path, fromType }: FromType) {
  const message = `the push refers to more than ${referredMax} different records: whether this one and later ones are there was not looked up`
  return { code: 'references_unchecked', type: fromType, id: from, path, message }
}
