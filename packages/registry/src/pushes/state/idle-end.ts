/**
 * Idle expiry of open push sessions. Requests of a session postpone its expiry to `idleEnd`; a periodic task ends
 * sessions whose expiry has passed (`expireSessions` of spills.ts).
 */
import type { Context } from '../../context.ts'

type Idling = Pick<Context, 'now' | 'limits'>

/** Expiry of an open session without further requests. */
export const idleEnd = ({ now, limits }: Idling): Date =>
  new Date(now().getTime() + limits.pushIdleSeconds * 1000)

/** Polls postpone the expiry only after this part of the idle time: a minute of an hour. */
const unwrittenPart = 1 / 60

/** True if a poll should postpone the session's expiry; rarely, because polls may be frequent. */
export const isWorthPuttingOff = (context: Idling, end: Date): boolean =>
  idleEnd(context).getTime() - end.getTime() >= context.limits.pushIdleSeconds * 1000 * unwrittenPart
