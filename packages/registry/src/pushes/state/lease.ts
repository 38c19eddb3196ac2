/**
 * Lease on a push session, as transactions check it before they change the session's row or spills. `session/leases.ts` takes and
 * renews leases.
 */
import type { PushRow } from '@ulmus/storage'
import { RegistryError } from '../../errors/errors.ts'

export interface Lease {
  readonly pushId: string
  /** Unique for each lease, even on the same server. */
  readonly holder: string
}

/** The lease in a row that its holder has just read. */
export function leaseOf({ id, leaseHolder }: PushRow): Lease {
  if (leaseHolder === null) throw new Error(`push session ${id} has no lease holder`)
  return { pushId: id, holder: leaseHolder }
}

/** Error that ends the work on a commit that another process has taken over. No caller receives it: the row has the outcome. */
export const leaseLost = (): RegistryError =>
  new RegistryError('push_not_open', { say: { status: 'committed elsewhere' } })
