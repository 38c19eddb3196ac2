/**
 * Dry runs: the work of a commit up to the transaction that would record the version. The session is `checking` meanwhile, so no
 * version can result; afterwards it is open again.
 */

import { findPush, movePush, type PushRow } from '@ulmus/storage'
import type { DryRun } from '@ulmus/wire'
import { type Acting, demandNow } from '../../access/authority.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { tryVersion } from '../../versions/land.ts'
import { idleEnd } from '../state/idle-end.ts'
import { leaseOf } from '../state/lease.ts'
import { statesFor } from '../state/states.ts'
import { demandBase } from './base.ts'
import { resultOf } from './commit.ts'
import { type NextVersion, type Progress, withNextVersion } from './next-version.ts'

/**
 * Returns the outcome that a commit of the session would have. The caller holds the session's lease.
 * @param push the row at the time of the lease
 * @throws the errors of `runCommit`, without ending the session; push_not_open if the session was cancelled meanwhile, or if
 * another process took over after the lease was lost.
 */
export async function runDryRun(
  context: Context,
  push: PushRow,
  progress: Progress,
  by: Acting,
): Promise<DryRun> {
  try {
    return await withNextVersion(context, push, { progress, requester: by }, async (next) => {
      const version = await tryVersion(context, next.making)
      // A landing commit checks both again.
      await demandBase(context, push)
      await demandNow(context, by)
      return { dry_run: true, ...resultOf(next, version), schemaChanged: isSchemaChanged(next) }
    })
  } finally {
    await reopen(context, push)
  }
}

/**
 * Opens the session again. If another server did so, the result still holds: it describes the session at the time of the request.
 * A missing session was deleted with its collection.
 * @throws push_not_open in any other case.
 */
async function reopen(context: Context, push: PushRow): Promise<void> {
  const to = { status: 'open' as const, expiresAt: idleEnd(context) }
  const isReopened = await context.database.transact((tx) =>
    movePush(tx, push.id, statesFor('reopen'), to, leaseOf(push).holder),
  )
  if (isReopened) return
  const now = await findPush(context.database, push.collectionId, push.id)
  if (now !== undefined && now.status !== 'open')
    throw new RegistryError('push_not_open', { details: { status: now.status } })
}

const isSchemaChanged = ({ built, change }: NextVersion): boolean =>
  change === 'schema' || (change === 'first' && Object.keys(built.content.full.types).length > 0)
