/** Delta pushes, in words, and what sessions of both kinds share. */
import type { ErrorCode } from '@ulmus/registry'
import type { Description } from '../../openapi/routes.ts'

const working = ['collection_not_found', 'not_a_member', 'key_limited'] as const
export const opening: readonly ErrorCode[] = [
  ...working,
  'version_conflict',
  'too_many_pushes',
  'quota_exceeded',
  'invalid_schema',
  'private_field_made_public',
  'too_many_types',
  'too_costly',
  'busy',
  'object_corrupt',
]
const session = [...working, 'push_not_found'] as const
export const batch: readonly ErrorCode[] = [
  ...session,
  'push_not_open',
  'quota_exceeded',
  'invalid_records',
  'too_costly',
  'busy',
  'object_corrupt',
]

export const openPush: Description = {
  operationId: 'openPush',
  summary: 'Open a push session',
  description:
    'Step 1 of a delta push. `base_version` is the latest version, null before the first. `schemas`, if given, is the complete set: a missing type is removed with its records; a first version needs one for every type, and `confirm_public` names the private fields and types that it makes public. `metadata` is merged into that of the base. Schemas may have 4 MiB in canonical form, metadata 2 MiB, what comes beside these and `files` 256 KiB, the body 32 MiB, and an account 100 open sessions unless the operator set another number. Next, send lines to `…/pushes/{session_id}/records` and `…/deletes`.',
  codes: opening,
}

export const sendRecords: Description = {
  operationId: 'pushRecords',
  summary: 'Send records, a line each',
  description:
    'Step 2 of a delta push, after opening it and before the commit. Each line is a record to put, which replaces one of the same type and id. A request has 10,000 lines and 128 MiB at most; there may be any number of them, in any order, and of several lines for one type and id the last one counts. If one line is refused, none of the request is stored. Send files that records refer to by `PUT …/files/{hash}`, then commit.',
  codes: [...batch, 'schema_violation'],
}

export const sendDeletes: Description = {
  operationId: 'pushDeletes',
  summary: 'Send deletes, a line each',
  description:
    'Step 2 of a delta push, after opening it and before the commit. Each line names a record to remove by type and id; a missing one is skipped. Requests of records and deletes may be mixed, and of several lines for one type and id the last one counts. A request has 10,000 lines and 128 MiB at most. If one line is refused, none of the request is stored.',
  codes: batch,
}

/** Terms of the two kinds of push. */
export interface Kind {
  /** `Push` or `Snapshot`, for names of operations. */
  name: string
  what: string
  before: string
  /** Refusals of its commit alone. */
  codes: readonly ErrorCode[]
}

export const delta: Kind = {
  name: 'Push',
  what: 'delta push',
  before: 'after all lines and files were sent',
  codes: [],
}

export const snapshot: Kind = {
  name: 'Snapshot',
  what: 'snapshot push',
  before: 'after the manifest came whole and all records and files that it needs were sent',
  codes: ['manifest_incomplete', 'manifest_conflict', 'records_missing'],
}

export const commit = ({ name, what, before, codes }: Kind): Description => ({
  operationId: `commit${name}`,
  summary: 'Make the version',
  description: `Step 3 of a ${what}, ${before}. It creates the version, which is visible at once; a refused commit changes nothing. After a refusal that can be fixed, such as \`files_missing\`, the session stays open: send what is missing and commit again. Committing twice returns the first result. With \`async=true\` the answer comes at once: poll the session until its status is \`committed\` or \`failed\`, or \`open\` again with an \`error\`. With \`dry_run=true\` it makes no version, but returns the result or refusal of such a commit, and leaves the session open with all its data; lines sent meanwhile are refused, and a commit waits.`,
  answers: {
    200: 'With `dry_run=true`: the version that the commit would make.',
    201: 'The version is made.',
    202: 'With `async=true`: the session is being committed. Poll it.',
  },
  codes: [
    ...session,
    'push_not_open',
    'version_conflict',
    'no_changes',
    'quota_exceeded',
    'files_missing',
    'schema_violation',
    'too_costly',
    'object_corrupt',
    ...codes,
  ],
})

export const state = ({ name, what }: Kind): Description => ({
  operationId: `get${name}`,
  summary: 'State of a push session',
  description: `Returns the state of the session of a ${what}: its status, received data, missing files, progress and result of its commit. It needs the scope \`read\` and membership. Each call postpones the expiry of an open session. \`needed_files\` names 1,000 files at most: ask for the next with \`next_files_after\` as \`files_after\`.`,
  codes: [...session, 'object_corrupt'],
})

export const cancel = ({ name, what }: Kind): Description => ({
  operationId: `cancel${name}`,
  summary: 'Cancel a push session',
  description: `Ends the session of a ${what} that is not committed, with all that it received. Files that were uploaded stay. Cancelling it twice is harmless. An unused session expires after an hour.`,
  answers: { 204: 'The session is cancelled.' },
  codes: [...session, 'push_not_open'],
})
