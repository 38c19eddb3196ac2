/**
 * Slugs that stay reserved after their account or collection gave them up: a known path must not lead to another owner's data.
 */
import {
  type AccountRow,
  type IdentityKey,
  identitiesOf,
  type Queries,
  slugsKeptForOthers,
  slugsKnownElsewhere,
  type Tx,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'

type Clock = Pick<Context, 'now'>

/** Those of `slugs` that are reserved for others than this new user. */
export const slugsKeptFrom = (
  { now }: Clock,
  at: Queries,
  identity: IdentityKey,
  slugs: readonly string[],
): Promise<Set<string>> => slugsKeptForOthers(at, slugs, { accountIds: [], identities: [identity] }, now())

/**
 * Requires that no slug is reserved for others. Call it after assigning the slug: an account that gave it up meanwhile has
 * committed by then.
 * @throws slug_kept if another account gave the slug up, or if a collection of this account would take the known path of another
 * owner's
 */
export async function demandAccountSlug(
  { now }: Clock,
  tx: Tx,
  who: Caller,
  account: Pick<AccountRow, 'id' | 'slug'>,
): Promise<void> {
  const claimant = {
    accountIds: [account.id, who.accountId],
    identities: await identitiesOf(tx, who.accountId),
  }
  const kept = await slugsKeptForOthers(tx, [account.slug], claimant, now())
  if (kept.size > 0) throw new RegistryError('slug_kept', { say: { slug: account.slug } })
  await demandCollectionSlug({ now }, tx, account, null)
}

/**
 * Requires that readers know no other owner's collection by this path.
 * @param slug of a collection of the account; null: all its collections
 * @throws slug_kept
 */
export async function demandCollectionSlug(
  { now }: Clock,
  at: Queries,
  account: Pick<AccountRow, 'id' | 'slug'>,
  slug: string | null,
): Promise<void> {
  const [known] = await slugsKnownElsewhere(at, account, slug === null ? {} : { slugs: [slug] }, now())
  if (known !== undefined)
    throw new RegistryError('slug_kept', { say: { slug: `${account.slug}/${known}`, isOfCollection: true } })
}
