/** State of a session, as answered. */

import type { PushRow } from '@ulmus/storage'
import type { CommittedPush } from '@ulmus/wire'
import type { StoredRefusal } from '../../errors/errors.ts'

export interface PushStateAnswer {
  session_id: string
  status: PushRow['status']
  base_version: string | null
  total_records: number
  /** How many records the session still lacks: 0 in a delta. */
  needed_records: number
  /** How many files it declared. */
  total_files: number
  /** The first of those it still lacks, at most `neededFilesMax`, ascending. */
  needed_files: string[]
  /** Cursor of the next page of files; null: this is the last. */
  next_files_after: string | null
  /** Progress of a commit or a dry run. */
  records_done: number
  records_total: number
  expires_at: string
  result: CommittedPush | null
  /** Why the session failed, or why its last commit did not succeed. */
  error: StoredRefusal | null
}
