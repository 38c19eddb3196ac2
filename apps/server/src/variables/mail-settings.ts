/** Settings of mail. docs/configuration.md */
import { addressShape, hasPlainHost, type MailConfig } from '@ulmus/registry'
import { isLoopback } from '../loopback.ts'
import type { SiteSettings } from './site-settings.ts'
import { ConfigError, passwordEscapes, type Variables } from './variables.ts'

const right =
  'SMTP_URL must be like smtps://user:password@mail.example:465, or smtp://user:password@mail.example:587 for STARTTLS'

/** @returns the address of the sender; null: not set. @throws ConfigError */
export function readMailFrom(read: Variables): string | null {
  const from = read.text('MAIL_FROM')
  const isSet = read.text('SMTP_URL') !== undefined
  if (from !== undefined && !addressShape.test(from))
    throw new ConfigError(`MAIL_FROM must be an e-mail address, such as data@example.org; it is "${from}".`)
  if (from === undefined && isSet)
    throw new ConfigError(
      'MAIL_FROM is not set, but SMTP_URL is. Set it to the address that mail comes from.',
    )
  if (from !== undefined && !isSet)
    throw new ConfigError('SMTP_URL is not set, but MAIL_FROM is. Set both, or none.')
  return from ?? null
}

/** The messages do not repeat the value, which may have a password. @throws ConfigError */
export function readSmtpUrl(read: Variables): string | undefined {
  const text = read.text('SMTP_URL')
  if (text === undefined) return undefined
  if (!URL.canParse(text)) throw new ConfigError(`${right}; it is no URL. In a password, ${passwordEscapes}.`)
  const url = new URL(text)
  const { protocol, hostname, pathname, search, hash, username, password } = url
  if (!/^smtps?:$/.test(protocol)) throw new ConfigError(`${right}; it begins with ${protocol}//.`)
  if (hostname === '') throw new ConfigError(`${right}; it names no host.`)
  if (!hasPlainHost(url)) throw new ConfigError(`${right}; its host has a character that no host has.`)
  if (!/^\/?$/.test(pathname) || search + hash !== '')
    throw new ConfigError(
      `${right}; it has something after the host and the port. In a password, ${passwordEscapes}.`,
    )
  if ((username === '') !== (password === ''))
    throw new ConfigError(`${right}; it has a user without a password, or a password without a user.`)
  try {
    decodeURIComponent(username + password)
  } catch {
    throw new ConfigError(`${right}; in its user or password, write % as %25.`)
  }
  return text
}

/** A sentence about a port of the other protocol, with which no mail is sent; undefined: there is none. @param url as `readSmtpUrl` returns it */
export function portWarning(url: string): string | undefined {
  const { protocol, port } = new URL(url)
  if (protocol === 'smtps:' && port === '587')
    return 'SMTP_URL has smtps:// with port 587, where servers speak STARTTLS: use smtp:// with 587, or smtps:// with 465.'
  if (protocol === 'smtp:' && port === '465')
    return 'SMTP_URL has smtp:// with port 465, where servers speak TLS at once: use smtps:// with 465, or smtp:// with 587.'
  return undefined
}

/** Null: no mail is sent. `OUTSIDE=off` stops mail, too, so that a copy of a registry for a trial sends none that waits in it. */
export const mailOf = (
  { mailFrom: from, outside, site }: MailSettings,
  url: string | undefined,
): MailConfig | null =>
  url === undefined || from === null || outside === null
    ? null
    : {
        ...{ url, from, siteName: site.name, contact: site.contact },
        isLocal: isLoopback(new URL(url).hostname),
      }

interface MailSettings {
  readonly mailFrom: string | null
  readonly outside: object | null
  readonly site: SiteSettings
}
