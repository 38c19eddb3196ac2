/**
 * Sign-in from a terminal (RFC 8628, http-api §10): a program starts a login, a signed-in user approves it, and the program
 * fetches a key. Codes are random, work once, are stored as hashes and expire after ten minutes.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { hashText } from '@ulmus/content'
import {
  countDeviceLogins,
  type DeviceDecision,
  type DeviceLoginRow,
  decideDeviceLogin,
  deleteDeviceLogin,
  findPendingDeviceLogin,
  insertDeviceLogin,
  lockAccount,
  lockDeviceLogin,
  notePoll,
} from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import { demandCredential } from '../access/authority.ts'
import { findNamedCollection } from '../access/find-collection.ts'
import { mayMakeKeyUntil, type RoleCap } from '../access/policy.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { actingAccount, anonymous, demandCaller, type Principal, type Scope } from '../principal.ts'
import { addKey, demandMayHandle, type MadeKey } from './keys.ts'

/** Request of a program to start a login. */
export interface DeviceRequest {
  readonly scope: Scope
  /** `owner/slug`: limits the key to it. */
  readonly collection?: string | undefined
  readonly label: string
  /** `User-Agent` of the program, shown to the user who decides. */
  readonly userAgent: string
  readonly address: string
  /** Network of the address: all addresses that one machine may have. */
  readonly network: string
}

/** A started login. Only this contains the codes; the database has their hashes. */
export interface StartedLogin {
  /** Secret that the program polls with. */
  readonly deviceCode: string
  /** `WDJB-MJHT`: the code that the user types. */
  readonly userCode: string
}

/** A login for a person to approve or refuse. */
export interface PendingLogin {
  readonly label: string
  readonly scope: Scope
  readonly collection: string | null
  readonly userAgent: string
  readonly address: string
  readonly createdAt: string
}

/** Life of a login, from its start. Seconds. */
export const deviceLoginSeconds = 600
/** Seconds between two polls of a program. */
export const devicePollSeconds = 5
/** Tolerance for early polls, in milliseconds: clocks and networks are not exact. */
const pollSlack = 1_000
/** Maximum pending logins of all networks together; a further start is refused. */
const loginsMax = 10_000
/** Maximum pending logins of one network. */
const loginsOfNetworkMax = 50
/** Wrong codes that an account may try in ten minutes. At most ten thousand of some 25 thousand million codes are valid. */
const wrongCodesMax = 20
const userAgentMax = 400

/** Letters of user codes: no vowels, so that codes spell no words, and no letters that look alike (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLetters = 8

export function deviceLoginsOf(context: Context) {
  const { database, now } = context
  const wrongCodes = new LRUCache<string, number>({ max: 10_000, ttl: deviceLoginSeconds * 1_000 })

  /** @throws device_code_not_found; rate_limited for guessing codes */
  async function findPending(accountId: string, userCode: string): Promise<DeviceLoginRow> {
    const tried = wrongCodes.get(accountId) ?? 0
    if (tried >= wrongCodesMax) throw tooMany()
    // Count before the look-up, so that simultaneous requests are bounded, too.
    wrongCodes.set(accountId, tried + 1)
    const found = await findPendingDeviceLogin(database, userHashOf(userCode), now())
    if (found === undefined) throw new RegistryError('device_code_not_found')
    wrongCodes.set(accountId, (wrongCodes.get(accountId) ?? 1) - 1)
    return found
  }

  async function decide(who: Principal, userCode: string, decision: DeviceDecision): Promise<void> {
    const caller = demandCaller(who)
    const decided = await database.transact(async (tx) => {
      await demandCredential(context, tx, caller)
      return decideDeviceLogin(tx, userHashOf(userCode), now(), decision)
    })
    if (!decided) throw new RegistryError('device_code_not_found')
  }

  return {
    /** @throws rate_limited if too many logins are pending, in this network or in all */
    start: (request: DeviceRequest): Promise<StartedLogin> => start(context, request),

    /** The login to show to a user who typed its code. @throws unauthenticated, device_code_not_found, rate_limited */
    async find(who: Principal, userCode: string): Promise<PendingLogin> {
      const { label, scope, collection, userAgent, address, createdAt } = await findPending(
        demandCaller(who).accountId,
        userCode,
      )
      return { label, scope, collection, userAgent, address, createdAt: instantText(createdAt) }
    },

    /**
     * Approves a login.
     * @param keyExpiresAt null: the key does not expire
     * @throws unauthenticated, device_code_not_found, rate_limited; insufficient_scope, insufficient_role and key_limited for a
     * caller that could not make such a key; collection_not_found
     */
    async allow(who: Principal, userCode: string, keyExpiresAt: Date | null): Promise<void> {
      const caller = demandCaller(who)
      const deviceLogin = await findPending(caller.accountId, userCode)
      const [owner = '', slug = ''] = deviceLogin.collection?.split('/') ?? []
      const found =
        deviceLogin.collection === null
          ? null
          : await findNamedCollection(context, actingAccount(caller.accountId), { owner, slug })
      const collectionId = found?.collection.id ?? null
      const { scope } = deviceLogin
      const collectionIds = collectionId === null ? null : [collectionId]
      demandMayHandle(caller, { scope, collectionIds, roleCap: roleCapOf(scope) })
      demand(mayMakeKeyUntil(caller, keyExpiresAt), { until: caller.expiresAt?.toISOString() })
      await decide(who, userCode, {
        status: 'allowed',
        accountId: caller.accountId,
        collectionId,
        keyExpiresAt,
      })
    },

    /** @throws unauthenticated, device_code_not_found, rate_limited */
    async refuse(who: Principal, userCode: string): Promise<void> {
      await findPending(demandCaller(who).accountId, userCode)
      await decide(who, userCode, { status: 'refused' })
    },

    /**
     * Returns the key once and removes the login.
     * @throws authorization_pending, slow_down, access_denied, expired_token; too_many_keys
     */
    collect: (deviceCode: string): Promise<MadeKey> => collect(context, deviceCode),
  }
}

/** The page names the scope to the user, so only the scope `admin` makes a key that manages. */
const roleCapOf = (scope: Scope): RoleCap | null => (scope === 'admin' ? null : 'member')

const tooMany = () => new RegistryError('rate_limited', { say: { retryAfter: deviceLoginSeconds } })

async function start({ database, now }: Context, request: DeviceRequest): Promise<StartedLogin> {
  const at = now()
  const { scope, collection = null, label, userAgent, address, network } = request
  const underWay = await countDeviceLogins(database, network, at)
  if (underWay.all >= loginsMax || underWay.ofNetwork >= loginsOfNetworkMax) throw tooMany()
  const deviceCode = randomBytes(32).toString('base64url')
  const typed = Array.from({ length: userCodeLetters }, () => letters[randomInt(letters.length)]).join('')
  const row: DeviceLoginRow = {
    deviceHash: hashText(deviceCode),
    userHash: userHashOf(typed),
    ...{ scope, collection, label, address, network, userAgent: userAgent.slice(0, userAgentMax) },
    ...{ createdAt: at, expiresAt: new Date(at.getTime() + deviceLoginSeconds * 1_000), polledAt: null },
    ...{ status: 'pending', accountId: null, collectionId: null, keyExpiresAt: null },
  }
  await database.transact((tx) => insertDeviceLogin(tx, row))
  return { deviceCode, userCode: `${typed.slice(0, 4)}-${typed.slice(4)}` }
}

/** Ignores case, hyphens and spaces. */
const userHashOf = (userCode: string): string => hashText(userCode.toUpperCase().replace(/[^A-Z]/g, ''))

/**
 * Answers a poll. Returns an error whose writes must stay, and throws it after the transaction. An error thrown by `addKey` rolls
 * the transaction back: the login stays for a later poll, when the account has room for the key.
 */
async function collect(context: Context, deviceCode: string): Promise<MadeKey> {
  const deviceHash = hashText(deviceCode)
  const outcome = await audited(context, anonymous, async (tx, tell): Promise<MadeKey | RegistryError> => {
    const at = context.now()
    const login = await lockDeviceLogin(tx, deviceHash)
    if (login === undefined || login.expiresAt <= at) return new RegistryError('expired_token')
    if (login.status === 'pending') {
      const since =
        login.polledAt === null ? Number.POSITIVE_INFINITY : at.getTime() - login.polledAt.getTime()
      await notePoll(tx, deviceHash, at)
      const isTooSoon = since < devicePollSeconds * 1_000 - pollSlack
      return isTooSoon ? new RegistryError('slow_down') : new RegistryError('authorization_pending')
    }
    await deleteDeviceLogin(tx, deviceHash)
    const { accountId, label, scope, collectionId, keyExpiresAt: expiresAt, address } = login
    if (accountId === null) return new RegistryError('access_denied')
    const account = await lockAccount(tx, accountId)
    if (account === undefined) return new RegistryError('expired_token')
    // Approvals from before a suspension yield no key.
    if (account.suspendedAt !== null) return new RegistryError('access_denied')
    const by = { ...actingAccount(accountId, { address }), accountSlug: account.slug }
    const collectionIds = collectionId === null ? null : [collectionId]
    return addKey(
      context,
      tx,
      { accountId, label, scope, collectionIds, roleCap: roleCapOf(scope), expiresAt },
      (act) => tell({ ...act, by }),
    )
  })
  if (outcome instanceof RegistryError) throw outcome
  return outcome
}
