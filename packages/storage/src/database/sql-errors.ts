/**
 * Classifies errors with which the database refuses statements, so that services can answer a conflict instead of failing. Callers name the
 * constraint that they expect.
 */
import { causes } from '../errors/causes.ts'

/** The database cannot be used, for a reason that its operator can fix. The message says which. */
export class DatabaseUnfitError extends Error {
  override name = 'DatabaseUnfitError'
}

/** True if a unique index or primary key refused the statement; if `constraint` is given, this one. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  isViolation(error, '23505', constraint)

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  for (const told of causes(error)) {
    if (told.code === code) return constraint === undefined || told.constraint === constraint
  }
  return false
}

/**
 * True if a foreign key refused the statement: a row refers to an absent row, or a removed row is still referenced. If `constraint` is
 * given, this foreign key.
 */
export const isForeignKeyViolation = (error: unknown, constraint?: string): boolean =>
  isViolation(error, '23503', constraint)

/** True if the database refused a text because it contains U+0000, which PostgreSQL cannot store. */
export function isUnstorableText(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '22021' || told.code === '22P05') return true
  return false
}

/** True if the same transaction may succeed when run again: serialization failure or deadlock. */
export function isConflict(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '40001' || told.code === '40P01') return true
  return false
}

/** Returns the error that one of our SQL functions raised with this SQLSTATE. */
export function raised(
  error: unknown,
  code: string,
): { message: string; detail: string | undefined } | undefined {
  for (const told of causes(error)) {
    if (told.code !== code) continue
    const { message = '', detail } = told as { message?: string; detail?: string }
    return { message, detail }
  }
  return undefined
}
