/**
 * Account look-up for the paths of requests, with the caller's role. Every account is public, so a find permits nothing: pass the
 * role to a function of `policy.ts`.
 */
import { type AccountRow, findAccountByFormerSlug, findAccountFor } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { MovedError, RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import type { Role } from './policy.ts'
import { isAccountSlug } from './slugs.ts'

/** An account and the caller's role in it. */
export interface VisibleAccount {
  readonly account: AccountRow
  /** The caller's role in it, before the limits of its key; `policy.ts` takes both. */
  readonly role: Role | null
}

/** @throws account_not_found; MovedError when a former slug leads to it. */
export async function findVisibleAccount(
  context: Context,
  who: Principal,
  slug: string,
): Promise<VisibleAccount> {
  // Skip the look-up for impossible slugs: PostgreSQL refuses a NUL, for instance.
  if (!isAccountSlug(slug)) throw new RegistryError('account_not_found', { say: { slug } })
  const found = await findAccountFor(context.database, slug, who.kind === 'anonymous' ? null : who.accountId)
  if (found !== undefined) return found
  const former = await findAccountByFormerSlug(context.database, slug)
  if (former !== undefined) throw new MovedError({ owner: former.slug })
  throw new RegistryError('account_not_found', { say: { slug } })
}

/**
 * Finds an account that a request names besides its subject, also by a former slug: a redirect would send the whole request elsewhere.
 * @throws account_not_found
 */
export async function findNamedAccount(
  context: Context,
  who: Principal,
  slug: string,
): Promise<VisibleAccount> {
  try {
    return await findVisibleAccount(context, who, slug)
  } catch (error) {
    if (!(error instanceof MovedError)) throw error
    return findVisibleAccount(context, who, error.to.owner)
  }
}
