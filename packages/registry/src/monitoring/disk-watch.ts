/** Logs once when the disk is full and once when it has room again, for operators. `disk-reserve.ts` refuses the writes. */
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

export function scheduleDiskWatch({ jobs, space, log }: Pick<Context, 'jobs' | 'space' | 'log'>): void {
  let wasFull = false
  jobs.repeat(schedule.diskWatch, async () => {
    const isFull = await space.isFull()
    if (isFull === wasFull) return
    wasFull = isFull
    if (isFull)
      log.warn(
        { freeBytes: await space.free() },
        'The disk is full: writes are answered 507 until more than DISK_RESERVE_BYTES are free. Reads go on.',
      )
    else log.info({}, 'The disk has room again.')
  })
}
