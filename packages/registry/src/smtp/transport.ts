/** Sends single mails by SMTP. The library is loaded with the first mail. */

import { tlsReason } from '@ulmus/content'

/** Server and sender of mail, and the registry that its texts name. */
export interface MailConfig {
  /** `smtps://user:password@host:465`, or `smtp://` with STARTTLS. */
  readonly url: string
  /** Address of the sender. */
  readonly from: string
  readonly siteName: string
  /** `mailto:` or `https:` URL of the operator. */
  readonly contact: string | undefined
  /** True: the mail server is on this machine. It usually has no certificate. */
  readonly isLocal: boolean
}

export interface MailText {
  readonly subject: string
  readonly text: string
}

/** One line, whatever it was. */
export const line = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** A failed attempt. */
export class MailError extends Error {
  override name = 'MailError'
  /** False: another attempt is refused again, or the mail may have arrived. */
  readonly mayRetry: boolean
  /** True: the server took nothing of this sender. False: it refused this reader or text. */
  readonly isOutage: boolean

  constructor(message: string, { mayRetry, isOutage }: { mayRetry: boolean; isOutage: boolean }) {
    super(message)
    this.mayRetry = mayRetry
    this.isOutage = isOutage
  }
}

const ports = { 'smtps:': 465, 'smtp:': 587 }
/** For each step of the connection. */
const stepMilliseconds = 20_000
/** Longest error that is kept. Characters. */
const errorMax = 300
/** An address that no mail program reads as several, or as a header. */
export const addressShape = /^[^\s@<>(),;:"\\[\]]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

/** @throws MailError */
export async function sendMail(
  config: MailConfig,
  address: string,
  { subject, text }: MailText,
): Promise<void> {
  if (!addressShape.test(address))
    throw new MailError('The address is not one of a single mailbox.', { mayRetry: false, isOutage: false })
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(config.url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const handing = new Handing()
  const transport = createTransport({
    ...{ host, port: Number(port) || ports[secure ? 'smtps:' : 'smtp:'], secure },
    ...{ requireTLS: !secure && !config.isLocal, ignoreTLS: !secure && config.isLocal },
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    ...{ connectionTimeout: stepMilliseconds, greetingTimeout: stepMilliseconds },
    ...{ socketTimeout: stepMilliseconds, disableFileAccess: true, disableUrlAccess: true },
    ...{ transactionLog: true, logger: handing.logger },
  })
  try {
    await transport.sendMail({
      from: { name: line(config.siteName), address: config.from },
      to: { name: '', address },
      ...{ subject, text, headers: { 'Auto-Submitted': 'auto-generated' } },
    })
  } catch (error) {
    throw failureOf(error, { address, secure, isHandedOver: handing.isBegun })
  } finally {
    transport.close()
  }
}

/** Follows the lines of the protocol: after the server asked for the text, the mail may arrive even if the connection breaks. */
class Handing {
  isBegun = false
  #isAsked = false
  readonly logger

  constructor() {
    const ignore = () => undefined
    const debug = (entry: { tnx?: string }, line: unknown) => {
      if (entry.tnx === 'client') this.#isAsked = /^DATA\s*$/m.test(String(line))
      else if (entry.tnx === 'server' && this.#isAsked && /^[23]\d\d[ -]/.test(String(line)))
        this.isBegun = true
    }
    this.logger = {
      ...{ level: ignore, trace: ignore, debug, info: ignore, warn: ignore, error: ignore },
      fatal: ignore,
    }
  }
}

/** Refusals for good (5xx) of the reader or the text are final; wrong credentials and everything else may be mended. */
function failureOf(
  error: unknown,
  { address, secure, isHandedOver }: { address: string; secure: boolean; isHandedOver: boolean },
): MailError {
  const { message, code, command, responseCode } = error as Error & {
    code?: string
    command?: string
    responseCode?: number
  }
  const isRefused = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  const isUnknown = isHandedOver && responseCode === undefined
  const plain = secure ? 'it does not speak TLS at once: use smtp://' : 'it does not speak TLS after STARTTLS'
  const reason = tlsReason(message, plain)
  const why = isUnknown ? `The mail may have arrived: ${reason}` : reason
  const shown = why.replaceAll(address, '(address)').replace(/\s+/g, ' ').slice(0, errorMax)
  const isOfMail = ['EENVELOPE', 'EMESSAGE'].includes(code ?? '') && responseCode !== 421
  return new MailError(shown, {
    mayRetry: !isRefused && !isUnknown,
    isOutage: !isOfMail || command === 'MAIL FROM',
  })
}
