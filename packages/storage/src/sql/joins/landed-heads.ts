/** Latest versions of public collections, for work on what landed lately. */
import type { Queries } from '../../database/database.ts'

export interface LandedHead {
  readonly collectionId: string
  readonly owner: string
  readonly slug: string
  readonly versionId: string
  /** When the version landed, or its collection was changed since. */
  readonly updatedAt: Date
}

/** Newest first. */
export async function listLandedHeads(
  at: Queries,
  { since, limit }: { since: Date; limit: number },
): Promise<LandedHead[]> {
  const { rows } = await at.lookUp<LandedHead>(
    `select collections.id as "collectionId", accounts.slug as owner, collections.slug, versions.id as "versionId",
       collections.updated_at as "updatedAt"
     from collections join accounts on accounts.id = owner_id join versions on versions.id = head_id
     where public and collections.updated_at >= $1
     order by collections.updated_at desc, collections.id desc limit $2`,
    [since, limit],
    'list_landed_heads',
  )
  return rows
}
