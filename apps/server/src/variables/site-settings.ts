/** Settings of the site: its name, links, contact, logo and colour. */
import { createHash } from 'node:crypto'
import { hasPlainHost, readSettingFile } from '@ulmus/registry'
import { type Site, usualSite } from '@ulmus/web'
import { ConfigError, hasSecondUrl, type Variables } from './variables.ts'

/** Characters of the name, and of the text of a link. */
const nameMax = 60
const labelMax = 40
const linksMax = 8
const logoBytesMax = 102_400

/** A picture that pages show in their head. */
export interface Logo {
  /** Name with a hash of the content: browsers keep it. */
  readonly file: string
  readonly type: string
  readonly bytes: Buffer
}

export interface SiteSettings extends Site {
  readonly logoFile: Logo | undefined
}

/** @throws ConfigError */
export function readSite(read: Variables): SiteSettings {
  const name = read.textOr('SITE_NAME', usualSite.name)
  if (name.length > nameMax)
    throw new ConfigError(`SITE_NAME may have ${nameMax} characters; it has ${name.length}.`)
  const color = read.text('SITE_COLOR')
  if (color !== undefined && !/^#[0-9a-f]{6}$/i.test(color))
    throw new ConfigError(`SITE_COLOR must be a colour such as #2f8f52; it is "${color}".`)
  const logoFile = readLogo(read.path('SITE_LOGO'))
  return {
    ...{ name, color, logoFile },
    links: readLinks(read.text('SITE_LINKS')),
    contact: readContact(read.text('CONTACT')),
    logo: logoFile && `/assets/${logoFile.file}`,
  }
}

const isAddress = (text: string): boolean =>
  URL.canParse(text) && hasPlainHost(new URL(text)) && !hasSecondUrl(text)

/** `Imprint=https://…,Privacy=https://…`. A comma within an address is part of it unless a name and `=` follow. */
function readLinks(text: string | undefined): Site['links'] {
  if (text === undefined) return []
  const links = text.split(/,(?=[^,=/?&]+=\s*https?:)/).map((one) => {
    const [, label = '', url = ''] = /^\s*([^=]+?)\s*=\s*(https?:\S+)\s*$/.exec(one) ?? []
    if (label === '' || label.length > labelMax || !isAddress(url) || /[;|][^;|=/?&]+=\s*https?:/.test(url))
      throw new ConfigError(
        `SITE_LINKS must be names with addresses, such as Imprint=https://example.org/imprint,Privacy=https://example.org/privacy; it has "${one.trim()}". Put commas between them, not semicolons.`,
      )
    return { label, url }
  })
  if (links.length <= linksMax) return links
  throw new ConfigError(`SITE_LINKS may have ${linksMax} links; it has ${links.length}.`)
}

/** One mailbox. Characters that separate several, or end the address in a `mailto:` URL, are refused. */
const mailbox = /^[^\s@<>(),;:"\\[\]?&#]+@[^\s@<>(),;:"\\[\]?&#]+\.[^\s@<>(),;:"\\[\]?&#]+$/

/** An e-mail address, also with `mailto:` before it, or the address of a page. */
function readContact(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (/^https:\/\/\S+$/.test(text) && isAddress(text)) return text
  const address = text.replace(/^mailto:/i, '')
  if (mailbox.test(address)) return `mailto:${address}`
  throw new ConfigError(
    `CONTACT must be an e-mail address or a URL that begins with https://; it is "${text}".`,
  )
}

function readLogo(path: string | null): Logo | undefined {
  if (path === null) return undefined
  const bytes = readSettingFile(
    path,
    (what) => new ConfigError(`SITE_LOGO is ${path}, ${what}`),
    logoBytesMax,
  )
  const isPng = bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))
  if (!isPng && !/^(?:\ufeff)?\s*(?:<\?xml|<!--|<svg)/.test(bytes.subarray(0, 1_000).toString()))
    throw new ConfigError(`SITE_LOGO must be an SVG or PNG file; ${path} is neither.`)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  return isPng
    ? { file: `logo-${hash}.png`, type: 'image/png', bytes }
    : { file: `logo-${hash}.svg`, type: 'image/svg+xml', bytes }
}
