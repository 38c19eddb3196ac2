/** Finds out that a newer release has migrated the database under this process, which does not know the new tables and must end. */
import { findNewerRelease, migratedTopic } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

export interface NewerRelease {
  /** Undefined until it is found. */
  name(): string | undefined
}

/** @param onFound called once with a sentence for the log */
export function watchForNewerRelease(
  { database, jobs, log }: Pick<Context, 'database' | 'jobs' | 'log'>,
  own: string,
  onFound: (why: string) => void = () => undefined,
): NewerRelease {
  let newer: string | undefined
  // No other process migrates an embedded database.
  if (database.kind === 'embedded') return { name: () => undefined }
  jobs.repeat(schedule.newerRelease, async () => {
    if (newer !== undefined) return
    newer = await findNewerRelease(database)
    if (newer === undefined) return
    const why = `The database was migrated by another release (${newer}), whose tables this one (${own}) does not know: this server answers 503 and ends.`
    log.error({}, why)
    onFound(why)
  })
  database.listen((topic) => {
    if (topic === migratedTopic) jobs.retry(schedule.newerRelease.name)
  })
  return { name: () => newer }
}
