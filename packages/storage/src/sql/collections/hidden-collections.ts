/** Collections that operators hid: they are private until they are shown. */
import type { Queries, Tx } from '../../database/database.ts'
import type { CollectionRow } from './collections.ts'

/** Values of a collection that is not hidden. */
export const notHidden = { hiddenAt: null, hiddenReason: null, publicOnceShown: false } as const

/** Hides a collection from all but its members. @param reason null: its owner was suspended */
export async function hideCollection(
  tx: Tx,
  { id, at, reason }: { id: string; at: Date; reason: string | null },
): Promise<void> {
  await tx.query(
    `update collections set hidden_at = coalesce(hidden_at, $2), hidden_reason = $3, updated_at = $2,
       public_once_shown = public_once_shown or public, public = false where id = $1`,
    [id, at, reason],
  )
}

/** Makes a hidden collection public again if its members did not make it private meanwhile. */
export async function showCollection(tx: Tx, { id, at }: { id: string; at: Date }): Promise<void> {
  await tx.query(
    `update collections set public = public_once_shown, hidden_at = null, hidden_reason = null,
       public_once_shown = false, updated_at = $2 where id = $1 and hidden_at is not null`,
    [id, at],
  )
}

/** Keeps a hidden collection private once operators show it. */
export async function keepPrivate(tx: Tx, id: string): Promise<void> {
  await tx.query('update collections set public_once_shown = false where id = $1', [id])
}

/** Collections of an account that are public, or hidden because it was suspended. */
export async function hiddenWithOwner(
  at: Queries,
  ownerId: string,
  { isSuspended }: { isSuspended: boolean },
): Promise<Pick<CollectionRow, 'id' | 'slug' | 'ownerId'>[]> {
  const which = isSuspended ? 'public' : 'hidden_at is not null and hidden_reason is null'
  const { rows } = await at.query<Pick<CollectionRow, 'id' | 'slug' | 'ownerId'>>(
    `select id, slug, owner_id as "ownerId" from collections where owner_id = $1 and ${which} order by slug`,
    [ownerId],
  )
  return rows
}
