/** Latest version of the collection for comparison: schemas, and the records of a type by hash. */
import { entriesOfType, type PushClient } from '@ulmus/client'
import { HashSet, type KnownType } from '@ulmus/tabular'
import type { PrivateValues } from '@ulmus/tabular/private'
import type { Report } from '../calls.ts'
import type { Target } from '../shapes.ts'
import { counted } from '../words.ts'

/** Schemas by type. */
export type Schemas = Readonly<Record<string, object>>

/** A record of the latest version. */
export interface HeldRecord {
  readonly hash: string
  readonly isPrivate: boolean
}

/** Records sampled to find the fields of the id, and the fields in use. */
const samplesMax = 100
/** Limit of ids read to find the type of a file. Larger types are compared only by their columns. */
const matchedIdsMax = 200_000
/** Records that are read one by one. */
const singlesMax = 20
/** Records between two progress reports. */
const reportedEvery = 10_000

/** Reads the records of a type at first use, and keeps their ids and hashes in memory. */
export class LatestVersion {
  readonly #client: PushClient
  readonly #target: Target
  readonly #held = new Map<string, Promise<ReadonlyMap<string, HeldRecord>>>()
  readonly #counts: Readonly<Record<string, number>>
  readonly schemas: Schemas
  #private: Promise<readonly PrivateValues[]> | undefined

  private constructor(
    client: PushClient,
    target: Target,
    schemas: Schemas,
    counts: Readonly<Record<string, number>>,
  ) {
    this.#client = client
    this.#target = target
    this.#counts = counts
    this.schemas = schemas
  }

  static async read(client: PushClient, target: Target): Promise<LatestVersion> {
    if (target.head === null) return new LatestVersion(client, target, {}, {})
    const { schemas, typeCounts } = await client.versions.get(target.ref, target.head)
    return new LatestVersion(client, target, schemas as Schemas, typeCounts)
  }

  /** Records of a type, by id. Read once. */
  heldOf(type: string, report: Report): Promise<ReadonlyMap<string, HeldRecord>> {
    const known = this.#held.get(type)
    if (known !== undefined) return known
    const reading = this.#readHeld(type, report)
    this.#held.set(type, reading)
    reading.catch(() => this.#held.delete(type))
    return reading
  }

  /** A type with the facts needed to propose types for a file. */
  async known(type: string, report: Report): Promise<KnownType> {
    const schema = this.schemas[type]
    const { ref, head } = this.#target
    const page = await this.#client.records.page(ref, head!, { type, limit: samplesMax })
    const ids = (this.#counts[type] ?? 0) > matchedIdsMax ? undefined : new HashSet()
    if (ids !== undefined) for (const id of (await this.heldOf(type, report)).keys()) ids.add(id)
    return { type, schema, ids, samples: page.records }
  }

  /** Data of records, in any order: one by one, or from the stream of all. */
  async *dataOf(type: string, ids: readonly string[]): AsyncGenerator<{ id: string; data: unknown }, void> {
    const { ref, head } = this.#target
    if (ids.length > singlesMax) yield* this.#client.records.ndjson(ref, head!, { type })
    else yield* await Promise.all(ids.map((id) => this.#client.records.one(ref, head!, type, id)))
  }

  /** Values of private fields, of all types that have some. Read once, as streams; a sample of bounded size is kept. */
  privateValues(report: Report): Promise<readonly PrivateValues[]> {
    this.#private ??= this.#readPrivate(report).catch((error) => {
      this.#private = undefined
      throw error
    })
    return this.#private
  }

  async #readPrivate(report: Report): Promise<PrivateValues[]> {
    const { ref, head } = this.#target
    const all: PrivateValues[] = []
    if (!JSON.stringify(this.schemas).includes('"private"')) return all
    const { PrivateValues, privateFieldsIn } = await import('@ulmus/tabular/private')
    for (const [type, fields] of privateFieldsIn(new Map(Object.entries(this.schemas)) as never)) {
      const values = new PrivateValues(type, this.schemas[type], fields)
      let count = 0
      for await (const { id, data } of this.#client.records.ndjson(ref, head!, { type })) {
        values.add(id, data)
        if (++count % reportedEvery === 0) report(`${counted(count, 'record')} with private values read`)
      }
      all.push(values)
    }
    return all
  }

  async #readHeld(type: string, report: Report): Promise<ReadonlyMap<string, HeldRecord>> {
    const held = new Map<string, HeldRecord>()
    const { ref, head } = this.#target
    if (head === null || this.schemas[type] === undefined) return held
    const pages = (options: object) => this.#client.versions.manifest(ref, head, options)
    for await (const entries of entriesOfType(pages, type)) {
      for (const { id, hash, private: isPrivate = false } of entries) held.set(id, { hash, isPrivate })
      report(`${counted(held.size, 'record')} of the latest version read`)
    }
    return held
  }
}
