/** Browser sessions: an opaque token of 256 bits, stored as its hash, which expires some days after its last use. http-api §2. */
import { randomBytes } from 'node:crypto'
import { hashText } from '@ulmus/content'
import {
  deleteSession,
  deleteSessionOf,
  deleteSessionsBut,
  extendSession,
  findSession,
  insertSession,
  listSessions,
} from '@ulmus/storage'
import type { BrowserSession } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { mayManageAccount } from '../access/policy.ts'
import { suspendedError } from '../access/suspended.ts'
import { isUuid } from '../answers/pages.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { actingAccount, type Caller, demandCaller, type Principal } from '../principal.ts'

/** Outcome of resolving a token. */
export interface OpenSession {
  readonly caller: Caller
  /** The new expiry, if this use extended the session. */
  readonly extendedTo?: Date
}

/** Cuts longer `User-Agent`s. Characters. */
const userAgentMax = 400
/** Maximum sessions in a list. */
const listedMax = 100
const dayMilliseconds = 86_400_000
/** Extend a session only by at least this much: most reads then need no write. */
const extendByMin = dayMilliseconds

/** base64url of 32 bytes. */
const tokenShape = /^[\w-]{43}$/

export type Sessions = ReturnType<typeof sessionsOf>

export function sessionsOf(context: Context) {
  const { database } = context
  return {
    /**
     * Begins a session. Only this result contains its token.
     * @param about `userAgent`: the browser's header, cut to 400 characters; `address`: the client's address
     * @throws sign_in_failed when the account is gone by now.
     */
    open: (
      account: SignedIn,
      about: { userAgent?: string | undefined; address?: string } = {},
    ): Promise<{ token: string; expiresAt: Date }> => openSession(context, account, about),

    /** Resolves a token to its session; undefined if it is unknown or expired. */
    async resolve(token: string, address?: string): Promise<OpenSession | undefined> {
      const now = context.now()
      const session = tokenShape.test(token) ? await findSession(database, hashText(token)) : undefined
      if (session === undefined || session.expiresAt <= now) return undefined
      if (session.suspendedAt !== null) throw await suspendedError(context, session.accountId)
      const { accountId, accountSlug, tokenHash } = session
      const caller: Caller = {
        kind: 'session',
        accountId,
        accountSlug,
        scope: 'admin',
        limitedTo: null,
        credential: { session: tokenHash },
        expiresAt: null,
        means: address === undefined ? {} : { address },
      }
      const extendedTo = endFrom(context, now)
      if (extendedTo.getTime() - session.expiresAt.getTime() < extendByMin || (await context.space.isFull()))
        return { caller }
      await database.transact((tx) =>
        extendSession(tx, tokenHash, { lastUsedAt: now, expiresAt: extendedTo }),
      )
      return { caller, extendedTo }
    },

    /** Lists the 100 last used sessions of the caller's account, the latest first. @throws insufficient_scope, key_limited */
    async list(who: Principal): Promise<BrowserSession[]> {
      const caller = ownerOf(who)
      const rows = await listSessions(database, caller.accountId, { now: context.now(), limit: listedMax })
      const own = sessionOf(caller)
      return rows.map(({ tokenHash, id, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
        ...{ id, userAgent, createdAt: instantText(createdAt), lastUsedAt: instantText(lastUsedAt) },
        ...{ expiresAt: instantText(expiresAt), current: tokenHash === own },
      }))
    },

    /** Ends a session of the caller's account. @throws session_not_found, insufficient_scope, key_limited */
    async endOne(who: Principal, id: string): Promise<void> {
      const caller = ownerOf(who)
      if (!isUuid(id)) throw new RegistryError('session_not_found')
      await audited(context, who, async (tx, tell) => {
        await demandCredential(context, tx, caller)
        if (!(await deleteSessionOf(tx, caller.accountId, id))) throw new RegistryError('session_not_found')
        tell({ action: 'session.ended', account: caller.accountId, target: id })
      })
    },

    /** Ends all sessions of the caller's account except this one. @throws insufficient_scope, key_limited */
    async endOthers(who: Principal): Promise<void> {
      const caller = ownerOf(who)
      await audited(context, who, async (tx, tell) => {
        await demandCredential(context, tx, caller)
        const ended = await deleteSessionsBut(tx, caller.accountId, sessionOf(caller))
        if (ended > 0) tell({ action: 'session.ended', account: caller.accountId, target: 'all others' })
      })
    },

    /** Ends a session; ignores an unknown token. */
    async end(token: string): Promise<void> {
      if (tokenShape.test(token)) await database.transact((tx) => deleteSession(tx, hashText(token)))
    },
  }
}

/** Account to begin a session for. */
interface SignedIn {
  readonly id: string
  readonly slug: string
}

const endFrom = ({ limits }: Context, now: Date) =>
  new Date(now.getTime() + limits.sessionDays * dayMilliseconds)

async function openSession(
  context: Context,
  { id: accountId, slug: accountSlug }: SignedIn,
  { userAgent = '', address }: { userAgent?: string | undefined; address?: string },
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = context.now()
  const expiresAt = endFrom(context, createdAt)
  const session = {
    ...{ tokenHash: hashText(token), id: newId(), accountId },
    userAgent: userAgent.replaceAll(/[^ -~]/g, '').slice(0, userAgentMax),
    ...{ createdAt, lastUsedAt: createdAt, expiresAt },
  }
  const who = { ...actingAccount(accountId, address === undefined ? {} : { address }), accountSlug }
  await onMissingRow('sign_in_failed', { reason: 'The account was just deleted.' }, () =>
    audited(context, who, async (tx, tell) => {
      await insertSession(tx, session)
      tell({ action: 'account.signed_in', account: accountId, target: accountSlug })
    }),
  )
  return { token, expiresAt }
}

/** Requires a caller who may list the account's browser sessions. @throws unauthenticated, insufficient_scope, key_limited */
function ownerOf(who: Principal): Caller {
  demand(mayManageAccount(who, 'owner'), { needed: 'admin' })
  return demandCaller(who)
}

/** Hash of the caller's session token; undefined for an API key. */
const sessionOf = ({ credential }: Caller): string | undefined =>
  credential !== null && 'session' in credential ? credential.session : undefined
