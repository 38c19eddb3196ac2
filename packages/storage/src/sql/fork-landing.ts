/** How a fork lands: its collection and its first version in one statement, mostly one round trip and one commit. */
import { getTableColumns } from 'drizzle-orm'
import { type CollectionRow, collections, foldName } from './collections.ts'
import type { Tx } from './database.ts'
import { rowInserted, rowValues } from './row-insert.ts'
import { type VersionRow, versions } from './versions.ts'

export interface ForkLanding {
  sourceId: string
  /** Whether it lands also when the source is not public. */
  ofPrivate: boolean
  /** Its head is `version`. `public`: if the source is. */
  collection: Omit<CollectionRow, 'foldedName'>
  version: VersionRow
}

const collectionFirst = 3
const versionFirst = collectionFirst + Object.keys(getTableColumns(collections)).length

// The source is held until the fork is there: whoever deletes it then sees the fork, and keeps what that inherited. Until then
// the source keeps what the two share from being swept.
const landing = `with source as (
    select public from collections where id = $1 and (public or $2) for share),
  made as (${rowInserted(collections, {
    first: collectionFirst,
    from: 'source',
    as: { public: (wanted) => `source.public and ${wanted}` },
  })} returning id)
  ${rowInserted(versions, { first: versionFirst, from: 'made' })} returning id`

/**
 * A single statement.
 * @returns false, and nothing happens, when the source is gone, or is not public and would have to be.
 * @throws a unique violation of `collections_owner_slug` when the owner has the slug, a foreign key violation when it is gone.
 */
export async function landFork(tx: Tx, fork: ForkLanding): Promise<boolean> {
  const collection = { ...fork.collection, foldedName: foldName(fork.collection.name) }
  const made = [...rowValues(collections, collection), ...rowValues(versions, fork.version)]
  const { rows } = await tx.query(landing, [fork.sourceId, fork.ofPrivate, ...made], 'land_fork')
  return rows.length === 1
}
