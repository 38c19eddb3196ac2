/**
 * Repeated access checks. A request with a slow body or a long wait may lose its authority before it records anything. Every
 * write therefore checks again in its own transaction, and a revocation waits for that transaction (storage `authority.ts`).
 */
import {
  type Authority,
  isForeignKeyViolation,
  lockAccount,
  lockCredential,
  lockStanding,
  type Means,
  type Tx,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { actingAccount, type Caller } from '../principal.ts'
import { demandIn } from './find-collection.ts'
import {
  type Decision,
  type Grant,
  grants,
  mayDo,
  maySee,
  type Permission,
  type Role,
  roles,
} from './policy.ts'

/** The caller and the collection with its owner, as found at the start of the request. */
export interface Acting {
  readonly who: Caller
  readonly collection: { readonly id: string; readonly slug: string; readonly newestWithdrawn: string | null }
  readonly owner: { readonly id: string; readonly slug: string }
}

type Clock = Pick<Context, 'now'>

/**
 * Checks a permission again and locks the result until the transaction ends. Runs one statement.
 * @throws unauthenticated; collection_not_found, also if the collection has another owner by now; the refusal of the permission.
 */
export async function demandStill(
  { now }: Clock,
  tx: Tx,
  { who, collection, owner }: Acting,
  permission: Permission = 'write',
): Promise<void> {
  const { accountId, credential } = who
  const found = await lockStanding(tx, { collectionId: collection.id, accountId, credential, now: now() })
  if (!found.isGood) throw credentialGone(who)
  const { collection: current, role, grant } = found
  if (current?.ownerId !== owner.id || !maySee(who, { collection: current, role, grant }))
    throw new RegistryError('collection_not_found', { say: { owner: owner.slug, slug: collection.slug } })
  demandIn(who, { collection: current, role, grant, owner }, permission)
}

/** Checks now, without locks: before expensive work, or to explain why a checking statement changed nothing. */
export const demandNow = (
  context: Pick<Context, 'now' | 'database'>,
  acting: Acting,
  permission?: Permission,
): Promise<void> => context.database.transactOnce((tx) => demandStill(context, tx, acting, permission))

/** Locks the credential until the transaction ends, for acts that concern no collection. @throws unauthenticated */
export async function demandCredential({ now }: Clock, tx: Tx, who: Caller): Promise<void> {
  if (!(await lockCredential(tx, who, now()))) throw credentialGone(who)
}

/**
 * Locks the caller's account and credential until the transaction ends; the account lock also makes counts of its data wait.
 * @throws unauthenticated
 */
export async function demandOwnAccount(clock: Clock, tx: Tx, who: Caller): Promise<void> {
  if ((await lockAccount(tx, who.accountId)) === undefined) throw new RegistryError('unauthenticated')
  await demandCredential(clock, tx, who)
}

/** Parameters for statements that check write permission themselves. */
export function authorityOf({ now }: Clock, { who, collection, owner }: Acting): Authority {
  // The right to write does not depend on visibility.
  const facts = { id: collection.id, public: false }
  const isEnough = (held: { role: Role | null; grant: Grant | null }) =>
    mayDo(who, { collection: facts, ...held }, 'write')
  return {
    ...authorityIn({ now }, who, owner.id, (role) => isEnough({ role, grant: null })),
    granted: {
      collectionId: collection.id,
      grants: grants.filter((grant) => isEnough({ role: null, grant }) === 'ok'),
    },
  }
}

/** Like `authorityOf`, for writing in an account. */
export function authorityIn(
  { now }: Clock,
  who: Caller,
  ownerId: string,
  may: (role: Role) => Decision,
): Authority {
  const { accountId, credential } = who
  return { accountId, credential, ownerId, roles: roles.filter((role) => may(role) === 'ok'), now: now() }
}

/**
 * Authority of background work: a job, or another server than the one that got the request. The request's credential was checked when
 * the work was accepted; the account's right to write is checked when it lands.
 */
export const onBehalfOf = (
  { accountId, means }: { accountId: string; means: Means | null },
  { collection, owner }: Pick<Acting, 'collection' | 'owner'>,
): Acting => ({ who: actingAccount(accountId, means ?? {}), collection, owner })

function credentialGone({ kind }: Caller): RegistryError {
  const what = kind === 'key' ? 'This API key was revoked or expired' : 'This session ended'
  return new RegistryError('unauthenticated', {
    say: { reason: `${what} during the request. Nothing was recorded.` },
  })
}

/** Runs `work`. @throws the refusal with this code when `work` fails because a row that it refers to is gone. */
export async function onMissingRow<T>(
  code: 'account_not_found' | 'collection_not_found' | 'unauthenticated' | 'sign_in_failed',
  say: Record<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new RegistryError(code, { say, cause: error })
  }
}
