/** Guard of pushes: counts the records that a push removes, and compares them with the base version before the commit. */
import type { DeleteLine } from '@ulmus/wire'
import { readVersion } from './collections.ts'
import { entriesOfType, manifestPages } from './differences.ts'
import type { CollectionRef } from './places.ts'
import { allowedRemovals, demandFewRemovals, type MaxRemoved, maxRemovedUsual } from './removals.ts'
import type { Transport } from './transport.ts'

type Lines = Iterable<DeleteLine> | AsyncIterable<DeleteLine>

/** A push whose removals are counted. */
interface GuardedPush {
  readonly baseVersion: string | null
  readonly schemas?: Readonly<Record<string, unknown>>
  readonly maxRemoved?: MaxRemoved
}

export class PushRemovals {
  readonly #push: GuardedPush
  /** Ids by type. */
  readonly #deleted = new Map<string, Set<string>>()

  constructor(push: GuardedPush) {
    this.#push = push
  }

  /** Passes delete lines on and counts them. */
  async *counted(lines: Lines): AsyncGenerator<DeleteLine> {
    for await (const line of lines) {
      const ids = this.#deleted.get(line.type)
      if (ids === undefined) this.#deleted.set(line.type, new Set([line.id]))
      else ids.add(line.id)
      yield line
    }
  }

  /**
   * Reads the base version only if the push removes anything, and its ids only if the number of delete lines exceeds the limit: lines may
   * name records that it lacks. @throws UlmusError `too_many_removed`
   */
  async demandFew(transport: Transport, ref: CollectionRef, signal: AbortSignal | undefined): Promise<void> {
    const { baseVersion, schemas = {}, maxRemoved = maxRemovedUsual } = this.#push
    const gone = Object.keys(schemas).filter((type) => schemas[type] === null)
    if (baseVersion === null || maxRemoved === '100%' || gone.length + this.#deleted.size === 0) return
    const { typeCounts } = await readVersion(transport, ref, baseVersion, signal)
    const countOf = (type: string) => (Object.hasOwn(typeCounts, type) ? typeCounts[type]! : 0)
    demandFewRemovals(
      gone.map((type) => ({ type, removed: countOf(type), count: countOf(type) })),
      maxRemoved,
    )
    for (const [type, ids] of this.#deleted) {
      const count = countOf(type)
      if (gone.includes(type) || ids.size <= allowedRemovals(maxRemoved, count)) continue
      let removed = 0
      const pages = (options: object) => manifestPages(transport, ref, baseVersion, options)
      for await (const entries of entriesOfType(pages, type, signal))
        removed += entries.filter(({ id }) => ids.has(id)).length
      demandFewRemovals([{ type, removed, count }], maxRemoved)
    }
  }
}
