/**
 * API keys: creation, list, revocation, and look-up of the caller. interface.md "API key", http-api §3. The database has only the
 * hash of a key: the raw key is returned once, to its creator.
 */

import { hashText } from '@ulmus/content'
import {
  countLiveKeys,
  deleteKey,
  deleteKeysExpiredBefore,
  findCollectionById,
  findKeyByHash,
  findKeyOf,
  insertKey,
  type KeyRow,
  listKeys,
  type Tx,
  touchKey,
} from '@ulmus/storage'
import type { CreateKey, Key } from '@ulmus/wire'
import { LRUCache } from 'lru-cache'
import { v7 as newId } from 'uuid'
import { demandCredential, demandOwnAccount, onMissingRow } from '../access/authority.ts'
import { findNamedCollection } from '../access/find-collection.ts'
import {
  type KeyFacts,
  mayHandleKey,
  mayListKey,
  mayMakeKeyUntil,
  maySee,
  usualRoleCap,
} from '../access/policy.ts'
import { isRawKey, keyStartLength, makeRawKey } from '../access/raw-key.ts'
import { suspendedError } from '../access/suspended.ts'
import { isUuid } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { instantText, instantTextOrNull, readInstant } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { actingAccount, type Caller, demandCaller, type Principal } from '../principal.ts'
import { itemOf, limitsOf, namesOf } from './key-answers.ts'

/** Maximum valid keys of an account, neither expired nor revoked, as in docs/limits.md. */
export const liveKeysMax = 100
/** Days before the expiry of a key when its answers and the page of keys begin to say so. */
export const soonDays = 14
/** Days for which an expired key is still listed. */
const expiredKeyDays = 30
const minuteMilliseconds = 60_000
/** Keys whose last use this process remembers. */
const rememberedUsesMax = 10_000

export type Keys = ReturnType<typeof keysOf>

export function keysOf(context: Context) {
  const { database } = context
  const uses = usesOf(context)
  return {
    /**
     * Makes a key for the caller's account. Only this result contains the raw key.
     * @throws insufficient_scope, insufficient_role (a capped key would make one without a cap), key_limited (also for a key that
     * would outlive the caller's), invalid_request (an `expiresAt` in the past, or after 9999; a capped key of scope `admin`),
     * collection_not_found, too_many_keys
     */
    create: (who: Principal, wanted: CreateKey): Promise<MadeKey> => createKey(context, who, wanted),

    /** Keys of the caller's account, the oldest first. A limited key lists only keys limited to some of its collections. */
    async list(who: Principal): Promise<Key[]> {
      const caller = demandCaller(who)
      const keys = await listKeys(database, caller.accountId)
      const listed = keys.filter((key) => mayListKey(caller, key))
      const names = await namesOf(database, caller.accountId, listed)
      return listed.map((key) => itemOf(key, names))
    },

    /** @throws key_not_found (also for a key of another account), insufficient_scope, insufficient_role, key_limited */
    async revoke(who: Principal, id: string): Promise<void> {
      const caller = demandCaller(who)
      const key = isUuid(id) ? await findKeyOf(database, caller.accountId, id) : undefined
      if (key === undefined) throw new RegistryError('key_not_found')
      const facts: KeyFacts = key
      demandMayHandle(caller, facts)
      await audited(context, who, async (tx, tell) => {
        await demandCredential(context, tx, caller)
        if (!(await deleteKey(tx, id))) throw new RegistryError('key_not_found')
        const { label, scope } = key
        tell({ action: 'key.revoked', account: caller.accountId, target: id, details: { label, scope } })
      })
    },

    /**
     * Resolves a key to its caller with one look-up, or none if the text cannot be a key.
     * @param address of the request
     * @throws unauthenticated, account_suspended
     */
    async resolve(raw: string, address?: string): Promise<Caller> {
      if (!isRawKey(raw)) throw bad('This is not an API key, or it is incomplete.')
      const key = await findKeyByHash(database, hashText(raw))
      if (key === undefined) throw bad('This API key does not exist, or it was revoked.')
      if (key.suspendedAt !== null) throw await suspendedError(context, key.accountId)
      const now = context.now()
      if (key.expiresAt !== null && key.expiresAt <= now)
        throw bad(`This API key expired at ${instantText(key.expiresAt)}.`)
      const { id, label, accountId, accountSlug, scope, collectionIds, expiresAt, workload, roleCap } = key
      if (workload !== null && !context.issuers.some(({ issuer }) => issuer === workload.issuer))
        throw bad('This registry no longer trusts the issuer that this API key was made for.')
      const caller: Caller = {
        ...{ kind: 'key', accountId, accountSlug, scope, limitedTo: collectionIds },
        ...{ credential: { key: id }, expiresAt },
        ...(roleCap !== null && { roleCap }),
        means: {
          key: { id, label },
          ...(workload !== null && { workload }),
          ...(address !== undefined && { address }),
        },
      }
      // The exchange of a publisher's key was recorded already.
      if (workload === null) uses.note(key, caller, now)
      return caller
    },

    /**
     * Expiry of the caller's key, if it ends within 14 days; undefined otherwise, and for keys of trusted publishers, which live for
     * minutes. ISO 8601.
     */
    soonEnding({ kind, expiresAt, means }: Caller): string | undefined {
      if (kind !== 'key' || expiresAt === null || means?.workload !== undefined) return undefined
      const left = expiresAt.getTime() - context.now().getTime()
      return left < soonDays * 86_400_000 ? instantText(expiresAt) : undefined
    },

    /** Resolves when every use noted so far is written. */
    settle: () => uses.settle(),
  }
}

/** A new key. Only this contains the raw key. */
export type MadeKey = Omit<Key, 'start' | 'createdAt' | 'lastUsedAt'> & { key: string }

async function createKey(context: Context, who: Principal, wanted: CreateKey): Promise<MadeKey> {
  const caller = demandCaller(who)
  const { collectionId = null, collections } = wanted
  const named = collections && (await idsOf(context, caller, collections))
  const collectionIds = named ?? (collectionId === null ? null : [collectionId])
  const { label, scope, roleCap = usualRoleCap(caller, { scope, collectionIds }) } = wanted
  if (scope === 'admin' && roleCap !== null) throw cappedAdmin()
  demandMayHandle(caller, { scope, collectionIds, roleCap })
  const now = context.now()
  const expiresAt = wanted.expiresAt === undefined ? caller.expiresAt : expiryOf(wanted.expiresAt, now)
  demand(mayMakeKeyUntil(caller, expiresAt), { until: caller.expiresAt?.toISOString() })
  if (collectionId !== null) await demandReadable(context, caller.accountId, collectionId)
  const { accountId } = caller
  return audited(context, who, async (tx, tell) => {
    await demandOwnAccount(context, tx, caller)
    return addKey(context, tx, { accountId, label, scope, collectionIds, roleCap, expiresAt }, tell)
  })
}

/** @throws insufficient_scope, insufficient_role, key_limited, publisher_key */
export const demandMayHandle = (caller: Caller, key: KeyFacts): void =>
  demand(mayHandleKey(caller, key), { needed: key.scope, isAboutKey: true })

/** The scope and the cap contradict each other: `admin` manages, and a member manages nothing. */
const cappedAdmin = () =>
  new RegistryError('invalid_request', {
    details: {
      issues: [
        {
          path: 'roleCap',
          message: 'must be null for the scope `admin`. Choose `write` for a key that publishes',
        },
      ],
    },
  })

/** A key to insert, in a transaction that has locked its account. */
export interface KeyToAdd
  extends Pick<KeyRow, 'accountId' | 'label' | 'scope' | 'collectionIds' | 'roleCap' | 'expiresAt'> {}

const ofNoPublisher = { publisherId: null, workload: null }

/** @throws too_many_keys, collection_not_found */
export async function addKey(
  context: Pick<Context, 'now'>,
  tx: Tx,
  wanted: KeyToAdd,
  tell: Tell,
): Promise<MadeKey> {
  const now = context.now()
  const { accountId, label, scope, collectionIds, roleCap, expiresAt } = wanted
  const live = await countLiveKeys(tx, accountId, now)
  if (live >= liveKeysMax) throw new RegistryError('too_many_keys', { say: { max: liveKeysMax } })
  await deleteKeysExpiredBefore(tx, accountId, new Date(now.getTime() - expiredKeyDays * 86_400_000))
  const key = makeRawKey()
  const id = newId()
  const secret = { hash: hashText(key), start: key.slice(0, keyStartLength) }
  const row: KeyRow = { id, ...wanted, ...secret, createdAt: now, lastUsedAt: null, ...ofNoPublisher }
  await onMissingRow('collection_not_found', {}, () => insertKey(tx, row))
  const limits = limitsOf(row, await namesOf(tx, accountId, [row]))
  const made = { id, key, label, scope, ...limits, roleCap, expiresAt: instantTextOrNull(expiresAt) }
  const collection = collectionIds?.length === 1 ? collectionIds[0]! : null
  const details = {
    ...{ label, scope, collection, roleCap, expiresAt: made.expiresAt },
    ...(collectionIds !== null && collection === null && { collections: collectionIds.length }),
  }
  tell({ action: 'key.made', account: accountId, target: id, details })
  return made
}

/** @throws collection_not_found unless the account may read the collection, whatever the caller's credential */
async function demandReadable(context: Context, accountId: string, collectionId: string): Promise<void> {
  const account = actingAccount(accountId)
  const found = await findCollectionById(context.database, collectionId, accountId)
  if (found === undefined || !maySee(account, found)) throw new RegistryError('collection_not_found')
}

/**
 * Ids of named collections that the account may read. A limited key finds no others than it can read: it must not learn which
 * collections its account sees. @throws collection_not_found
 */
async function idsOf(context: Context, caller: Caller, names: readonly string[]): Promise<string[]> {
  const who = caller.limitedTo === null ? actingAccount(caller.accountId) : caller
  const ids = new Set<string>()
  for (const name of names) {
    const [owner = '', slug = ''] = name.split('/')
    ids.add((await findNamedCollection(context, who, { owner, slug })).collection.id)
  }
  return [...ids]
}

/** Last uses of keys, written in the background at most once a minute per key. */
function usesOf(context: Context) {
  const { space, log } = context
  const noted = new LRUCache<string, number>({ max: rememberedUsesMax })
  const writing = new Set<Promise<void>>()
  return {
    note({ id, label, lastUsedAt }: KeyRow, caller: Caller, now: Date): void {
      const minute = Math.floor(now.getTime() / minuteMilliseconds) * minuteMilliseconds
      if ((lastUsedAt !== null && lastUsedAt.getTime() >= minute) || noted.get(id) === minute) return
      noted.set(id, minute)
      const touch = async () => {
        if (await space.isFull()) return
        await audited(context, caller, async (tx, tell) => {
          const { isFirst } = await touchKey(tx, id, new Date(minute))
          if (isFirst)
            tell({ action: 'key.first_used', account: caller.accountId, target: id, details: { label } })
        })
      }
      const write = touch()
        .catch((error: unknown) => {
          noted.delete(id)
          log.warn({ err: error }, 'The last use of an API key could not be written.')
        })
        .finally(() => writing.delete(write))
      writing.add(write)
    },
    async settle(): Promise<void> {
      await Promise.all(writing)
    },
  }
}

function expiryOf(expiresAt: string | null, now: Date): Date | null {
  if (expiresAt === null) return null
  const date = readInstant('expiresAt', expiresAt)
  if (date > now) return date
  const issues = [{ path: 'expiresAt', message: 'must be later than now' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}

const bad = (reason: string) =>
  new RegistryError('unauthenticated', {
    say: { reason: `${reason} Create another one, or omit the header.` },
  })
