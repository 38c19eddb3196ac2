/** Instants as answers write them. */

/** `2026-01-15T00:00:00.000Z` */
export const instantText = (date: Date): string => date.toISOString()
/** The same, null for none. */
export const instantTextOrNull = (date: Date | null): string | null => date?.toISOString() ?? null
