/**
 * Log of mails that are not sent: one line when the mail server takes none, one when it does again, and one for each mail that is given up
 * for another reason.
 */
import type { Log } from '../log.ts'
import type { MailError } from '../smtp/transport.ts'

export interface MailLog {
  sent(): void
  /** @param isLast true: there is no further attempt */
  failed(error: MailError, isLast: boolean): void
}

export function mailLogOf(log: Log): MailLog {
  /** Undefined: mails are sent. Milliseconds. */
  let awaySince: number | undefined
  return {
    sent() {
      if (awaySince === undefined) return
      const seconds = Math.round((performance.now() - awaySince) / 1_000)
      awaySince = undefined
      log.info({ seconds }, `The mail server takes mail again, after ${seconds} s.`)
    },
    failed({ isOutage, message }, isLast) {
      const why = message.replace(/\.$/, '')
      if (isOutage && awaySince === undefined) {
        awaySince = performance.now()
        log.warn(
          {},
          `The mail server takes no mail: ${why}. /admin/state lists the mails that wait or failed.`,
        )
      } else if (!isOutage && isLast)
        log.warn({}, `A mail is not sent: ${why}. /admin/state lists it, with a button that sends it again.`)
    },
  }
}
