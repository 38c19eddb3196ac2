/**
 * Counts of running work and of stored data, for the metrics and for operators' pages. Some read a row for each pack and file: call them
 * rarely.
 */
import type { Queries } from '../../database/database.ts'

/** Number of background jobs of one queue in one state. */
export interface JobCount {
  readonly queue: string
  /** State of pg-boss: `created`, `active`, `completed`, `failed`, … */
  readonly state: string
  readonly jobs: number
}

/** Counts jobs; rows of ended ones are kept for a day. Call it after the start of background work, which creates pg-boss's tables. */
export async function countJobs(at: Queries): Promise<JobCount[]> {
  const { rows } = await at.query<JobCount>(
    'select name as queue, state::text as state, count(*) as jobs from pgboss.job group by name, state',
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
