/** Records whose ids are all whole numbers, which pages list as numbers: 2 before 10. */
import { numberOrder, type PlainSchema } from '@ulmus/content'
import type { TableStatistics } from '@ulmus/wire'
import { jsonBytes, readJson, type Visit } from '../page.ts'
import { type VisitedCollection, versionOf } from './collection.ts'
import { leniently, readBytesMax, soon } from './profiles.ts'
import { type Matches, readMatches } from './records.ts'

/** False also if it is not known. */
export async function areNumbered(
  { registry }: Visit,
  seen: VisitedCollection,
  type: string,
): Promise<boolean> {
  const known = await leniently(() => registry.tables.knownStatistics(seen.who, { ...versionOf(seen), type }))
  return known !== undefined && jsonBytes(known) <= readBytesMax && readJson<TableStatistics>(known).numbered
}

/** The first records by number; undefined if the table does not answer soon. */
export async function readFirstNumbers(
  visit: Visit,
  seen: VisitedCollection,
  ask: { type: string; schema: PlainSchema; limit?: number },
): Promise<Matches | undefined> {
  const { tables } = visit.registry
  const query = { sort: numberOrder }
  const found = await leniently(async () =>
    (await tables.answersSoon(seen.who, { ...versionOf(seen), type: ask.type }))
      ? soon(readMatches(visit, seen, { ...ask, query }))
      : undefined,
  )
  return found === undefined || 'building' in found ? undefined : found
}
