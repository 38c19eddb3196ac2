/** Forks of a collection, and how far they are behind their source. */
import type { Queries } from '../../database/database.ts'
import type { GrantLevel } from '../access/collaborators.ts'
import { noAccount } from '../accounts/accounts.ts'
import { roleOf } from '../accounts/members.ts'

/** Versions that a fork may lack before they are no longer counted. */
export const behindMax = 1_000

/** A direct fork of a collection. */
export interface ForkRow {
  readonly id: string
  readonly owner: string
  readonly slug: string
  readonly name: string
  readonly public: boolean
  /** Version of the source that it began with. */
  readonly version: string
  /** Its latest version; null: all were withdrawn. */
  readonly latest: string | null
  readonly behind: number
  /** Role of the account in its owner. */
  readonly role: 'owner' | 'admin' | 'member' | null
  /** Grant of the account on the fork. */
  readonly grant: GrantLevel | null
}

/** $1 and $2: id of the source and a version of it, in SQL. Versions that were published since and can be read, at most `behindMax`. */
const behindText = (source: string, version: string): string =>
  `(select count(*) from (select from versions, string_to_array(substr(${version}, 2), '.') as part
     where collection_id = ${source} and withdrawn_at is null
       and (major, minor, patch) > (part[1]::integer, part[2]::integer, part[3]::integer)
     limit ${behindMax}) as newer)`

/** Readable versions that a collection has since `version`, at most `behindMax`. */
export async function countVersionsSince(
  at: Queries,
  collectionId: string,
  version: string,
): Promise<number> {
  const { rows } = await at.query<{ behind: number }>(
    `select ${behindText('$1::uuid', '$2::text')} as behind`,
    [collectionId, version],
  )
  return rows[0]!.behind
}

/** Direct forks that are public, of an account's own and its organizations, or that it has a grant on; the most recently changed first. */
export async function listForks(
  at: Queries,
  sourceId: string,
  { accountId, limit }: { accountId: string | null; limit: number },
): Promise<ForkRow[]> {
  const { rows } = await at.query<Omit<ForkRow, 'version'> & { version: string | null; ownerId: string }>(
    `select forks.id, forks.owner_id as "ownerId", accounts.slug as owner, forks.slug, forks.name, forks.public,
       forks.forked_from_semver as version, 'v' || concat_ws('.', head.major, head.minor, head.patch) as latest,
       ${behindText('$1', 'forks.forked_from_semver')} as behind, members.role, level as "grant"
     from collections as forks join accounts on accounts.id = forks.owner_id
       left join versions as head on head.id = forks.head_id
       left join members on members.org_id = forks.owner_id and members.user_id = $2
       left join collaborators on collaborators.collection_id = forks.id and collaborators.user_id = $2
     where forks.ancestors @> array[$1::uuid] and forks.forked_from_id = $1 and forks.forked_from_semver is not null
       and (forks.public or forks.owner_id = $2 or members.role is not null or level is not null)
     order by forks.updated_at desc, forks.id limit $3`,
    [sourceId, accountId ?? noAccount, limit],
  )
  return rows.map(({ ownerId, ...row }) => ({
    ...row,
    version: row.version!,
    latest: row.latest === 'v' ? null : row.latest,
    role: roleOf(accountId, ownerId, row.role),
  }))
}
