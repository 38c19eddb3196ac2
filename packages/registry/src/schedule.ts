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
  /** Completes updates whose server is gone. metadata/metadata.ts */
  updateRecovery: { name: 'the recovery of metadata updates', everySeconds: 1 },
  /** Takes over commits whose lease has run out. pushes/session/sessions.ts */
  commitRecovery: { name: 'the recovery of commits', everySeconds: 1 },
  /** Gives committed changes their numbers. events/events.ts */
  eventNumbers: { name: 'the numbering of events', everySeconds: 1, everywhere: true },
  /** Appends changes to the signed log. version-log/version-log.ts */
  versionLog: { name: 'the signing of the log', everySeconds: 1 },
  /** Asks witnesses to cosign the log. version-log/cosigning.ts */
  cosigning: { name: 'the asking of witnesses', everySeconds: 2 },
  /** Finds events for webhooks and sends them. webhooks/sending.ts */
  webhooks: { name: 'the sending of webhooks', everySeconds: 1 },
  /** Disables webhooks for which too much waits. webhooks/sending.ts */
  webhooksBehind: { name: 'the look for webhooks that are behind', everySeconds: minute },
  /** Exchanges request counts with other servers. access/request-rates.ts */
  requestRates: { name: 'the sharing of rate limits', everySeconds: 1, frees: true, everywhere: true },
  /** Copies small packs from the database into the object store. upkeep/compaction.ts */
  compaction: { name: 'the compaction of small packs', everySeconds: 10 },
  /** Writes a heartbeat of background work. monitoring/heartbeat.ts */
  heartbeat: { name: 'the sign of life of background work', everySeconds: 15 },
  /** Checks whether any process does background work. monitoring/heartbeat.ts */
  heartbeatWatch: { name: 'the look for background work', everySeconds: 15, frees: true, everywhere: true },
  /** Checks whether the disk is full. monitoring/disk-watch.ts */
  diskWatch: { name: 'the look for a full disk', everySeconds: 5, frees: true, everywhere: true },
  /** Compares this process's clock with the database's. clock.ts */
  clock: { name: 'the comparison of clocks', everySeconds: 15, frees: true, everywhere: true },
  /** Ends idle push sessions and deletes the data of ended ones. pushes/session/sessions.ts */
  pushExpiry: { name: 'the expiry of push sessions', everySeconds: minute, frees: true },
  /** Deletes expired rows, vacuums the embedded database. upkeep/expiry.ts */
  expiry: { name: 'expiry', everySeconds: 5 * minute, onceInSeconds: hour },
  /** Removes data that no version needs. upkeep/sweep/daily.ts */
  sweep: { name: 'the daily sweep', everySeconds: 10 * minute, onceInSeconds: day, frees: true },
  /** Deletes table files of data that is no longer stored, at once after an erasure. upkeep/sweep/table-sweep.ts */
  tableSweep: { name: 'the sweep of table files', everySeconds: 5, frees: true, everywhere: true },
} as const satisfies Record<string, Repeated>
