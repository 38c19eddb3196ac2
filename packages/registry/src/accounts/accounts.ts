/**
 * Accounts of users and organizations: sign-in, creation, profile, changes, deletion. interface.md "Account", http-api §2, §3.
 */

import {
  type AccountRow,
  deleteAccount,
  dropDeadSlugs,
  findAccountById,
  findAccountByIdentity,
  identitiesOf,
  identityHash,
  insertAccount,
  isUniqueViolation,
  keepAccountSlug,
  listOwnedOrgs,
  lockAccount,
  nameHeirs,
  ownerIdsOf,
  ownsCollections,
  putMember,
  renameAccount,
  renameOwnerOfCollections,
  type Tx,
  updateAccount,
} from '@ulmus/storage'
import type { Account, OrgSettings, OwnAccount } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential, demandOwnAccount } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { demandOtherOwners, roleIn } from '../access/membership.ts'
import { mayEnter, mayManageAccount } from '../access/policy.ts'
import { checkAccountSlug } from '../access/slugs.ts'
import { suspendedError } from '../access/suspended.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { anonymous, demandCaller, type Principal } from '../principal.ts'
import { exportAccount } from './account-export.ts'
import { contactOf, type Identity, isVerified, makeUser } from './first-sign-in.ts'
import { demandAccountSlug } from './kept-slugs.ts'
import { demandOrg } from './organizations.ts'
import { type Usage, usageOf } from './quotas.ts'
import { changedSettings, readSettings } from './settings.ts'

export type { Identity } from './first-sign-in.ts'

/** The public profile of an account: without its e-mail address, which only `own` returns. */
export const profileOf = (account: AccountRow): Account => ({
  id: account.id,
  slug: account.slug,
  type: account.type,
  displayName: account.displayName,
  createdAt: instantText(account.createdAt),
})

/** Only the fields to change. */
export interface AccountChanges {
  displayName?: string | undefined
  slug?: string | undefined
  settings?: Partial<OrgSettings> | undefined
  /** Of a user. */
  takesMail?: boolean | undefined
}

export type Accounts = ReturnType<typeof accountsOf>

export function accountsOf(context: Context) {
  const { database } = context
  return {
    /**
     * Returns the account of an identity; the first sign-in creates it. Its e-mail follows the provider's; slug and name stay.
     * @throws account_suspended
     */
    async signIn(identity: Identity): Promise<Account> {
      const account = (await findAccountByIdentity(database, identity)) ?? (await makeUser(context, identity))
      if (account.suspendedAt !== null) throw await suspendedError(context, account.id)
      const { email } = contactOf(identity)
      const emailVerified = isVerified(identity)
      const claimsOperator = identity.claimsOperator ?? false
      const changes = {
        ...(email !== null && email !== account.email && { email }),
        ...(email !== null && emailVerified !== account.emailVerified && { emailVerified }),
        ...(claimsOperator !== account.claimsOperator && { claimsOperator }),
      }
      if (Object.keys(changes).length > 0)
        await database.transact((tx) => updateAccount(tx, account.id, changes))
      return profileOf(account)
    },

    async own(who: Principal): Promise<OwnAccount> {
      const account = await findAccountById(database, demandCaller(who).accountId)
      if (account === undefined) throw new RegistryError('unauthenticated')
      const { emailVerified, takesMail } = account
      return { ...profileOf(account), email: account.email ?? '', emailVerified, takesMail }
    },

    /** Everything that is stored of the caller, as pieces of a JSON document. @throws insufficient_scope, key_limited */
    export: (who: Principal): Promise<AsyncGenerator<Uint8Array>> => exportAccount(context, who),

    /** @throws account_not_found, MovedError */
    async profile(slug: string): Promise<Account> {
      return profileOf((await findVisibleAccount(context, anonymous, slug)).account)
    },

    /**
     * Makes an organization with the caller as its owner.
     * @throws insufficient_scope, key_limited, invalid_slug, reserved_slug, too_many_organizations, slug_taken, slug_kept
     */
    createOrg: (who: Principal, org: { slug: string; displayName: string }): Promise<Account> =>
      createOrg(context, who, org),

    /**
     * Changes the given fields. Only owners change an organization's settings. The former slug redirects, and stays reserved for
     * its owner.
     * @throws account_not_found, MovedError, not_an_org, not_a_member, insufficient_role, invalid_slug, reserved_slug, slug_taken,
     * slug_kept
     */
    update: (who: Principal, slug: string, changes: AccountChanges): Promise<void> =>
      changeAccount(context, who, slug, changes),

    /** Storage usage and quota of an account. See `usageOf`. */
    usage: (who: Principal, slug: string): Promise<Usage> => usageOf(context, who, slug),

    /** For members. @throws account_not_found, MovedError, not_an_org, key_limited, not_a_member */
    settings: (who: Principal, slug: string): Promise<OrgSettings> => readSettings(context, who, slug),

    /**
     * Deletes an account with its keys, sessions and memberships.
     * @throws account_not_found, MovedError, not_a_member, insufficient_role, has_collections, last_owner
     */
    remove: (who: Principal, slug: string): Promise<void> => removeAccount(context, who, slug),
  }
}

async function createOrg(
  context: Context,
  who: Principal,
  org: { slug: string; displayName: string },
): Promise<Account> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  checkAccountSlug(org.slug)
  const createdAt = context.now()
  const account = {
    ...org,
    id: newId(),
    type: 'org' as const,
    email: null,
    createdAt,
    madeBy: caller.accountId,
  }
  const owner = { orgId: account.id, userId: caller.accountId, role: 'owner', since: createdAt } as const
  const max = context.limits.organizationsMax
  return audited(context, who, async (tx, tell) => {
    await demandOwnAccount(context, tx, caller)
    if ((await listOwnedOrgs(tx, caller.accountId)).length >= max)
      throw new RegistryError('too_many_organizations', { say: { max } })
    const row = await insertAccount(tx, account)
    if (row === undefined) throw slugTaken(org.slug)
    await demandAccountSlug(context, tx, caller, row)
    await putMember(tx, owner)
    tell({ action: 'organization.made', account: row.id, target: org.slug })
    return profileOf(row)
  })
}

async function changeAccount(
  context: Context,
  who: Principal,
  slug: string,
  changes: AccountChanges,
): Promise<void> {
  const seen = await findVisibleAccount(context, who, slug)
  if (changes.settings !== undefined) demandOrg(seen.account)
  if (changes.takesMail !== undefined && seen.account.type === 'org') throw mailOfOrg()
  const needed = changes.settings === undefined ? 'admin' : 'owner'
  demand(mayManageAccount(who, seen.role, needed), { owner: slug, needed })
  if (changes.slug !== undefined && changes.slug !== seen.account.slug) checkAccountSlug(changes.slug)
  const work = audited(context, who, async (tx, tell) => {
    const account = await demandLocked(tx, seen.account)
    await demandCredential(context, tx, demandCaller(who))
    demand(mayManageAccount(who, await roleIn(tx, who, account), needed), { owner: slug, needed })
    await changeSettings(tx, account, changes.settings ?? {}, tell)
    await updateAccount(tx, account.id, { displayName: changes.displayName, takesMail: changes.takesMail })
    if (changes.slug !== undefined && changes.slug !== account.slug) {
      await renameAccount(tx, account, changes.slug, context.now())
      await demandAccountSlug(context, tx, demandCaller(who), { id: account.id, slug: changes.slug })
      const details = { formerly: account.slug }
      tell({ action: 'account.renamed', account: account.id, target: changes.slug, details })
    }
    const { slug: newSlug = account.slug, displayName = account.displayName } = changes
    await renameOwnerOfCollections(tx, account.id, { slug: newSlug, displayName })
  })
  await work.catch((error: unknown) => {
    throw isUniqueViolation(error, 'accounts_slug_unique') ? slugTaken(changes.slug) : error
  })
}

async function changeSettings(
  tx: Tx,
  account: AccountRow,
  wanted: Partial<OrgSettings>,
  tell: Tell,
): Promise<void> {
  const details = changedSettings(account, wanted)
  if (Object.keys(details).length === 0) return
  await updateAccount(tx, account.id, details)
  tell({ action: 'settings.changed', account: account.id, target: account.slug, details })
}

async function removeAccount(context: Context, who: Principal, slug: string): Promise<void> {
  const seen = await findVisibleAccount(context, who, slug)
  demand(mayManageAccount(who, seen.role, 'owner'), { owner: slug, needed: 'owner' })
  await audited(context, who, async (tx, tell) => {
    if (seen.account.type === 'user') await demandOtherOwners(tx, seen.account.id)
    const account = await demandLocked(tx, seen.account, 'update')
    await demandCredential(context, tx, demandCaller(who))
    demand(mayManageAccount(who, await roleIn(tx, who, account), 'owner'), {
      owner: slug,
      needed: 'owner',
    })
    if (await ownsCollections(tx, account.id)) throw new RegistryError('has_collections')
    await keepAccountSlug(tx, account, context.now())
    await nameHeirs(tx, account.id, await heirsOf(tx, account), context.now())
    await dropDeadSlugs(tx, account.id)
    await deleteAccount(tx, account.id)
    tell({ action: 'account.deleted', account: account.id, target: account.slug })
  })
}

/**
 * Identities or accounts that may reuse the slugs of a deleted account: the same person at a new sign-in, or the owners of the
 * organization.
 */
const heirsOf = async (tx: Tx, { id, type }: AccountRow): Promise<string[]> =>
  type === 'org' ? ownerIdsOf(tx, id) : (await identitiesOf(tx, id)).map(identityHash)

async function demandLocked(tx: Tx, { id, slug }: AccountRow, strength?: 'update'): Promise<AccountRow> {
  const account = await lockAccount(tx, id, strength)
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  return account
}

const mailOfOrg = () =>
  new RegistryError('invalid_request', {
    say: { reason: '`takesMail` is a setting of users; the account is an organization.' },
    details: { issues: [{ path: 'takesMail', message: 'is for users only' }] },
  })
const slugTaken = (slug: string | undefined) => new RegistryError('slug_taken', { say: { slug } })
