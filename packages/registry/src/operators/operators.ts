/**
 * What operators of the registry do: look after accounts, see what is stored and under way, and read every audit log. http-api §11. An
 * operator is who the configuration names, by identity or by what the identity provider said at the last sign-in.
 */
import {
  type AccountItem,
  type AuditFilter,
  countAll,
  countJobs,
  countPushesUnderWay,
  endCredentials,
  erasePerson,
  findAccountById,
  findAccountBySlug,
  identitiesOf,
  type JobCount,
  listAccounts,
  listAuditEvents,
  lockAccount,
  renameOwnerOfCollections,
  soleOwnerOf,
  storedBytes,
  type Tx,
  updateAccount,
} from '@ulmus/storage'
import { demandCredential } from '../access/authority.ts'
import { demandCaller } from '../access/caller.ts'
import { mayEnter } from '../access/policy.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { isAccountSlug } from '../access/slugs.ts'
import { type AccountProfile, profileOf } from '../accounts/accounts.ts'
import { demandUser } from '../accounts/organizations.ts'
import { byText, mapPage, type Page, type PageAsk, pageOf } from '../answers/pages.ts'
import { audited } from '../audit/acts.ts'
import { type AuditAsk, type AuditEvent, filterBy, newestFirst, placeOf, shownEvent } from '../audit/audit.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { instantTextOrNull } from '../instants.ts'

export interface OperatedAccount extends AccountProfile {
  readonly email: string | null
  readonly suspendedAt: string | null
  readonly collections: number
}

export interface Usage {
  readonly users: number
  readonly organizations: number
  readonly suspended: number
  readonly collections: number
  readonly publicCollections: number
  readonly versions: number
  /** Bytes in the stores: of packs, of files, and of what a sweep has set aside. */
  readonly bytes: { readonly packs: number; readonly files: number; readonly setAside: number }
}

export interface JobsUnderWay {
  readonly pushes: { readonly open: number; readonly committing: number }
  readonly queues: JobCount[]
}

const bySlug = byText('slug')

export type Operators = ReturnType<typeof operatorsOf>

export function operatorsOf(context: Context) {
  const { database } = context
  /** @throws unauthenticated, insufficient_scope, key_limited, not_an_operator */
  const demandOperator = async (who: Principal): Promise<Caller> => {
    const caller = demandCaller(who)
    demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
    if (!(await isOperator(context, caller))) throw new RegistryError('not_an_operator')
    return caller
  }
  return {
    /** Whether whoever asks is an operator, whatever its credential may do. */
    async is(who: Principal): Promise<boolean> {
      return who.kind !== 'anonymous' && (await isOperator(context, who))
    },

    /** All accounts by slug. @param ask `q`: part of a slug, a name or an e-mail address */
    async accounts(
      who: Principal,
      { q, ...ask }: PageAsk & { q?: string | undefined },
    ): Promise<Page<OperatedAccount>> {
      await demandOperator(who)
      const place = ({ account }: AccountItem) => ({ value: account.slug, id: account.id })
      const page = await pageOf(ask, bySlug, (slice) => listAccounts(database, q, slice), place)
      return mapPage(page, ({ account, collections }) => ({
        ...profileOf(account),
        ...{ email: account.email, suspendedAt: instantTextOrNull(account.suspendedAt), collections },
      }))
    },

    /**
     * Takes no credential of a user any more, or takes them again. Its browsers are signed out; what is public of it stays so.
     * @throws account_not_found, not_a_user, invalid_request for the operator itself
     */
    suspend: (who: Principal, slug: string, suspended: boolean): Promise<void> =>
      demandOperator(who).then((caller) => suspend(context, caller, slug, suspended)),

    /**
     * Leaves nothing of a person but an account under another name, which owns what the person did.
     * @returns organizations that have no owner now
     * @throws account_not_found, not_a_user, invalid_request for the operator itself
     */
    erase: (who: Principal, slug: string): Promise<{ organizationsWithoutOwner: string[] }> =>
      demandOperator(who).then((caller) => erase(context, caller, slug)),

    async usage(who: Principal): Promise<Usage> {
      await demandOperator(who)
      const [counts, bytes] = await Promise.all([countAll(database), storedBytes(database)])
      return { ...counts, bytes }
    },

    async jobs(who: Principal): Promise<JobsUnderWay> {
      await demandOperator(who)
      const [pushes, queues] = await Promise.all([countPushesUnderWay(database), countJobs(database)])
      return { pushes, queues }
    },

    /** Every log, the newest first. */
    async audit(who: Principal, ask: AuditAsk & PageAsk): Promise<Page<AuditEvent>> {
      await demandOperator(who)
      const filter: AuditFilter | undefined = await filterBy(context, ask)
      if (filter === undefined) return { items: [], links: {} }
      const page = await pageOf(
        ask,
        newestFirst,
        (slice) => listAuditEvents(database, filter, slice),
        placeOf,
      )
      return mapPage(page, shownEvent)
    },
  }
}

async function isOperator({ database, operators }: Context, { accountId }: Caller): Promise<boolean> {
  if (operators.byClaim && (await findAccountById(database, accountId))?.claimsOperator === true) return true
  if (operators.identities.length === 0) return false
  const own = await identitiesOf(database, accountId)
  return own.some(({ issuer, subject }) =>
    operators.identities.some((named) => named.issuer === issuer && named.subject === subject),
  )
}

/** A user that is not the operator itself, locked. */
async function lockOther(context: Context, tx: Tx, caller: Caller, slug: string, strength?: 'update') {
  const found = isAccountSlug(slug) ? await findAccountBySlug(tx, slug) : undefined
  const account = found && (await lockAccount(tx, found.id, strength))
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  await demandUser(tx, account.slug)
  await demandCredential(context, tx, caller)
  if (account.id !== caller.accountId) return account
  const issues = [{ path: 'slug', message: 'must be of another account than your own' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}

async function suspend(context: Context, caller: Caller, slug: string, suspended: boolean): Promise<void> {
  await audited(context, caller, async (tx, tell) => {
    const { id, suspendedAt } = await lockOther(context, tx, caller, slug)
    if ((suspendedAt !== null) === suspended) return
    if (suspended) await endCredentials(tx, id)
    await updateAccount(tx, id, { suspendedAt: suspended ? context.now() : null })
    tell({ action: 'account.suspended', account: id, target: slug, details: { suspended } })
  })
}

async function erase(
  context: Context,
  caller: Caller,
  slug: string,
): Promise<{ organizationsWithoutOwner: string[] }> {
  return audited(context, caller, async (tx, tell) => {
    const account = await lockOther(context, tx, caller, slug, 'update')
    const at = context.now()
    // Cannot be chosen by anybody else: it is made of the account's id.
    const anonymous = {
      slug: `erased-${account.id.replaceAll('-', '').slice(-24)}`,
      displayName: 'Erased account',
    }
    const organizationsWithoutOwner = await soleOwnerOf(tx, account.id)
    await erasePerson(tx, account, { ...anonymous, at })
    await renameOwnerOfCollections(tx, account.id, anonymous)
    tell({ action: 'account.erased', account: account.id, target: anonymous.slug })
    return { organizationsWithoutOwner }
  })
}
