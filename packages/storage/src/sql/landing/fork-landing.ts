/** How a fork lands: its collection and its first version in one statement, mostly one round trip and one commit. */
import { getTableColumns } from 'drizzle-orm'
import type { Tx } from '../../database/database.ts'
import { type Authority, authorityColumnCount, authorityColumns, authorityHeld } from '../access/authority.ts'
import {
  type CollectionRow,
  collections,
  collectionWords,
  foldName,
  type OwnerNames,
  wordsRow,
} from '../collections/collections.ts'
import { rowInserted, rowValues } from '../columns/row-insert.ts'
import { type VersionRow, versions } from '../versions/versions.ts'

export interface ForkLanding {
  sourceId: string
  /** Whether it lands also when the source is not public. */
  ofPrivate: boolean
  /** Its head is `version`. `public`: if the source is. */
  collection: Omit<CollectionRow, 'foldedName'>
  version: VersionRow
  owner: OwnerNames
  /** In the account that is to own it. */
  by: Authority
  /** It lands only while that has fewer collections, 1 or more. Certain only while the account is locked. */
  collectionsMax: number
}

const authorityFirst = 4
const collectionFirst = authorityFirst + authorityColumnCount
const owner = `$${authorityFirst}::uuid`
const wordsFirst = collectionFirst + Object.keys(getTableColumns(collections)).length
const versionFirst = wordsFirst + Object.keys(getTableColumns(collectionWords)).length

// The source is held until the fork is there: whoever deletes it then sees the fork, and keeps what that inherited. Until then
// the source keeps what the two share from being swept.
const landing = `with target as (select id from accounts where id = ${owner} for key share),
  source as (
    select public from collections where id = $1 and (public or $2) for share),
  ${authorityHeld(authorityFirst, 'target')},
  landed as (
    select source.public from source, authority
      where not exists (select from collections where owner_id = ${owner} offset $3::bigint - 1)),
  made as (${rowInserted(collections, {
    first: collectionFirst,
    from: 'landed',
    as: { public: (wanted) => `landed.public and ${wanted}` },
  })} returning id),
  found_by as (${rowInserted(collectionWords, { first: wordsFirst, from: 'made' })})
  ${rowInserted(versions, { first: versionFirst, from: 'made' })} returning id`

/**
 * A single statement.
 * @returns false, and nothing happens, when the source is gone, or is not public and would have to be; when the authority is not good; when
 *   the owner is gone, or has too many collections.
 * @throws a unique violation of `collections_owner_slug` when the owner has the slug.
 */
export async function landFork(tx: Tx, fork: ForkLanding): Promise<boolean> {
  const collection = { ...fork.collection, foldedName: foldName(fork.collection.name) }
  const made = [
    ...rowValues(collections, collection),
    ...rowValues(collectionWords, wordsRow(fork.collection, fork.owner)),
    ...rowValues(versions, fork.version),
  ]
  const given = [fork.sourceId, fork.ofPrivate, fork.collectionsMax, ...authorityColumns(fork.by)]
  const { rows } = await tx.query(landing, [...given, ...made], 'land_fork')
  return rows.length === 1
}
