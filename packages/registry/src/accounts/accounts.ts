/** Accounts: made by signing in or, organizations, by their first owner; changed, deleted, shown. interface.md "Account", http-api §2, §3. */
import {
  type AccountRow,
  deleteAccount,
  findAccountById,
  findAccountByIdentity,
  insertAccount,
  insertIdentity,
  isUniqueViolation,
  listOwnedOrgs,
  lockAccount,
  ownsCollections,
  putMember,
  renameAccount,
  renameOwnerOfCollections,
  slugsInUse,
  type Tx,
  updateAccount,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { demandCredential, demandOwnAccount } from '../access/authority.ts'
import { demandCaller } from '../access/caller.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { demandOtherOwners, roleIn } from '../access/membership.ts'
import { mayEnter, mayManageAccount } from '../access/policy.ts'
import { anonymous, type Principal } from '../access/principal.ts'
import { checkAccountSlug, slugCandidates, slugFrom } from '../access/slugs.ts'
import { audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { instantText } from '../instants.ts'

/** Who an identity provider says has signed in. The identity is (issuer, subject); the rest only describes. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly preferredUsername: string | null
  readonly email: string | null
  readonly name: string | null
}

/** The public profile. */
export interface AccountProfile {
  readonly id: string
  readonly slug: string
  readonly type: 'user' | 'org'
  readonly displayName: string
  readonly createdAt: string
}

export const profileOf = (account: AccountRow): AccountProfile => ({
  id: account.id,
  slug: account.slug,
  type: account.type,
  displayName: account.displayName,
  createdAt: instantText(account.createdAt),
})

/** Characters. */
const displayNameMax = 200
const emailMax = 320
/** How many slugs are tried at once for a new user. */
const candidatesPerLook = 50

export type Accounts = ReturnType<typeof accountsOf>

export function accountsOf(context: Context) {
  const { database } = context
  /** Two first sign-ins at once: the other one has made the account. */
  const makeUserOnce = (identity: Identity) =>
    database
      .transact((tx) => makeUser(tx, identity, context.now()))
      .catch(async (error: unknown) => {
        if (error instanceof SignedInMeanwhile) return (await findAccountByIdentity(database, identity))!
        throw error
      })
  return {
    /** The account of an identity, made at its first sign-in. Its e-mail follows the provider's; slug and name stay as they are. */
    async signIn(identity: Identity): Promise<AccountProfile> {
      const account = (await findAccountByIdentity(database, identity)) ?? (await makeUserOnce(identity))
      const { email } = contactOf(identity)
      if (email !== null && email !== account.email)
        await database.transact((tx) => updateAccount(tx, account.id, { email }))
      return profileOf(account)
    },

    async own(who: Principal): Promise<AccountProfile & { email: string }> {
      const account = await findAccountById(database, demandCaller(who).accountId)
      if (account === undefined) throw new RegistryError('unauthenticated')
      return { ...profileOf(account), email: account.email ?? '' }
    },

    /** @throws account_not_found, Moved */
    async profile(slug: string): Promise<AccountProfile> {
      return profileOf((await findVisibleAccount(context, anonymous, slug)).account)
    },

    /**
     * Makes an organization with the caller as its owner.
     * @throws insufficient_scope, key_limited, invalid_slug, reserved_slug, too_many_organizations, slug_taken
     */
    createOrg: (who: Principal, org: { slug: string; displayName: string }): Promise<AccountProfile> =>
      createOrg(context, who, org),

    /**
     * Changes what is given. The former slug leads to the account until another takes it.
     * @throws account_not_found, Moved, not_a_member, insufficient_role, invalid_slug, reserved_slug, slug_taken
     */
    update: (who: Principal, slug: string, changes: { displayName?: string; slug?: string }): Promise<void> =>
      changeAccount(context, who, slug, changes),

    /**
     * Deletes an account with its keys, sessions and memberships.
     * @throws account_not_found, Moved, not_a_member, insufficient_role, has_collections, last_owner
     */
    remove: (who: Principal, slug: string): Promise<void> => removeAccount(context, who, slug),
  }
}

async function createOrg(
  context: Context,
  who: Principal,
  org: { slug: string; displayName: string },
): Promise<AccountProfile> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  checkAccountSlug(org.slug)
  const createdAt = context.now()
  const account: AccountRow = { ...org, id: newId(), type: 'org', email: null, createdAt }
  const owner = { orgId: account.id, userId: caller.accountId, role: 'owner', since: createdAt } as const
  const max = context.limits.organizationsMax
  await audited(context, who, async (tx, tell) => {
    await demandOwnAccount(context, tx, caller)
    if ((await listOwnedOrgs(tx, caller.accountId)).length >= max)
      throw new RegistryError('too_many_organizations', { say: { max } })
    if (!(await insertAccount(tx, account))) throw slugTaken(org.slug)
    await putMember(tx, owner)
    tell({ action: 'organization.made', account: account.id, target: org.slug })
  })
  return profileOf(account)
}

async function changeAccount(
  context: Context,
  who: Principal,
  slug: string,
  changes: { displayName?: string; slug?: string },
): Promise<void> {
  const seen = await findVisibleAccount(context, who, slug)
  demand(mayManageAccount(who, seen.role), { owner: slug, needed: 'admin' })
  if (changes.slug !== undefined && changes.slug !== seen.account.slug) checkAccountSlug(changes.slug)
  const work = audited(context, who, async (tx, tell) => {
    const account = await demandLocked(tx, seen.account)
    await demandCredential(context, tx, demandCaller(who))
    demand(mayManageAccount(who, await roleIn(tx, who, account)), { owner: slug, needed: 'admin' })
    if (changes.displayName !== undefined)
      await updateAccount(tx, account.id, { displayName: changes.displayName })
    if (changes.slug !== undefined && changes.slug !== account.slug) {
      await renameAccount(tx, account, changes.slug)
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
    await deleteAccount(tx, account.id)
    tell({ action: 'account.deleted', account: account.id, target: account.slug })
  })
}

/** Rolls back the account made for an identity that has one by now. */
class SignedInMeanwhile extends Error {}

async function makeUser(tx: Tx, identity: Identity, createdAt: Date): Promise<AccountRow> {
  const base = slugBaseOf(identity)
  const account = { id: newId(), type: 'user' as const, createdAt, ...contactOf(identity) }
  for (let from = 1; ; from += candidatesPerLook) {
    const candidates = slugCandidates(base, from, candidatesPerLook)
    const taken = await slugsInUse(tx, candidates)
    for (const slug of candidates) {
      if (taken.has(slug)) continue
      const row = { ...account, slug, displayName: account.displayName ?? slug }
      // Another may have taken the slug since the look; then the next.
      if (!(await insertAccount(tx, row))) continue
      if (await insertIdentity(tx, identity, row.id)) return row
      throw new SignedInMeanwhile()
    }
  }
}

/** The first of what the provider tells that makes a slug. An address is cut at its `@`: e-mails are nobody else's business. */
function slugBaseOf({ preferredUsername, email, name }: Identity): string {
  for (const text of [beforeAt(preferredUsername), beforeAt(email), name]) {
    const slug = text === null ? undefined : slugFrom(text)
    if (slug !== undefined) return slug
  }
  return 'user'
}

const beforeAt = (text: string | null) => text?.split('@', 1)[0] ?? null

/** What the provider tells, within the bounds of what we keep; null for nothing. */
function contactOf({ preferredUsername, email, name }: Identity): {
  displayName: string | null
  email: string | null
} {
  const line = (text: string | null, max: number) =>
    [
      ...(text ?? '')
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .trim(),
    ]
      .slice(0, max)
      .join('')
      .trim() || null
  return {
    displayName: line(name, displayNameMax) ?? line(beforeAt(preferredUsername), displayNameMax),
    email: line(email, emailMax),
  }
}

async function demandLocked(tx: Tx, { id, slug }: AccountRow, strength?: 'update'): Promise<AccountRow> {
  const account = await lockAccount(tx, id, strength)
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  return account
}

const slugTaken = (slug: string | undefined) => new RegistryError('slug_taken', { say: { slug } })
