/**
 * Finds records that are private in the base and that the next version has without their mark. Most such pushes come from programs that
 * never send it, so the author must confirm each record or all of a type.
 */
import { recordsToConfirm, recordToConfirm, type Tree } from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import type { ObjectReader } from '@ulmus/storage'
import { RegistryError } from '../../errors/errors.ts'
import type { PushEntry } from '../spills/entries.ts'

/** Maximum records in the refusal; all are counted. */
const listedMax = 100

/** Trees of a type in the base: all records, and those without a mark. */
interface BaseTrees {
  full: Tree
  unmarked: Tree
}

/** Records that lose their mark in one version. */
export class LostMarks {
  readonly #objects: ObjectReader
  readonly #confirmed: ReadonlySet<string>
  readonly #listed: { type: string; id: string; confirm: string }[] = []
  /** Numbers of records by type. */
  readonly #counts = new Map<string, number>()

  constructor(objects: ObjectReader, confirmed: ReadonlySet<string>) {
    this.#objects = objects
    this.#confirmed = confirmed
  }

  /** Passes the entries of a type on. Reads the base only if it has private records of the type, and only at pushed ids. */
  watched(type: string, base: BaseTrees, entries: AsyncGenerator<PushEntry[]>): AsyncGenerator<PushEntry[]> {
    return this.#mayLose(type, base) ? this.#watch(type, base, entries) : entries
  }

  /** Notes the records that enter the tree of records without a mark, in its order. */
  async note(type: string, base: BaseTrees, ids: AsyncIterable<string>): Promise<void> {
    if (!this.#mayLose(type, base)) return
    const look = this.#looks(type, base)
    for await (const id of ids) await look(id)
  }

  #mayLose(type: string, base: BaseTrees): boolean {
    return base.full.count !== base.unmarked.count && !this.#confirmed.has(recordsToConfirm(type))
  }

  async *#watch(
    type: string,
    base: BaseTrees,
    entries: AsyncGenerator<PushEntry[]>,
  ): AsyncGenerator<PushEntry[]> {
    const look = this.#looks(type, base)
    for await (const batch of entries) {
      for (const { id, put } of batch) if (put !== undefined && !put.private) await look(id)
      yield batch
    }
  }

  /** A look at one id after the other, in the order of the trees. */
  #looks(type: string, base: BaseTrees): (id: string) => Promise<void> {
    const unmarked = new LeafCursor(this.#objects, base.unmarked)
    const full = new LeafCursor(this.#objects, base.full)
    return async (id) => {
      if ((await unmarked.find(id)) === undefined && (await full.find(id)) !== undefined) this.#list(type, id)
    }
  }

  #list(type: string, id: string): void {
    const confirm = recordToConfirm({ type, id })
    if (this.#confirmed.has(confirm)) return
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1)
    if (this.#listed.length < listedMax) this.#listed.push({ type, id, confirm })
  }

  /**
   * @param restored the earlier version that has the records, for the refusal; undefined: a push sends them
   * @throws private_record_made_public.
   */
  demandConfirmed(restored?: string): void {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
    if (total === 0) return
    throw new RegistryError('private_record_made_public', {
      details: { madePublicRecords: this.#listed, totalMadePublic: total },
      say: { types: [...this.#counts.keys()], restored },
    })
  }
}
