/** Figures for monitoring a registry: running work and stored data. */
import type { Queries } from '../../database/database.ts'

export interface JobCount {
  readonly queue: string
  /** As pg-boss calls it: `created`, `active`, `completed`, `failed`, … */
  readonly state: string
  readonly jobs: number
}

/** Rows of ended jobs are kept for a day. Background work must have begun: its tables are made then. */
export async function countJobs(at: Queries): Promise<JobCount[]> {
  const { rows } = await at.query<JobCount>(
    'select name as queue, state::text as state, count(*) as jobs from pgboss.job group by name, state',
  )
  return rows
}

/** Push sessions that receive, and those whose commit or dry run is under way. */
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
