/** Reasons for which the database refused a statement. */
import { causes } from '../errors/causes.ts'

/** The server at the given URL cannot be used, for a reason that its operator can mend. The sentence says which. */
export class DatabaseUnfit extends Error {
  override name = 'DatabaseUnfit'
}

/** Whether a unique index or primary key refused the statement; with `constraint`, that one. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  isViolation(error, '23505', constraint)

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  for (const told of causes(error)) {
    if (told.code === code) return constraint === undefined || told.constraint === constraint
  }
  return false
}

/**
 * Whether a row was refused that refers to one which is not there, or one was to go that others refer to; with `constraint`, by that
 * foreign key.
 */
export const isForeignKeyViolation = (error: unknown, constraint?: string): boolean =>
  isViolation(error, '23503', constraint)

/** Whether a text was refused that no text of PostgreSQL can be: one with U+0000. */
export function isUnstorableText(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '22021' || told.code === '22P05') return true
  return false
}

/** Whether the same transaction may succeed when run again: serialization failure or deadlock. */
export function isConflict(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '40001' || told.code === '40P01') return true
  return false
}

/** Error that a function of ours raised with a code (SQLSTATE) of its own. */
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
