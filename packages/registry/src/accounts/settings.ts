/**
 * Settings of organizations: whether members may change visibility, and the default visibility of new collections. http-api §11.
 * `accounts.ts` writes changes; `policy.ts` and `collections.ts` apply them.
 */

import type { AccountRow } from '@ulmus/storage'
import type { OrgSettings } from '@ulmus/wire'
import { findVisibleAccount } from '../access/find-account.ts'
import { mayListMembers } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { demand } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { demandOrg } from './organizations.ts'

/** The settings in an account's row. */
export const settingsIn = (account: AccountRow): OrgSettings => ({
  membersMayChangeVisibility: account.membersMayChangeVisibility,
  defaultVisibility: account.defaultVisibility,
})

/** The settings that differ from the account's current ones. */
export function changedSettings(account: AccountRow, wanted: Partial<OrgSettings>): Partial<OrgSettings> {
  const current: Record<string, unknown> = { ...settingsIn(account) }
  const differs = ([name, value]: [string, unknown]) => value !== undefined && value !== current[name]
  return Object.fromEntries(Object.entries(wanted).filter(differs))
}

/** For members. @throws account_not_found, MovedError, not_an_org, key_limited, not_a_member */
export async function readSettings(context: Context, who: Principal, slug: string): Promise<OrgSettings> {
  const { account, role } = await findVisibleAccount(context, who, slug)
  demandOrg(account)
  demand(mayListMembers(who, role), { owner: slug })
  return settingsIn(account)
}
