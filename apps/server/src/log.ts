/** Log format of the server: one JSON object per line, without user data in errors. */
import { loggedError } from '@ulmus/registry'
import type { LoggerOptions } from 'pino'

export const logOptions = (level: string): LoggerOptions => ({ level, serializers: { err: loggedError } })
