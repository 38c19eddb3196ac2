/** Confirmations of a push (`confirm_public`), as its session stores them: given at its opening, and by its commit. */
import { parseJson } from '@ulmus/content'

/** A stored list. */
export const confirmationsIn = (stored: string | null): string[] =>
  stored === null ? [] : (parseJson(stored) as string[])

/** The stored form of a list, with what is stored already; undefined if there is nothing to add. */
export function withConfirmations(stored: string | null, more: readonly string[] = []): string | undefined {
  if (more.length === 0) return undefined
  return JSON.stringify([...new Set([...confirmationsIn(stored), ...more])])
}

/** A session for a dry run, which confirms more. It is not stored: a later commit must confirm it itself. */
export const confirmingAlso = <Row extends { confirmPublic: string | null }>(
  row: Row,
  more: readonly string[] | undefined,
): Row => ({ ...row, confirmPublic: withConfirmations(row.confirmPublic, more) ?? row.confirmPublic })
