/** Texts of mails. They have slugs, roles and dates, and no text that others wrote: a mail must not carry messages of strangers. */
import type { MailContent } from '@ulmus/storage'
import { line, type MailText } from '../smtp/transport.ts'

interface Site {
  readonly siteName: string
  readonly contact: string | undefined
  readonly origin: string
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/**
 * @param token of the link, or the id of an invitation of an account
 * @param isOfAccount false: the reader may have no account, and so no settings
 */
export function invitationText(
  content: MailContent,
  token: string,
  site: Site,
  isOfAccount: boolean,
): MailText {
  const { organization, inviter, role, collection, grant, expiresAt } = content
  const to = collection === null ? organization : `${organization}/${collection}`
  const what = collection === null ? `the organization ${to}` : `the collection ${to}`
  const as = collection === null ? role : `a collaborator with the grant ${grant}`
  const subject = `Invitation to ${to} on ${line(site.siteName)}`
  const text = [
    `${inviter ?? 'A member'} invites you to ${what} on ${line(site.siteName)}, as ${as}.`,
    `Accept or decline until ${dayOf(expiresAt)}:\n${site.origin}/invitations/${token}`,
    'If you do not know what this is about, ignore it: nothing happens without your consent.',
  ]
  return { subject, text: withFoot(text, site, isOfAccount) }
}

export function keyText(content: MailContent, site: Site): MailText {
  const label = line(content.label ?? '')
  const day = dayOf(content.expiresAt)
  const text = [
    `Your API key "${label}" (${content.start}…) expires on ${day}.`,
    `What uses it will be refused then. Make another key, and remove this one:\n${site.origin}/settings/keys`,
  ]
  return { subject: `An API key expires on ${day}`, text: withFoot(text, site, true) }
}

/** To the operators: what the reporter wrote is on their page. */
export function reportText(
  { collection, reason }: { collection: string; reason: string },
  site: Site,
): MailText {
  const text = [
    `A reader reported the collection ${collection} (${reason}).`,
    `The report, and what you can do about it:\n${site.origin}/admin#reports`,
  ]
  return { subject: `${collection} was reported`, text: withFoot(text, site, false) }
}

function withFoot(paragraphs: readonly string[], site: Site, isOfAccount: boolean): string {
  const { siteName, contact, origin } = site
  const foot = [
    ...['-- ', `${line(siteName)}, ${origin}`],
    ...(contact === undefined ? [] : [`Contact: ${contact.replace(/^mailto:/, '')}`]),
    ...(isOfAccount ? [`No more of these mails: ${origin}/settings`] : []),
  ]
  return `${[...paragraphs, foot.join('\n')].join('\n\n')}\n`
}
