/** Instants: which there are, and how answers write them. */
import { RegistryError } from './errors/errors.ts'

/** `2026-01-15T00:00:00.000Z` */
export const instantText = (date: Date): string => date.toISOString()
/** The same, null for none. */
export const instantTextOrNull = (date: Date | null): string | null => date?.toISOString() ?? null

/** Whether a date is one, and of the years 1 to 9999 in UTC: those that answers write in four digits and PostgreSQL reads. */
export function isInstant(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** @param field whose text it is. @throws invalid_request when it is none */
export function readInstant(field: string, text: string): Date {
  const date = new Date(text)
  if (isInstant(date)) return date
  const issues = [{ path: field, message: 'must be in the years 0001 to 9999, in UTC' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}
