/** Sweeps the table files of this server: before it answers, soon after each erasure, and every ten minutes. */
import { endTimeOf } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { schedule } from '../../schedule.ts'
import type { InstalledTables } from '../../tables/find-table.ts'
import { storedIn } from '../../tables/folder/sweep-tables.ts'
import { erasures } from './erasure.ts'

/** Time between two sweeps of table files without an erasure. Milliseconds. */
const usualMilliseconds = 600_000

/** Erased data must not outlast their erasure in tables, nor be there when a server starts that missed it. */
export async function sweepTablesRegularly(
  { database, jobs, log }: Context,
  installed: InstalledTables | string,
): Promise<void> {
  if (typeof installed === 'string') return
  const { files, sql } = installed
  let [after, at] = [await endTimeOf(database, erasures), performance.now()]
  await files.sweep(storedIn(database), 0).catch((error: unknown) => {
    log.error({ err: error }, 'the sweep of table files failed')
  })
  jobs.repeat(schedule.tableSweep, async () => {
    const end = await endTimeOf(database, erasures)
    if (end === after && performance.now() < at + usualMilliseconds) return
    sql.endIdle()
    await files.sweep(storedIn(database))
    ;[after, at] = [end, performance.now()]
  })
}
