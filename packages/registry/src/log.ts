/**
 * Logger that the registry requires: structured fields, then one sentence for operators. Its signatures are those of pino, so that the
 * server can pass its own logger without the registry depending on one.
 */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
