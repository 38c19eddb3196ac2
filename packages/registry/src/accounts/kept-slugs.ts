/** Slugs that were given up and are kept: readers who know a path find no other owner's data under it. */
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

/** Those of `slugs` that a new user with this identity cannot have. */
export const slugsKeptFrom = (
  { now }: Clock,
  at: Queries,
  identity: IdentityKey,
  slugs: readonly string[],
): Promise<Set<string>> => slugsKeptForOthers(at, slugs, { accountIds: [], identities: [identity] }, now())

/**
 * Call it after assigning the slug: an account that gave it up meanwhile has committed by then.
 * @throws slug_kept if another account gave the slug up, or a collection of this one would stand where readers know another's
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
 * @param slug of a collection of the account; null: each that the account has
 * @throws slug_kept if readers know a collection of another owner by this path
 */
export async function demandCollectionSlug(
  { now }: Clock,
  at: Queries,
  account: Pick<AccountRow, 'id' | 'slug'>,
  slug: string | null,
): Promise<void> {
  const [known] = await slugsKnownElsewhere(at, account, slug === null ? {} : { slugs: [slug] }, now())
  if (known !== undefined) throw new RegistryError('slug_kept', { say: { slug: `${account.slug}/${known}` } })
}
