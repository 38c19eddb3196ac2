/** Instants: which there are, and how answers write them. */

/** `2026-01-15T00:00:00.000Z` */
export const instantText = (date: Date): string => date.toISOString()
/** The same, null for none. */
export const instantTextOrNull = (date: Date | null): string | null => date?.toISOString() ?? null

/** Whether a date is one, and of the years 1 to 9999 in UTC: those that answers write in four digits and PostgreSQL reads. */
export function isInstant(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999
}
