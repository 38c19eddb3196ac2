/**
 * Counts of running work and of stored data, for the metrics and for operators' pages. Some read a row for each pack and file: call them
 * rarely.
 */
import type { Queries } from '../../database/database.ts'
import { isCommitDue } from '../pushes/leases.ts'
import { isUpdateDue } from '../versions/metadata-jobs.ts'
import { isDeletionDue } from './deleted-collections.ts'

/** Number of background jobs of one queue in one state. */
export interface JobCount {
  readonly queue: string
  /** `created`: waits for a process. `retry`: waits after a failure. `active`, `completed`, `failed`. */
  readonly state: string
  readonly jobs: number
}

/** A deletion that failed so often counts as failed; it is still tried again. */
const attemptsMax = 5

/** Counts jobs, and those that ended in the last day; a deletion leaves no row. A refusal is a result; an unforeseen error is a failure. */
export async function countJobs(at: Queries): Promise<JobCount[]> {
  const { rows } = await at.query<JobCount>(
    `select queue, state, count(*) as jobs from (
       select 'update-metadata' as queue, case
           when ${isUpdateDue} then 'created' when status = 'running' then 'active'
           when error->>'code' = 'internal' then 'failed' else 'completed' end as state
         from metadata_jobs where finished_at is null or finished_at > now() - interval '1 day'
       union all
       select 'push-commit', case
           when ${isCommitDue} then 'created' when status = 'committing' then 'active'
           when error->>'code' = 'internal' then 'failed' else 'completed' end
         from pushes where status in ('committing', 'committed', 'failed') and created_at > now() - interval '1 day'
       union all
       select 'sweep-deleted-collection', case
           when not ${isDeletionDue} and last_error is null then 'active'
           when attempts >= ${attemptsMax} then 'failed' when attempts > 0 then 'retry' else 'created' end
         from deletions
       union all
       select 'send-mail', case state when 'sending' then 'active' when 'done' then 'completed' when 'failed' then 'failed'
           else case when attempts > 0 then 'retry' else 'created' end end
         from mails where created_at > now() - interval '1 day' or state in ('waiting', 'sending')
     ) as jobs group by queue, state order by queue, state`,
  )
  return rows
}

/** Number of open push sessions, and of those in a commit or dry run. */
export async function countPushesUnderWay(at: Queries): Promise<{ open: number; committing: number }> {
  const { rows } = await at.query<{ open: number; committing: number }>(
    `select count(*) filter (where status = 'open') as open, count(*) filter (where status <> 'open') as committing
     from pushes where status in ('open', 'checking', 'committing')`,
  )
  return rows[0]!
}

/** Bytes of packs, of files, and of blobs set aside. Reads a row for each pack and file. */
export async function storedBytes(at: Queries): Promise<{ packs: number; files: number; setAside: number }> {
  const { rows } = await at.query<{ packs: number; files: number; setAside: number }>(
    `select (select coalesce(sum(bytes), 0) from packs)::double precision as packs,
       (select coalesce(sum(size), 0) from files)::double precision as files,
       (select coalesce(sum(bytes), 0) from blobs_set_aside)::double precision as "setAside"`,
  )
  return rows[0]!
}

/** Bytes of the database, and of the data of push sessions. */
export async function workingBytes(at: Queries): Promise<{ database: number; pushes: number }> {
  const { rows } = await at.query<{ database: number; pushes: number }>(
    `select pg_database_size(current_database())::double precision as database,
       (select coalesce(sum(bytes), 0) from push_spills)::double precision as pushes`,
  )
  return rows[0]!
}

/** Progress of the signed log. */
export interface LogProgress {
  /** Number of entries. */
  readonly entries: number
  /** Changes without an entry, and entries that no checkpoint has. */
  readonly unsigned: number
  /** Seconds since the oldest of these; 0: there is none. */
  readonly unsignedSeconds: number
  /** Seconds since the last checkpoint; null: there was none. */
  readonly checkpointSeconds: number | null
}

/** Undefined in a registry whose log has not begun. By the database's clock. */
export async function logProgress(at: Queries): Promise<LogProgress | undefined> {
  const { rows } = await at.query<LogProgress>(
    `select size as entries, (size - signed_size + queued)::bigint as unsigned,
       coalesce(greatest(0, extract(epoch from now() - least(oldest, (select at from log_leaves where index = signed_size)))), 0)::double precision as "unsignedSeconds",
       case when signed_at is not null then greatest(0, extract(epoch from now() - signed_at)) end::double precision as "checkpointSeconds"
     from log_state, (select count(*) as queued, min(at) as oldest from log_queue where kind <> 'account.stated') as queue`,
  )
  return rows[0]
}
