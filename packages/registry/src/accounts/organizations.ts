/** Checks of an account's type. Users and organizations share a table and their slugs, but only organizations have members. */
import { type AccountRow, findAccountBySlug, type Queries } from '@ulmus/storage'
import { isAccountSlug } from '../access/slugs.ts'
import { RegistryError } from '../errors/errors.ts'

/** @throws not_an_org */
export function demandOrg({ type, slug }: Pick<AccountRow, 'type' | 'slug'>): void {
  if (type !== 'org') throw new RegistryError('not_an_org', { say: { slug } })
}

/** The user with a slug. @throws account_not_found, not_a_user */
export async function demandUser(at: Queries, slug: string): Promise<AccountRow> {
  const account = isAccountSlug(slug) ? await findAccountBySlug(at, slug) : undefined
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  if (account.type !== 'user') throw new RegistryError('not_a_user', { say: { user: slug } })
  return account
}
