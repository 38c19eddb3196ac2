/** Newest versions of an account's public collections, for its feed. */
import type { Queries } from '../../database/database.ts'
import { wholeRow } from '../columns/rows.ts'
import { type VersionRow, versions } from '../versions/versions.ts'

/** A version with the current slug of its collection. */
export interface OwnedVersion {
  readonly collectionSlug: string
  readonly version: VersionRow
}

const whole = wholeRow(versions)
const newestFirst = 'major desc, minor desc, patch desc'

/**
 * Versions that changed something public in collections that are public now, newest first. Private collections, and versions in which only
 * private things changed, have no influence on the answer.
 */
export async function listNewestPublicVersions(
  at: Queries,
  ownerId: string,
  limit: number,
): Promise<OwnedVersion[]> {
  // Read one row per collection first: an account may have 10,000 collections with many versions each.
  const text = `with newest as (
      select collections.id, slug, made from collections, lateral (
        select created_at as made from versions where collection_id = collections.id and public_changed
        order by ${newestFirst} limit 1) as latest
      where owner_id = $1 and public order by made desc, collections.id desc limit $2)
    select slug as "collectionSlug", ${whole.text} as version
    from newest, lateral (
      select * from versions where collection_id = newest.id and public_changed
      order by ${newestFirst} limit $2) as versions
    order by versions.created_at desc, versions.id desc limit $2`
  const { rows } = await at.query<{ collectionSlug: string; version: unknown }>(
    text,
    [ownerId, limit],
    'list_newest_public_versions',
  )
  return rows.map(({ collectionSlug, version }) => ({ collectionSlug, version: whole.read(version)! }))
}
