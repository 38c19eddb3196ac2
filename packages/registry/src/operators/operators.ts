/**
 * Actions of the registry's operators: manage accounts, view usage and running work, read all audit logs. http-api §11.
 */

import {
  type AccountItem,
  type AuditFilter,
  countAll,
  countJobs,
  countPushesUnderWay,
  endCredentials,
  erasePerson,
  findMemberRole,
  hasOwnerWhoActs,
  listAccounts,
  listAuditEvents,
  publicSlugsOf,
  putMember,
  renameOwnerOfCollections,
  soleOwnerOf,
  storedBytes,
  type Tx,
  updateAccount,
} from '@ulmus/storage'
import type {
  AuditEvent,
  HandOver,
  JobsUnderWay,
  LinkedIdentity,
  LinkIdentity,
  OperateAccount,
  OperatedAccount,
  Usage,
} from '@ulmus/wire'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { demandOperator, isOperator } from '../access/operators.ts'
import { erasedSlug, isErasedSlug } from '../access/slugs.ts'
import { profileOf } from '../accounts/accounts.ts'
import { demandOrg, demandUser } from '../accounts/organizations.ts'
import { byText, mapPage, type Page, type PageAsk, pageOf } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { type AuditAsk, eventAnswer, filterBy, newestFirst, placeOf } from '../audit/audit.ts'
import { instantTextOrNull } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Caller, Principal } from '../principal.ts'
import { lockNamed, lockOther, wrong } from './accounts.ts'
import { type HandedOver, handOver } from './handing-over.ts'
import { linkIdentity } from './identities.ts'
import { hideWithOwner, keepAllHidden } from './suspended-collections.ts'

const bySlug = byText('slug')
/** Maximum public collections listed in a refusal. */
const citedMax = 100

export type Operators = ReturnType<typeof operatorsOf>

export function operatorsOf(context: Context) {
  const { database } = context
  return {
    /** True if the caller's account is an operator, whatever the scope of its credential. */
    async is(who: Principal): Promise<boolean> {
      return who.kind !== 'anonymous' && (await isOperator(context, who))
    },

    /** Lists all accounts by slug. @param ask `q`: part of a slug, a name or an e-mail address */
    async accounts(
      who: Principal,
      { q, ...ask }: PageAsk & { q?: string | undefined },
    ): Promise<Page<OperatedAccount>> {
      await demandOperator(context, who)
      const place = ({ account }: AccountItem) => ({ value: account.slug, id: account.id })
      const page = await pageOf(ask, bySlug, (slice) => listAccounts(database, q, slice), place)
      return mapPage(page, ({ account, ...facts }) => ({
        ...profileOf(account),
        ...{ email: account.email, suspendedAt: instantTextOrNull(account.suspendedAt) },
        ...{ erased: isErasedSlug(account.slug), quotaBytes: account.quotaBytes },
        ...facts,
      }))
    },

    /**
     * Suspends a user: signs out its browsers, refuses its keys and hides its public collections; or reinstates it. Sets an
     * account's quota. A quota below the usage removes nothing. Appoints an owner of an organization whose owners are all gone or
     * suspended.
     * @throws account_not_found; to suspend also not_a_user, invalid_request for the operator itself; to appoint also not_an_org,
     * not_a_user, has_owner, invalid_request for a suspended user
     */
    change: (who: Principal, slug: string, changes: OperateAccount): Promise<void> =>
      demandOperator(context, who).then((caller) => change(context, caller, slug, changes)),

    /**
     * Erases a person. An anonymous account remains, which owns the person's data and acts.
     * @param options.confirmed true: also erase an owner of public collections, whose addresses then lead to the anonymous
     * account. Default: false
     * @returns organizations that have no owner now
     * @throws account_not_found, not_a_user, has_public_collections, invalid_request for the operator itself
     */
    erase: (
      who: Principal,
      slug: string,
      options: { confirmed?: boolean } = {},
    ): Promise<{ organizationsWithoutOwner: string[] }> =>
      demandOperator(context, who).then((caller) => erase(context, caller, slug, options)),

    /** Lets an identity sign in as a user. @throws account_not_found, not_a_user, identity_taken */
    linkIdentity: (who: Principal, slug: string, identity: LinkIdentity): Promise<LinkedIdentity> =>
      demandOperator(context, who).then((caller) => linkIdentity(context, caller, slug, identity)),

    /**
     * Transfers collections of a user to another account.
     * @throws account_not_found, not_a_user, collection_not_found, invalid_request
     */
    handOver: (who: Principal, slug: string, what: HandOver): Promise<HandedOver[]> =>
      demandOperator(context, who).then((caller) => handOver(context, caller, slug, what)),

    async usage(who: Principal): Promise<Usage> {
      await demandOperator(context, who)
      const [counts, bytes] = await Promise.all([countAll(database), storedBytes(database)])
      return { ...counts, bytes, quotaBytes: context.limits.quotaBytes }
    },

    async jobs(who: Principal): Promise<JobsUnderWay> {
      await demandOperator(context, who)
      const [pushes, queues] = await Promise.all([countPushesUnderWay(database), countJobs(database)])
      return { pushes, queues }
    },

    /** Lists the events of all logs, the newest first. @throws invalid_request if `after` is outside the years 0001 to 9999 */
    async audit(who: Principal, ask: AuditAsk & PageAsk): Promise<Page<AuditEvent>> {
      await demandOperator(context, who)
      const filter: AuditFilter | undefined = await filterBy(context, ask)
      if (filter === undefined) return { items: [], links: {} }
      const page = await pageOf(
        ask,
        newestFirst,
        (slice) => listAuditEvents(database, filter, slice),
        placeOf,
      )
      return mapPage(page, eventAnswer)
    },
  }
}

async function change(
  context: Context,
  caller: Caller,
  slug: string,
  { suspended, hideCollections = true, reason, quotaBytes, owner }: OperateAccount,
): Promise<void> {
  await audited(context, caller, async (tx, tell) => {
    if (suspended !== undefined)
      await suspend(context, tx, tell, { caller, slug, suspended, hides: hideCollections, reason })
    if (quotaBytes !== undefined) await setQuota(context, tx, tell, { caller, slug, quotaBytes })
    if (owner !== undefined) await nameOwner(context, tx, tell, { caller, slug, owner })
  })
}

interface Changing {
  readonly caller: Caller
  readonly slug: string
}

interface Suspending extends Changing {
  readonly suspended: boolean
  /** Also hides the public collections. */
  readonly hides: boolean
  readonly reason: string | undefined
}

async function suspend(
  context: Context,
  tx: Tx,
  tell: Tell,
  { caller, slug, suspended, hides, reason }: Suspending,
): Promise<void> {
  const { id, suspendedAt } = await lockOther(context, tx, caller, slug)
  const isNew = (suspendedAt !== null) !== suspended
  if (!isNew && !(suspended && reason)) return
  const hidden = isNew ? await changeSuspension(context, tx, id, { suspended, hides }) : 0
  const details = { suspended, collections: hidden, ...(suspended && reason && { reason }) }
  tell({ action: 'account.suspended', account: id, target: slug, details })
}

/** @returns the number of collections that are hidden, or shown, by it */
async function changeSuspension(
  context: Context,
  tx: Tx,
  id: string,
  { suspended, hides }: Pick<Suspending, 'suspended' | 'hides'>,
): Promise<number> {
  if (suspended) await endCredentials(tx, id)
  // The claims of the last sign-in are void from now on, even after a reinstatement.
  const changes = suspended ? { suspendedAt: context.now(), claimsOperator: false } : { suspendedAt: null }
  await updateAccount(tx, id, changes)
  return hides || !suspended ? hideWithOwner(context, tx, id, { isSuspended: suspended }) : 0
}

async function setQuota(
  context: Context,
  tx: Tx,
  tell: Tell,
  { caller, slug, quotaBytes }: Changing & { quotaBytes: number | null },
): Promise<void> {
  const account = await lockNamed(tx, slug)
  await demandCredential(context, tx, caller)
  if (account.quotaBytes === quotaBytes) return
  await updateAccount(tx, account.id, { quotaBytes })
  const details = { quotaBytes, before: account.quotaBytes }
  tell({ action: 'account.quota', account: account.id, target: slug, details })
}

/** Appoints an owner only for an organization without an active owner: operators cannot take over others. */
async function nameOwner(
  context: Context,
  tx: Tx,
  tell: Tell,
  { caller, slug, owner }: Changing & { owner: string },
): Promise<void> {
  const org = await lockNamed(tx, slug)
  demandOrg(org)
  await demandCredential(context, tx, caller)
  if (await hasOwnerWhoActs(tx, org.id)) throw new RegistryError('has_owner', { details: { org: slug } })
  const user = await demandUser(tx, owner)
  if (user.suspendedAt !== null) {
    throw wrong('owner', 'must be a user who is not suspended')
  }
  const before = await findMemberRole(tx, org.id, user.id)
  const member = { orgId: org.id, userId: user.id, role: 'owner', since: context.now() } as const
  await onMissingRow('account_not_found', { slug: owner }, () => putMember(tx, member))
  tell({ action: 'member.set', account: org.id, target: owner, details: { role: 'owner', before } })
}

async function erase(
  context: Context,
  caller: Caller,
  slug: string,
  { confirmed = false }: { confirmed?: boolean },
): Promise<{ organizationsWithoutOwner: string[] }> {
  return audited(context, caller, async (tx, tell) => {
    const account = await lockOther(context, tx, caller, slug, 'update')
    const cited = confirmed ? [] : await publicSlugsOf(tx, account.id, citedMax)
    if (cited.length > 0) {
      const collections = cited.map((one) => `${account.slug}/${one}`)
      throw new RegistryError('has_public_collections', { details: { collections } })
    }
    const at = context.now()
    const anonymous = { slug: erasedSlug(), displayName: 'Erased account' }
    await keepAllHidden(context, tx, account.id)
    const organizationsWithoutOwner = await soleOwnerOf(tx, account.id)
    await erasePerson(tx, account, { ...anonymous, at })
    await renameOwnerOfCollections(tx, account.id, anonymous)
    tell({ action: 'account.erased', account: account.id, target: anonymous.slug })
    return { organizationsWithoutOwner }
  })
}
