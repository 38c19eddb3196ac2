/** Helpers for tests of landings: the outcome as a word, and audit rows. */
import { randomUUID } from 'node:crypto'
import type { AuditEventRow } from '../audit/audit-events.ts'
import type { VersionRow } from '../versions/versions.ts'
import { NotLandedError } from './land-version.ts'

/** `landed`, or the reason of the refusal. */
export const outcomeOf = async (landing: Promise<void>): Promise<'landed' | NotLandedError['why']> => {
  try {
    await landing
    return 'landed'
  } catch (error) {
    if (error instanceof NotLandedError) return error.why
    throw error
  }
}

/** Audit row of a version. */
export const auditFor = (version: VersionRow): AuditEventRow => ({
  ...{ id: randomUUID(), at: version.createdAt, accountId: version.madeBy, actorId: version.madeBy },
  ...{ action: 'version.made', means: { address: '::1' }, target: version.id, details: {} },
})
