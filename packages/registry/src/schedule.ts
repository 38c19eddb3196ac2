/**
 * All periodic tasks, in one place so that their periods and conditions can be compared. The named file passes each to
 * `context.jobs.repeat(schedule.…, work)`.
 */

/** A periodic task. */
export interface Repeated {
  /** Subject of the log message "… failed". */
  readonly name: string
  /** Seconds from the end of one run to the next. */
  readonly everySeconds: number
  /**
   * One process runs the task once in this time (`claimPeriodicTask`); `everySeconds` is the interval at which each process
   * checks.
   */
  readonly onceInSeconds?: number
  /** True: the task frees space or needs none, so it also runs on a full disk; other tasks wait. */
  readonly frees?: boolean
  /** True: the task also runs in processes without background work (`ROLES` without `worker`). */
  readonly everywhere?: boolean
}

const [minute, hour, day] = [60, 3_600, 86_400]

export const schedule = {
  /** Looks for waiting rows of all kinds. jobs.ts */
  waitingWork: { name: 'check for waiting work', everySeconds: 2, everywhere: true },
  /** Asks witnesses to cosign the log. version-log/cosigning.ts */
  cosigning: { name: 'witness requests', everySeconds: 2 },
  /** Disables webhooks for which too much waits. webhooks/sending.ts */
  webhooksBehind: { name: 'webhook backlog check', everySeconds: minute },
  /** Exchanges request counts with other servers. access/request-rates.ts */
  requestRates: { name: 'rate limit exchange', everySeconds: 1, frees: true, everywhere: true },
  /** Copies small packs from the database into the object store. upkeep/compaction.ts */
  compaction: { name: 'compaction of small packs', everySeconds: 10 },
  /** Writes a heartbeat of this process. monitoring/heartbeat.ts */
  heartbeat: { name: 'heartbeat', everySeconds: 15, frees: true, everywhere: true },
  /** Looks for migrations of a newer release; a notification begins it at once. monitoring/newer-release.ts */
  newerRelease: { name: 'search for a newer release', everySeconds: 15, frees: true, everywhere: true },
  /** Checks whether any process does background work. monitoring/heartbeat.ts */
  heartbeatWatch: { name: 'heartbeat check', everySeconds: 15, frees: true, everywhere: true },
  /** Checks whether the disk is full. monitoring/disk-watch.ts */
  diskWatch: { name: 'disk check', everySeconds: 5, frees: true, everywhere: true },
  /** Samples the load of this process. monitoring/load.ts */
  load: { name: 'load sample', everySeconds: minute, frees: true, everywhere: true },
  /** Compares this process's clock with the database's. clock.ts */
  clock: { name: 'clock comparison', everySeconds: 15, frees: true, everywhere: true },
  /** Ends idle push sessions and deletes the data of ended ones. pushes/session/sessions.ts */
  pushExpiry: { name: 'push session expiry', everySeconds: minute, frees: true },
  /** Deletes expired rows, vacuums the embedded database. upkeep/expiry.ts */
  expiry: { name: 'expiry', everySeconds: 5 * minute, onceInSeconds: hour },
  /** Makes mails about keys that expire. mails/mails.ts */
  keyMails: { name: 'search for expiring keys', everySeconds: 5 * minute, onceInSeconds: hour },
  /** Adds the waiting work of versions that are older than it. versions/strip/strips.ts */
  missingStrips: { name: 'search for versions to compare', everySeconds: 5 * minute, onceInSeconds: hour },
  /** Builds the tables of new versions, in each process for itself. tables/ahead/build-landed.ts */
  tablesAhead: { name: 'work on tables of new versions', everySeconds: 5, everywhere: true },
  /** Removes data that no version needs. upkeep/sweep/daily.ts */
  sweep: { name: 'daily sweep', everySeconds: 10 * minute, onceInSeconds: day, frees: true },
  /** Deletes table files of data that is no longer stored, at once after an erasure. upkeep/sweep/table-sweep.ts */
  tableSweep: { name: 'table file sweep', everySeconds: 5, frees: true, everywhere: true },
} as const satisfies Record<string, Repeated>
