/** `2026-11-28 14:03:05 UTC`, rounded to the second. @param instant ISO 8601 */
export const instantText = (instant: string): string =>
  `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`
