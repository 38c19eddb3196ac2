/** Commit or dry run of a push: requests it, waits for it, and retries if an answer was lost. http-api §9. */
import type { CommittedPush, DryRun, OpenedPush, PushState } from '@ulmus/wire'
import { call } from './calls.ts'
import { UlmusError } from './errors.ts'
import { sleep } from './retry.ts'
import { cancel, type SessionPlace } from './session.ts'

/** The version that a push made. `warnings`: about its schemas and its records, the first 100 of each. */
export type PushResult = CommittedPush

/** The version that a push would make, with the same warnings. `schemaChanged`: its types or schemas differ from those of the base. */
export type DryRunResult = DryRun

/** Adds the warnings from the session's opening to a result. */
export const withWarnings = <T extends PushResult>(
  result: T,
  { warnings = [], total_warnings = 0 }: Partial<Pick<OpenedPush, 'warnings' | 'total_warnings'>>,
): T => ({
  ...result,
  warnings: [...warnings, ...(result.warnings ?? [])],
  totalWarnings: total_warnings + (result.totalWarnings ?? 0),
})

export interface CommitOptions {
  readonly signal?: AbortSignal
  readonly onRetry: () => void
  /** Uploads those of the files that the caller has; returns their number. */
  readonly supply: (hashes: string[]) => Promise<number>
}

/** Final step of a session that has received everything: commit or dry run. */
export interface Ending<T> {
  readonly phase: 'committing' | 'checking'
  readonly run: (session: SessionPlace, options: CommitOptions) => Promise<T>
}

/** Publishes. */
export const committing: Ending<PushResult> = { phase: 'committing', run: commitPush }
/** Publishes nothing, and cancels the session. */
export const dryRun: Ending<DryRunResult> = { phase: 'checking', run: dryRunPush }

/** First wait between polls of a committing session; it grows up to `pollMsMax`. Milliseconds. */
const pollMs = 20
/** Longest wait between polls. Milliseconds. */
const pollMsMax = 1_000

/** Maximum of commit requests: the first, one after supplying files, and some in case a server lost an unfinished commit. */
const commitsMax = 5

/**
 * Commits a session. Requests it asynchronously, so that no proxy's timeout interrupts it.
 * @throws the error that ended the session; files_missing with the hashes that `supply` lacked
 */
async function commitPush(session: SessionPlace, options: CommitOptions): Promise<PushResult> {
  for (let commits = 1; ; commits++) {
    const last = commits === commitsMax
    try {
      const result = await askAndWait(session, options)
      if (result !== undefined) return result
      if (last)
        throw new UlmusError('The push session stays open after a commit.', {
          status: 0,
          code: 'push_not_committed',
        })
    } catch (error) {
      if (last || !(await suppliedWhatWasMissing(error, options))) throw error
    }
  }
}

/** Shows what a commit would make, then cancels the session. @throws as `commitPush` */
async function dryRunPush(session: SessionPlace, options: CommitOptions): Promise<DryRunResult> {
  const { signal, onRetry } = options
  const { transport, root, params } = session
  for (let runs = 1; ; runs++) {
    try {
      const request = { query: { dry_run: true }, repeatable: true, signal, onRetry }
      const result = await call(transport, `POST ${root}/:id/commit`, params, request)
      await cancel(session)
      return result as DryRun
    } catch (error) {
      if (runs === commitsMax || !(await suppliedWhatWasMissing(error, options))) throw error
    }
  }
}

/** The result, or undefined if the session is open again without an error. */
async function askAndWait(
  { transport, root, params }: SessionPlace,
  options: CommitOptions,
): Promise<PushResult | undefined> {
  const { signal, onRetry } = options
  const request = { query: { async: true }, repeatable: true, signal, onRetry }
  try {
    const answer = await call(transport, `POST ${root}/:id/commit`, params, request)
    if ('semver' in answer) return answer
  } catch (error) {
    // After a retry, the first commit may be running or done.
    if (!(error instanceof UlmusError && error.code === 'push_not_open')) throw error
  }
  for (let wait = pollMs; ; wait = Math.min(pollMsMax, wait * 1.5)) {
    const state = await call(transport, `GET ${root}/:id`, params, { signal, onRetry })
    if (state.status === 'committed' && state.result !== null) return state.result
    if (state.error !== null) throw UlmusError.fromBody(state.error)
    if (state.status === 'open') return undefined
    if (state.status !== 'committing' && state.status !== 'checking') throw ended(state)
    await sleep(wait, signal)
  }
}

const ended = (state: PushState): UlmusError =>
  new UlmusError(`The push session is ${state.status}. Push again.`, { status: 409, code: 'push_not_open' })

async function suppliedWhatWasMissing(error: unknown, options: CommitOptions): Promise<boolean> {
  if (!(error instanceof UlmusError) || error.code !== 'files_missing') return false
  return (await options.supply(error.body.filesNeeded ?? [])) > 0
}
