import type { Context } from '../context.ts'

/** When an open session ends if nothing more comes. */
export const idleEnd = ({ now, limits }: Pick<Context, 'now' | 'limits'>): Date =>
  new Date(now().getTime() + limits.pushIdleSeconds * 1000)
