/** Logs once when the disk is full and once when it has room again, for operators. `disk-reserve.ts` refuses the writes. */
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

export function scheduleDiskWatch({
  jobs,
  space,
  log,
  writes,
  now,
}: Pick<Context, 'jobs' | 'space' | 'log' | 'writes' | 'now'>): void {
  jobs.repeat(schedule.diskWatch, async () => {
    const isFull = await space.isFull()
    if (isFull === (writes.diskFullSince !== undefined)) return
    writes.diskFullSince = isFull ? now() : undefined
    if (isFull)
      log.warn(
        { freeBytes: await space.free() },
        'The disk is full: writes are answered 507 until more than DISK_RESERVE_BYTES are free. Reads go on.',
      )
    else log.info({}, 'The disk has room again.')
  })
}
