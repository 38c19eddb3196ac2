/** Lease on a push session. Transactions that change the session's row or runs check it. */
import type { PushRow } from '@ulmus/storage'
import { RegistryError } from '../../errors/errors.ts'

export interface Lease {
  readonly pushId: string
  /** Of no other taking, also by the same server. */
  readonly holder: string
}

export function leaseOf({ id, leaseHolder }: PushRow): Lease {
  if (leaseHolder === null) throw new Error(`push session ${id} has no lease holder`)
  return { pushId: id, holder: leaseHolder }
}

/** Ends the work on a commit that another process has taken over. No caller sees it: the row has the commit's outcome. */
export const leaseLost = (): RegistryError =>
  new RegistryError('push_not_open', { say: { status: 'committed elsewhere' } })
