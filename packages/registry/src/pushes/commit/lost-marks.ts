/**
 * Finds records that are private in the base and that a push sends without their mark. Most such pushes come from programs that never
 * send it, so the push must confirm each record or all of a type.
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

/** Records that lose their mark in one push. */
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
    const hasPrivate = base.full.count !== base.unmarked.count
    return hasPrivate && !this.#confirmed.has(recordsToConfirm(type))
      ? this.#watch(type, base, entries)
      : entries
  }

  async *#watch(
    type: string,
    base: BaseTrees,
    entries: AsyncGenerator<PushEntry[]>,
  ): AsyncGenerator<PushEntry[]> {
    const unmarked = new LeafCursor(this.#objects, base.unmarked)
    const full = new LeafCursor(this.#objects, base.full)
    for await (const batch of entries) {
      for (const { id, put } of batch) {
        if (put === undefined || put.private) continue
        if ((await unmarked.find(id)) === undefined && (await full.find(id)) !== undefined)
          this.#note(type, id)
      }
      yield batch
    }
  }

  #note(type: string, id: string): void {
    const confirm = recordToConfirm({ type, id })
    if (this.#confirmed.has(confirm)) return
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1)
    if (this.#listed.length < listedMax) this.#listed.push({ type, id, confirm })
  }

  /** @throws private_record_made_public. */
  demandConfirmed(): void {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
    if (total === 0) return
    throw new RegistryError('private_record_made_public', {
      details: { madePublicRecords: this.#listed, totalMadePublic: total },
      say: { types: [...this.#counts.keys()] },
    })
  }
}
