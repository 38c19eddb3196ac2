/** Operators of the registry: the configuration names them by identity, or by a claim of the identity provider at the last sign-in. */
import { findAccountById, identitiesOf } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { type Caller, demandCaller, type Principal } from '../principal.ts'
import { mayEnter } from './policy.ts'

/** @throws unauthenticated, insufficient_scope, key_limited, not_an_operator */
export async function demandOperator(context: Context, who: Principal): Promise<Caller> {
  const caller = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  if (!(await isOperator(context, caller))) throw new RegistryError('not_an_operator')
  return caller
}

export async function isOperator(
  { database, operators }: Context,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<boolean> {
  if (operators.byClaim && (await findAccountById(database, accountId))?.claimsOperator === true) return true
  if (operators.identities.length === 0) return false
  const own = await identitiesOf(database, accountId)
  return own.some(({ issuer, subject }) =>
    operators.identities.some((named) => named.issuer === issuer && named.subject === subject),
  )
}
