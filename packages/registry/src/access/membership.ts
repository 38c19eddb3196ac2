/** Membership rules shared by accounts and members: roles read in a transaction, and at least one owner per organization. */
import {
  type AccountRow,
  findMemberRole,
  listOwnedOrgs,
  lockAccount,
  ownerIdsOf,
  type Queries,
  type Tx,
} from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import type { Role } from './policy.ts'

/** The caller's role in an account. Reliable only while the account is locked. */
export async function roleIn(at: Queries, who: Principal, account: AccountRow): Promise<Role | null> {
  if (who.kind === 'anonymous') return null
  if (who.accountId === account.id) return 'owner'
  return account.type === 'org' ? findMemberRole(at, account.id, who.accountId) : null
}

/** Requires that a locked organization keeps an owner after one leaves. @throws last_owner */
export async function demandAnotherOwner(tx: Tx, org: Pick<AccountRow, 'id' | 'slug'>): Promise<void> {
  if ((await ownerIdsOf(tx, org.id)).length <= 1)
    throw new RegistryError('last_owner', { details: { org: org.slug } })
}

/** Locks every organization that a user owns. @throws last_owner if one has no other owner. */
export async function demandOtherOwners(tx: Tx, userId: string): Promise<void> {
  for (const orgId of await listOwnedOrgs(tx, userId)) {
    const org = await lockAccount(tx, orgId)
    if (org !== undefined) await demandAnotherOwner(tx, org)
  }
}
