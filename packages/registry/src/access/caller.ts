/** Caller of a request that needs authentication. */
import { RegistryError } from '../errors/errors.ts'
import type { Caller, Principal } from './principal.ts'

/** @throws unauthenticated */
export function demandCaller(who: Principal): Caller {
  if (who.kind === 'anonymous') throw new RegistryError('unauthenticated')
  return who
}
