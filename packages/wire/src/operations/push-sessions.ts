/**
 * Operations that both kinds of push session have: commit, state, cancel. pushes.ts and snapshots.ts call these functions with their
 * own ids and words, so that the two kinds cannot differ. docs/design/http-api.md §9.
 */
import { z } from 'zod'
import type { RefusalCode } from '../codes.ts'
import {
  CommitPush,
  CommitQuery,
  CommittedPush,
  CommittingPush,
  DryRun,
  PushState,
  PushStateQuery,
} from '../commits.ts'
import { operation } from '../operation.ts'
import { PushPath } from '../paths.ts'

/** Refusals of the operations that open a session. */
export const opening = [
  'publishers_only',
  'version_conflict',
  'too_many_pushes',
  'quota_exceeded',
  'invalid_schema',
  'private_field_made_public',
  'too_many_types',
  'too_costly',
  'busy',
  'object_corrupt',
] as const
const session = ['push_not_found'] as const
/** Refusals of the operations that receive lines. */
export const batch = [
  ...session,
  'publishers_only',
  'push_not_open',
  'quota_exceeded',
  'invalid_records',
  'too_costly',
  'busy',
  'object_corrupt',
] as const

interface SessionTerms {
  readonly id: string
  readonly tag: string
  /** Name of the kind of push. */
  readonly what: string
}

interface CommitTerms extends SessionTerms {
  /** Condition for a commit. */
  readonly before: string
  /** Refusals that only this kind has. */
  readonly refusals?: readonly RefusalCode[]
}

/** The commit of either kind of push. */
export const commit = ({ id, tag, what, before, refusals = [] }: CommitTerms) =>
  operation({
    id,
    tag,
    summary: `Commit a ${what}`,
    description: `Step 3 of a ${what}, ${before}. Creates the version, which is visible at once; a refused commit changes nothing. After a refusal that can be fixed, such as \`files_missing\`, the session stays open: send what is missing, or confirm in the body what may become public, and commit again. Repeating a commit returns the first result. With \`async=true\` the answer is immediate: poll the session until its status is \`committed\` or \`failed\`, or \`open\` again with an \`error\`. With \`dry_run=true\` no version is created: the answer is the result or refusal of such a commit, and the session stays open with all its data; lines sent meanwhile are refused, and a commit waits.`,
    entrance: { scope: 'write' },
    params: PushPath,
    query: CommitQuery,
    body: CommitPush.optional(),
    answers: { 200: DryRun, 201: CommittedPush, 202: CommittingPush },
    answerWords: {
      200: 'With `dry_run=true`: the version that the commit would create.',
      201: 'The new version.',
      202: 'With `async=true`: the commit is running. Poll the session.',
    },
    refusals: [
      ...session,
      'publishers_only',
      'push_not_open',
      'version_conflict',
      'no_changes',
      'quota_exceeded',
      'files_missing',
      'schema_violation',
      'private_record_made_public',
      'private_value_in_id',
      'too_costly',
      'object_corrupt',
      ...refusals,
    ],
  })

/** The state of either kind of push, which clients poll. */
export const state = ({ id, tag, what }: SessionTerms) =>
  operation({
    id,
    tag,
    summary: `Get a ${what}`,
    description: `Returns the state of a ${what}: status, received data, missing files, and progress and result of its commit. Requires the \`read\` scope, and membership or a grant. Each call postpones the expiry of an open session. \`needed_files\` lists at most 1,000 files: pass \`next_files_after\` as \`files_after\` to get the next.`,
    entrance: { scope: 'read' },
    params: PushPath,
    query: PushStateQuery,
    answers: { 200: PushState },
    refusals: [...session, 'object_corrupt'],
  })

/** The cancellation of either kind of push. */
export const cancel = ({ id, tag, what }: SessionTerms) =>
  operation({
    id,
    tag,
    summary: `Cancel a ${what}`,
    description: `Ends a ${what} that is not committed and discards what it received. Uploaded files stay. Repeating the request changes nothing. A session also expires after an hour without a request.`,
    entrance: { scope: 'write' },
    params: PushPath,
    answers: { 204: z.null() },
    answerWords: { 204: 'Cancelled.' },
    refusals: [...session, 'push_not_open'],
  })
