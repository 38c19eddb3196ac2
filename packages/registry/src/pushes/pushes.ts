/** Delta pushes: batches of changed records and of deletes in any order, then a commit. http-api §9. */

import { lineDepthMax } from '@ulmus/content'
import type { CollectionPath } from '@ulmus/wire'
import { demandNow } from '../access/authority.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demandCaller, type Principal, taskFor } from '../principal.ts'
import type { CommitOptions, DryRunOptions } from './commit/commit.ts'
import { readOpening, type Shape } from './opening/opening.ts'
import type { PushOpening } from './opening/opening-body.ts'
import { checkLines } from './receiving/receiving.ts'
import type { PushSessions } from './session/sessions.ts'
import type { PushStateAnswer } from './session/state-answer.ts'
import { keepSpill } from './spills/spills.ts'
import { idleEnd } from './state/idle-end.ts'

/** Maximum bytes and nesting of an opening body, which may have schemas of many types. */
const opening = { bytesMax: 32 * 1024 ** 2, depthMax: lineDepthMax }

export type Pushes = ReturnType<typeof pushesOf>

export function pushesOf(context: Context, sessions: PushSessions) {
  return {
    /**
     * Opens a session.
     * @param signal aborts the work when the client disconnects
     * @throws invalid_request, too_large, busy, collection_not_found, not_a_member, key_limited, version_conflict,
     * invalid_schema, too_costly.
     */
    async open(
      who: Principal,
      path: CollectionPath,
      body: AsyncIterable<Uint8Array>,
      shape: Shape<PushOpening>,
      signal?: AbortSignal,
    ) {
      const read = await readOpening(context, who, body, opening, shape, signal)
      const seen = await sessions.workplace(who, path, 'write')
      const { push, neededFiles, warnings } = await sessions.open(
        demandCaller(who),
        seen,
        read,
        { kind: 'delta' },
        taskFor(who, signal),
      )
      const { limits } = context
      return {
        session_id: push.id,
        base_version: push.baseSemver,
        needed_files: neededFiles,
        warnings: warnings.listed,
        total_warnings: warnings.total,
        expires_at: instantText(push.expiresAt),
        limits: {
          batch_bytes: limits.batchBytesMax,
          batch_lines: limits.batchLinesMax,
          session_idle_seconds: limits.pushIdleSeconds,
          file_bytes: limits.fileBytesMax,
        },
      }
    },

    /**
     * Accepts a batch of NDJSON lines completely or not at all; durable when it resolves.
     * @param signal as for `open`
     * @throws push_not_open, too_large, busy, invalid_records, schema_violation, too_costly.
     */
    async receive(
      who: Principal,
      path: CollectionPath,
      id: string,
      kind: 'records' | 'deletes',
      body: AsyncIterable<Uint8Array>,
      signal?: AbortSignal,
    ): Promise<{ received: number }> {
      const { push, by } = await sessions.findOpen(who, path, 'delta', id)
      const { spill, entries, received } = await sessions.during(push, taskFor(who, signal), (task) =>
        context.bodies.gather(who, body, context.limits.batchBytesMax, async (batch) => {
          await demandNow(context, by)
          return checkLines(context, push, batch, task, { kind })
        }),
      )
      const touch = { expiresAt: idleEnd(context), receivedRecords: kind === 'records' ? received : 0 }
      await keepSpill(context, push.id, { role: 'records', spill, entries }, touch, by)
      return { received }
    },

    /** @throws the refusal of the commit; see `runCommit`. */
    commit: (who: Principal, path: CollectionPath, id: string, options: CommitOptions) =>
      sessions.commit(who, path, 'delta', id, options),

    /** Returns the result that `commit` would have. @throws the errors of `commit`. */
    dryRun: (who: Principal, path: CollectionPath, id: string, options?: DryRunOptions) =>
      sessions.dryRun(who, path, 'delta', id, options),

    async state(
      who: Principal,
      path: CollectionPath,
      id: string,
      filesAfter?: string,
    ): Promise<PushStateAnswer> {
      const push = await sessions.watch(await sessions.workplace(who, path, 'poll'), 'delta', id)
      return sessions.state(push, 0, filesAfter)
    },

    cancel: (who: Principal, path: CollectionPath, id: string): Promise<void> =>
      sessions.cancel(who, path, 'delta', id),
  }
}
