/** What whoever commits a session holds meanwhile. Whatever changes the session's row or runs demands it in its transaction. */
import type { PushRow } from '@ulmus/storage'
import { RegistryError } from '../../errors/errors.ts'

export interface Lease {
  readonly pushId: string
  /** Of no other taking, also by the same server. */
  readonly holder: string
}

export function leaseOf({ id, leaseHolder }: PushRow): Lease {
  if (leaseHolder === null) throw new Error(`push session ${id} is committed by nobody`)
  return { pushId: id, holder: leaseHolder }
}

/** Ends the work on a commit that somebody else has taken over. Nobody is answered with it: the row says what becomes of the commit. */
export const leaseLost = (): RegistryError =>
  new RegistryError('push_not_open', { say: { status: 'committed elsewhere' } })
