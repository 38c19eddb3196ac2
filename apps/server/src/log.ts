/** What every log of the server is like: one JSON object a line, and of errors nothing that users stored. */
import { loggedError } from '@ulmus/registry'
import type { LoggerOptions } from 'pino'

export const logOptions = (level: string): LoggerOptions => ({ level, serializers: { err: loggedError } })
