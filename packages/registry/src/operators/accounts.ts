/** Looks up and locks the accounts that operators' acts change. `operators.ts` has checked before that the caller is an operator. */
import { type AccountRow, findAccountBySlug, lockAccount, type Tx } from '@ulmus/storage'
import { demandCredential } from '../access/authority.ts'
import { isAccountSlug, isErasedSlug } from '../access/slugs.ts'
import { demandUser } from '../accounts/organizations.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'

/** Locks the account with this slug until the transaction ends. @throws account_not_found */
export async function lockNamed(tx: Tx, slug: string, strength?: 'update'): Promise<AccountRow> {
  const found = isAccountSlug(slug) ? await findAccountBySlug(tx, slug) : undefined
  const account = found && (await lockAccount(tx, found.id, strength))
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  return account
}

/** Locks a user who is not erased. @throws account_not_found, not_a_user, invalid_request */
export async function lockPerson(
  context: Context,
  tx: Tx,
  caller: Caller,
  slug: string,
  strength?: 'update',
): Promise<AccountRow> {
  const account = await lockNamed(tx, slug, strength)
  await demandUser(tx, account.slug)
  await demandCredential(context, tx, caller)
  if (isErasedSlug(account.slug)) throw wrong('slug', 'must be of a person who is not erased')
  return account
}

/** Locks a user other than the operator. @throws account_not_found, not_a_user, invalid_request */
export async function lockOther(
  context: Context,
  tx: Tx,
  caller: Caller,
  slug: string,
  strength?: 'update',
): Promise<AccountRow> {
  const account = await lockPerson(context, tx, caller, slug, strength)
  if (account.id !== caller.accountId) return account
  throw wrong('slug', 'must be of another account than your own')
}

/** Error for a field of the request. */
export const wrong = (path: string, message: string): RegistryError =>
  new RegistryError('invalid_request', { details: { issues: [{ path, message }] } })
