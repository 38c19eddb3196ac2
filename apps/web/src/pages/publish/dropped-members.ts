/** Removal of properties from the records of a type, by the version that removes them from its schema. */
import { canonicalize, type Json } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import type { VisitedCollection } from '../../data/collection.ts'
import { isObject } from '../../data/records.ts'
import { readJson, type Visit } from '../../page.ts'

/** Maximum number of records of the type. They are one batch of a push. */
export const droppedMax = 10_000
/** Records a page. */
const pageMax = 500

/** Properties to remove. */
export interface Dropped {
  readonly type: string
  readonly names: readonly string[]
  /** Version that has the records. */
  readonly from: string
}

/** Lines of a push: each record that has one of the properties, without them. */
export async function* linesWithout(
  visit: Visit,
  seen: VisitedCollection,
  dropped: Dropped,
): AsyncGenerator<Uint8Array> {
  const { type, names, from } = dropped
  const isPrivate = await privateIds(visit, seen, dropped)
  let after: string | undefined
  do {
    const ask = { type, limit: pageMax, ...(after !== undefined && { after }) }
    const { records, pagination } = await visit.registry.records.page(seen.who, at(seen, from), ask)
    for (const text of records) {
      await giveWay()
      const { id, data } = readJson<{ id: string; data: Json }>(text)
      if (!isObject(data) || names.every((name) => !Object.hasOwn(data, name))) continue
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)))
      const line = { id, type, data: rest as Json, ...(isPrivate.has(id) && { private: true }) }
      yield Buffer.from(`${canonicalize(line)}\n`)
    }
    after = pagination.nextCursor ?? undefined
  } while (after !== undefined)
}

/** Ids of the records that were pushed as private: every push must repeat the mark. */
async function privateIds({ registry }: Visit, seen: VisitedCollection, { type, from }: Dropped) {
  const ids = new Set<string>()
  let cursor: string | null = Buffer.from(JSON.stringify([type, ''])).toString('base64url')
  while (cursor !== null) {
    const page = await registry.manifests.page(seen.who, at(seen, from), { cursor, limit: droppedMax })
    const records = page.records ?? []
    for (const one of records) if (one.type === type && one.private === true) ids.add(one.id)
    const isBeyond = records.at(-1)?.type !== type
    cursor = isBeyond ? null : page.pagination.nextCursor
  }
  return ids
}

const at = ({ owner, slug }: VisitedCollection, v: string) => ({ owner, slug, v })
