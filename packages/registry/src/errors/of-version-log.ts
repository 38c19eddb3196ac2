/** Part of the catalogue (`catalogue.ts`) for refusals of the signed log only. docs/errors.md has each code. */
import { entry } from './entry.ts'

export const refusalsOfVersionLog = {
  not_logged: entry(
    'missing',
    (f) =>
      `The log has no statement about ${f.version}: it was made before the log, or the statement was erased.`,
  ),
  log_behind: entry('unavailable', () => 'The version is not in the signed log yet. Try again shortly.'),
  log_unavailable: entry('unsupported', () => 'This registry signs no log.'),
}
