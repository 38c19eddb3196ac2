/** Lists of collections, by keyset. Every order ends in the id, so that no two rows share a place. */
import { and, asc, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { accounts } from './accounts.ts'
import { type CollectionRow, collections, foldName, gramsOf } from './collections.ts'
import type { Queries } from './database.ts'
import { type VersionRow, versions } from './versions.ts'

/** `updated` and `created`: newest first. `name`: by the folded name's bytes. */
export type CollectionOrder = 'updated' | 'created' | 'name'

/** A stretch of a list. */
export interface Stretch {
  /** Rows at most. */
  readonly limit: number
  /** Rows to pass over. */
  readonly offset: number
  /** Only what comes after this place; place = what the list is sorted by, then the id. */
  readonly beyond?: { readonly value: string | Date; readonly id: string }
  /** Walks the list from its end: the nearest before `beyond` first. */
  readonly backwards: boolean
}

export interface ListedCollection {
  readonly collection: CollectionRow
  readonly ownerSlug: string
  readonly ownerName: string
  /** The head's numbers; null before the first version. */
  readonly semver: Pick<VersionRow, 'major' | 'minor' | 'patch'> | null
}

interface Ordering {
  column: typeof collections.updatedAt | typeof collections.createdAt | typeof collections.foldedName
  newestFirst: boolean
}
const orderings: Record<CollectionOrder, Ordering> = {
  updated: { column: collections.updatedAt, newestFirst: true },
  created: { column: collections.createdAt, newestFirst: true },
  name: { column: collections.foldedName, newestFirst: false },
}

/** Place in the list of a row that `listPublicCollections` or `listOwnedCollections` gave. */
export const placeOf = (
  row: CollectionRow,
  order: CollectionOrder,
): { value: string | Date; id: string } => ({
  value: order === 'name' ? row.foldedName : order === 'created' ? row.createdAt : row.updatedAt,
  id: row.id,
})

/** Public collections whose name holds `q` in any case, of one owner if one is given. */
export async function listPublicCollections(
  at: Queries,
  ask: { q?: string; owner?: string; order: CollectionOrder; stretch: Stretch },
): Promise<ListedCollection[]> {
  const owner =
    ask.owner === undefined
      ? undefined
      : sql`${collections.ownerId} = (select ${accounts.id} from ${accounts} where ${accounts.slug} = ${ask.owner})`
  const among = and(sql`${collections.public}`, owner)
  const q = foldName(ask.q ?? '')
  const ids =
    q === '' ? await stretchOf(at, among, ask.order, ask.stretch) : await searched(at, among, q, ask)
  return rowsOf(at, ids)
}

/** The collections of an account: all, or those that are public and the one with the id `besides`. */
export async function listOwnedCollections(
  at: Queries,
  ask: { ownerId: string; all: boolean; besides: string | null; stretch: Stretch },
): Promise<ListedCollection[]> {
  const shown =
    ask.besides === null
      ? sql`${collections.public}`
      : or(sql`${collections.public}`, eq(collections.id, ask.besides))
  const among = and(eq(collections.ownerId, ask.ownerId), ask.all ? undefined : shown)
  return rowsOf(at, await stretchOf(at, among, 'updated', ask.stretch))
}

const stretched = (order: CollectionOrder, stretch: Stretch) => {
  const { column, newestFirst } = orderings[order]
  const down = newestFirst !== stretch.backwards
  const { beyond } = stretch
  const value = beyond === undefined ? undefined : sql.param(beyond.value, column)
  return {
    where:
      beyond &&
      sql`(${column}, ${collections.id}) ${sql.raw(down ? '<' : '>')} (${value}, ${beyond.id}::uuid)`,
    by: down ? [desc(column), desc(collections.id)] : [asc(column), asc(collections.id)],
  }
}

async function stretchOf(
  at: Queries,
  among: SQL | undefined,
  order: CollectionOrder,
  stretch: Stretch,
): Promise<string[]> {
  const { where, by } = stretched(order, stretch)
  const rows = await at.orm
    .select({ id: collections.id })
    .from(collections)
    .where(and(among, where))
    .orderBy(...by)
    .limit(stretch.limit)
    .offset(stretch.offset)
  return rows.map((row) => row.id)
}

/** How many rows a search reads in the list's order before it asks the index of names. */
const windowRows = 1_000

/**
 * What many names hold is found soon by reading the list in its order; what few hold, by the index of names. Which it is cannot be
 * left to the planner: an embedded database keeps no statistics, and a guess that is wrong reads every row there is.
 */
async function searched(
  at: Queries,
  among: SQL | undefined,
  q: string,
  ask: { order: CollectionOrder; stretch: Stretch },
): Promise<string[]> {
  const { limit, offset } = ask.stretch
  const { where, by } = stretched(ask.order, ask.stretch)
  const orderBy = sql.join(by, sql`, `)
  const holds = sql`strpos(${collections.foldedName}, ${q}) > 0`
  const window = sql`select * from ${collections} where ${and(among, where)} order by ${orderBy} limit ${windowRows}`
  const near = await at.orm.execute<{ id: string }>(
    sql`select id from (${window}) as ${collections} where ${holds} order by ${orderBy} limit ${limit} offset ${offset}`,
  )
  if (near.rows.length === limit) return near.rows.map((row) => row.id)
  const hits = sql`select * from ${collections} where ${and(among, inIndex(q), where)}`
  const all = await at.orm.execute<{ id: string }>(
    sql`with hits as materialized (${hits})
        select id from hits as ${collections} order by ${orderBy} limit ${limit} offset ${offset}`,
  )
  return all.rows.map((row) => row.id)
}

/** The condition as the index that serves it states it: trigrams where `q` has three letters or digits in a row, else pairs. */
function inIndex(q: string): SQL {
  const text = collections.foldedName
  if (/[a-z0-9]{3}/.test(q)) return sql`${text} like ${`%${q.replace(/[\\%_]/g, '\\$&')}%`}`
  const characters = [...q]
  const grams =
    characters.length === 1 ? characters : characters.slice(1).map((next, index) => characters[index] + next)
  return sql`${gramsOf(text)} @> ${sql.param(grams)}::text[] and strpos(${text}, ${q}) > 0`
}

/** The rows of these ids, in this order; one deleted meanwhile is left out. */
async function rowsOf(at: Queries, ids: string[]): Promise<ListedCollection[]> {
  if (ids.length === 0) return []
  const rows = await at.orm
    .select({
      collection: collections,
      ownerSlug: accounts.slug,
      ownerName: accounts.displayName,
      semver: { major: versions.major, minor: versions.minor, patch: versions.patch },
    })
    .from(collections)
    .innerJoin(accounts, eq(accounts.id, collections.ownerId))
    .leftJoin(versions, eq(versions.id, collections.headId))
    .where(inArray(collections.id, ids))
  const places = new Map(ids.map((id, place) => [id, place]))
  return rows.sort((a, b) => (places.get(a.collection.id) ?? 0) - (places.get(b.collection.id) ?? 0))
}
