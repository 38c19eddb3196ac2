/** Everything that repeats. Who does it says `context.jobs.repeat(schedule.…, work)`, in the file that is named. */

export interface Repeated {
  /** For the log, at the beginning of "… failed". */
  readonly name: string
  /** After the last time ended. */
  readonly everySeconds: number
  /** One process in all does it once in so long (`claimPeriodicTask`); `everySeconds` is how often each one looks. */
  readonly onceInSeconds?: number
  /** True: it makes space or needs none, so that it also runs on a full disk; all else waits. */
  readonly frees?: boolean
  /** True: also in processes that leave background work to others (`ROLES` without `worker`). */
  readonly everywhere?: boolean
}

const [minute, hour, day] = [60, 3_600, 86_400]

export const schedule = {
  /** Completes updates whose server is gone. metadata/metadata.ts */
  updateRecovery: { name: 'the recovery of metadata updates', everySeconds: 1 },
  /** Takes over commits whose lease has run out. pushes/session/sessions.ts */
  commitRecovery: { name: 'the recovery of commits', everySeconds: 1 },
  /** Exchanges request counts with other servers. access/request-rates.ts */
  requestRates: { name: 'the sharing of rate limits', everySeconds: 1, frees: true, everywhere: true },
  /** Copies small packs from the database into the object store. upkeep/compaction.ts */
  compaction: { name: 'the compaction of small packs', everySeconds: 10 },
  /** Says that background work is done. monitoring/heartbeat.ts */
  heartbeat: { name: 'the sign of life of background work', everySeconds: 15 },
  /** Looks whether any process does background work. monitoring/heartbeat.ts */
  heartbeatWatch: { name: 'the look for background work', everySeconds: 15, frees: true, everywhere: true },
  /** Looks whether the disk is full. monitoring/disk-watch.ts */
  diskWatch: { name: 'the look for a full disk', everySeconds: 5, frees: true, everywhere: true },
  /** Compares this process's clock with the database's. clock.ts */
  clock: { name: 'the comparison of clocks', everySeconds: 15, frees: true, everywhere: true },
  /** Ends idle push sessions and drops what ended ones had received. pushes/session/sessions.ts */
  pushExpiry: { name: 'the expiry of push sessions', everySeconds: minute, frees: true },
  /** Drops expired rows, vacuums the embedded database. upkeep/expiry.ts */
  expiry: { name: 'expiry', everySeconds: 5 * minute, onceInSeconds: hour },
  /** Removes what no version needs. upkeep/sweep/daily.ts */
  sweep: { name: 'the daily sweep', everySeconds: 10 * minute, onceInSeconds: day, frees: true },
} as const satisfies Record<string, Repeated>
