/**
 * Leases on rows of waiting work: a process takes a row for some seconds; if it dies, the lease ends, and another process takes the row.
 * Times are by the database's clock, which all servers share.
 */

/** @param seconds placeholder in the text, such as `$3` */
export const leaseUntil = (seconds: string): string => `now() + make_interval(secs => ${seconds})`

/**
 * Condition on the column `lease_until`: no process has the row.
 * @param secondsMax the longest lease: one that ends later was taken before the clock was turned back
 */
export const isLeaseOver = (secondsMax: number): string =>
  `(lease_until is null or lease_until <= now() or lease_until > clock_timestamp() + make_interval(secs => ${secondsMax}))`
