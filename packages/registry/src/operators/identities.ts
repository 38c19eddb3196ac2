/** Links identities to accounts: after a change of the identity provider, a person keeps the account. */

import {
  endCredentials,
  findAccountByIdentity,
  type IdentityKey,
  insertIdentity,
  lockAccount,
  moveIdentity,
  type Tx,
  updateAccount,
} from '@ulmus/storage'
import type { LinkedIdentity, LinkIdentity } from '@ulmus/wire'
import { audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'
import { lockPerson, wrong } from './accounts.ts'

/**
 * Links an identity to the account with this slug. The caller must be an operator (`operators.ts` checks it).
 * @param slug of a user; `move`: also take the identity from another account
 * @throws account_not_found, not_a_user, identity_taken, invalid_request for an erased person, or for the issuer of OIDC_ISSUER with a
 * slash more or less at its end
 */
export const linkIdentity = (
  context: Context,
  caller: Caller,
  slug: string,
  { move = false, ...identity }: LinkIdentity,
): Promise<LinkedIdentity> =>
  audited(context, caller, async (tx, tell) => {
    const account = await lockPerson(context, tx, caller, slug)
    demandExactIssuer(identity.issuer, context.operators.issuer)
    const holder = await findAccountByIdentity(tx, identity)
    if (holder?.id === account.id) return { account: slug, movedFrom: null }
    if (holder !== undefined && !move) throw taken(holder.slug)
    const isLinked =
      holder === undefined
        ? await insertIdentity(tx, identity, account.id)
        : await take(tx, identity, { from: holder.id, to: account.id })
    // Another request linked it meanwhile.
    if (!isLinked) throw taken((await findAccountByIdentity(tx, identity))?.slug ?? slug)
    const movedFrom = holder?.slug ?? null
    const details = { issuer: identity.issuer, formerly: movedFrom }
    for (const id of [account.id, ...(holder === undefined ? [] : [holder.id])])
      tell({ action: 'identity.linked', account: id, target: slug, details })
    return { account: slug, movedFrom }
  })

/** Sign-ins compare issuers exactly, so such an identity would never sign in. Other issuers are allowed: the provider may change soon. */
function demandExactIssuer(issuer: string, configured: string | undefined): void {
  if (configured === undefined || issuer === configured) return
  if (issuer.replace(/\/$/, '') !== configured.replace(/\/$/, '')) return
  const has = configured.endsWith('/') ? 'has a' : 'has no'
  throw wrong(
    'issuer',
    `must be exactly OIDC_ISSUER, which ${has} slash at its end: sign-ins would not find this identity`,
  )
}

/** Moves an identity from another account. Ends that account's sessions and drops its operator claim. */
async function take(
  tx: Tx,
  identity: IdentityKey,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  await lockAccount(tx, from)
  await endCredentials(tx, from)
  await updateAccount(tx, from, { claimsOperator: false })
  return moveIdentity(tx, identity, from, to)
}

const taken = (account: string) => new RegistryError('identity_taken', { details: { account } })
