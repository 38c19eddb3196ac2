/** Browser sessions: an opaque token of 256 bits, kept as its hash, good for some days since its last use. http-api §2. */
import { randomBytes } from 'node:crypto'
import { hashText } from '@ulmus/content'
import { deleteSession, extendSession, findSession, insertSession } from '@ulmus/storage'
import { onMissingRow } from '../access/missing-row.ts'
import type { Caller } from '../access/principal.ts'
import type { Context } from '../context.ts'

export interface OpenSession {
  readonly caller: Caller
  /** Present when this use moved the session's end, which then lies here. */
  readonly extendedTo?: Date
}

const dayMilliseconds = 86_400_000
/** A use moves the end only when that moves it by this much, so that reading does not mean writing. */
const extendByMin = dayMilliseconds

const tokenShape = /^[\w-]{43}$/

export type Sessions = ReturnType<typeof sessionsOf>

export function sessionsOf(context: Context) {
  const { database, limits } = context
  const endFrom = (now: Date) => new Date(now.getTime() + limits.sessionDays * dayMilliseconds)
  return {
    /** Begins a session. Its token is told only here. @throws sign_in_failed when the account is gone by now. */
    async open(accountId: string): Promise<{ token: string; expiresAt: Date }> {
      const token = randomBytes(32).toString('base64url')
      const createdAt = context.now()
      const expiresAt = endFrom(createdAt)
      const session = { tokenHash: hashText(token), accountId, createdAt, expiresAt }
      await onMissingRow('sign_in_failed', { reason: 'The account was deleted just now.' }, () =>
        database.transact((tx) => insertSession(tx, session)),
      )
      return { token, expiresAt }
    },

    /** Whose session this is; undefined for a token that is none, or no longer. */
    async resolve(token: string): Promise<OpenSession | undefined> {
      const now = context.now()
      const session = tokenShape.test(token) ? await findSession(database, hashText(token)) : undefined
      if (session === undefined || session.expiresAt <= now) return undefined
      const { accountId, accountSlug, tokenHash } = session
      const caller: Caller = {
        kind: 'session',
        accountId,
        accountSlug,
        scope: 'admin',
        limitedTo: null,
        credential: { session: tokenHash },
        expiresAt: null,
      }
      const extendedTo = endFrom(now)
      if (extendedTo.getTime() - session.expiresAt.getTime() < extendByMin || (await context.space.isFull()))
        return { caller }
      await database.transact((tx) => extendSession(tx, tokenHash, extendedTo))
      return { caller, extendedTo }
    },

    /** Ends a session; what is none is left alone. */
    async end(token: string): Promise<void> {
      if (tokenShape.test(token)) await database.transact((tx) => deleteSession(tx, hashText(token)))
    },
  }
}
