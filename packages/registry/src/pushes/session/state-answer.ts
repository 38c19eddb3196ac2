/** State of a session in answers. */

import type { PushRow } from '@ulmus/storage'
import type { CommittedPush } from '@ulmus/wire'
import type { StoredRefusal } from '../../errors/errors.ts'

export interface PushStateAnswer {
  session_id: string
  status: PushRow['status']
  base_version: string | null
  total_records: number
  /** Records that the session still lacks: 0 in a delta. */
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
