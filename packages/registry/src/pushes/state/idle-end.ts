/** How long an open session lasts without a request. */
import type { Context } from '../../context.ts'

type Idling = Pick<Context, 'now' | 'limits'>

/** When an open session ends if nothing more comes. */
export const idleEnd = ({ now, limits }: Idling): Date =>
  new Date(now().getTime() + limits.pushIdleSeconds * 1000)

/** Of the time that a session may idle, so much may go by before a mere poll is written down: a minute of an hour. */
const unwrittenPart = 1 / 60

/** True if a poll should postpone the session's end: polls may be frequent, so only after a while. */
export const isWorthPuttingOff = (context: Idling, end: Date): boolean =>
  idleEnd(context).getTime() - end.getTime() >= context.limits.pushIdleSeconds * 1000 * unwrittenPart
