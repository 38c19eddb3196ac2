/** State of a push session as the HTTP API reports it. Its fields are public: change them together with `packages/wire/src/commits.ts`. */

import type { PushRow } from '@ulmus/storage'
import type { CommittedPush } from '@ulmus/wire'
import type { StoredRefusal } from '../../errors/errors.ts'

export interface PushStateAnswer {
  session_id: string
  status: PushRow['status']
  base_version: string | null
  total_records: number
  /** Number of records that the client must still send. Always 0 in a delta push. */
  needed_records: number
  /** Number of declared files. */
  total_files: number
  /** The first declared files that it still lacks, at most `neededFilesMax`, ascending. */
  needed_files: string[]
  /** Cursor of the next page of files; null on the last page. */
  next_files_after: string | null
  /** Progress of a commit or a dry run. */
  records_done: number
  records_total: number
  expires_at: string
  result: CommittedPush | null
  /** Refusal of the last commit, or the reason of the session's failure. */
  error: StoredRefusal | null
}
