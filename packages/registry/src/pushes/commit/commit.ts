/**
 * Commits of push sessions in the state `committing`. They end in a version or a settled refusal, on the server that holds the
 * lease.
 */

import {
  findPush,
  markFilesInViews,
  markFilesUsed,
  movePush,
  NotLandedError,
  type PushRow,
  type VersionRow,
} from '@ulmus/storage'
import type { CommittedPush } from '@ulmus/wire'
import type { Acting } from '../../access/authority.ts'
import type { Context } from '../../context.ts'
import { refusalOf, storedRefusal } from '../../errors/errors.ts'
import { recordInherited } from '../../files/known-files.ts'
import { retryIfSwept } from '../../upkeep/retry-if-swept.ts'
import { digestOfView, semverOf, shownCounts } from '../../versions/content.ts'
import { makeVersion } from '../../versions/land.ts'
import { dropSpills } from '../spills/spills.ts'
import { idleEnd } from '../state/idle-end.ts'
import { leaseLost, leaseOf } from '../state/lease.ts'
import { statesFor } from '../state/states.ts'
import { demandFiles, type NextVersion, type Progress, withNextVersion } from './next-version.ts'

/** Answer to a commit: its result, or, for an asynchronous request, that it is running. */
export type CommitAnswer =
  | { kind: 'committed'; result: CommittedPush }
  | { kind: 'committing'; session_id: string; status: 'committing' }

interface Confirming {
  /** What may become public, beside what the opening confirmed. */
  readonly confirmPublic?: readonly string[] | undefined
}

export interface CommitOptions extends Confirming {
  readonly async: boolean
}

export interface DryRunOptions extends Confirming {
  /** Ends the wait when the client disconnects. */
  readonly signal?: AbortSignal
}

/**
 * Refusals that leave the session open, with all received data: its owner can fix the cause, or it may pass. Other refusals, such
 * as a base that is no longer the head, end the session.
 */
const mendable = new Set<string>([
  'files_missing',
  'internal',
  'manifest_incomplete',
  'no_changes',
  'private_record_made_public',
  'private_value_in_id',
  'quota_exceeded',
  'records_missing',
  'schema_violation',
  'storage_full',
  'too_costly',
  'unavailable',
])

/**
 * Commits a session whose lease the caller holds, and settles its state. Returns undefined if another process has settled it or
 * is about to; the row then has the outcome.
 * @param push the row at the time of the lease
 * @param by the caller whose request waits; undefined: on behalf of the account that requested the commit
 * @throws RegistryError the refusal: the errors of `withNextVersion`.
 */
export async function runCommit(
  context: Context,
  push: PushRow,
  progress: Progress,
  by?: Acting,
): Promise<CommittedPush | undefined> {
  try {
    const result = await retryIfSwept(context.objects, () =>
      withNextVersion(context, push, { progress, requester: by }, (next) =>
        land(context, push, next, progress),
      ),
    )
    context.commitCounters.committed(progress.recordsTotal)
    return result
  } catch (error) {
    if (await isSettledElsewhere(context, push, error)) return undefined
    context.commitCounters.refused(refusalOf(error).code)
    throw error
  }
}

/**
 * Settles a session after a failed commit. Returns true if the caller has lost it, or if it is committed and only the answer was
 * lost.
 */
async function isSettledElsewhere(context: Context, push: PushRow, error: unknown): Promise<boolean> {
  const refusal = refusalOf(error)
  const end = {
    status: mendable.has(refusal.code) ? ('open' as const) : ('failed' as const),
    error: { ...storedRefusal(refusal) },
    expiresAt: idleEnd(context),
  }
  const settled = await context.database.transact((tx) =>
    movePush(tx, push.id, statesFor('fail'), end, leaseOf(push).holder),
  )
  if (settled) return false
  // A missing row was deleted with its collection.
  return (await findPush(context.database, push.collectionId, push.id)) !== undefined
}

async function land(
  context: Context,
  push: PushRow,
  next: NextVersion,
  progress: Progress,
): Promise<CommittedPush> {
  const files = next.built.filesEntered.full
  try {
    const version = await makeVersion(context, {
      ...next.making,
      ends: (version) => ({ push: pushEnd(push, progress, resultOf(next, version)) }),
      also: async (tx) => {
        demandFiles(files, await markFilesUsed(tx, files))
        await recordInherited(tx, push.collectionId, files)
        await markFilesInViews(tx, push.collectionId, next.built.filesEntered)
      },
    })
    void dropSpills(context, push.id)
    return resultOf(next, version)
  } catch (error) {
    throw error instanceof NotLandedError ? leaseLost() : error
  }
}

/** Answer to a commit or a dry run. */
export function resultOf({ built, warnings }: NextVersion, version: VersionRow): CommittedPush {
  const { recordCount, fileCount } = shownCounts(version, 'full')
  return {
    semver: semverOf(version),
    hash: digestOfView(version, 'full'),
    publicHash: digestOfView(version, 'public'),
    recordCount,
    fileCount,
    changes: built.changes,
    warnings: warnings.listed,
    totalWarnings: warnings.total,
  }
}

const pushEnd = (push: PushRow, { recordsDone, recordsTotal }: Progress, answer: CommittedPush) => ({
  ...{ id: push.id, holder: leaseOf(push).holder, recordsDone, recordsTotal },
  answer: { ...answer },
})
