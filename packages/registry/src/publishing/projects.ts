/** Addresses of projects at the sites of issuers: which project an address names, and which site an issuer belongs to. */
import type { IssuerKind } from '@ulmus/storage'

/** An issuer without its keys. */
export interface NamedIssuer {
  readonly issuer: string
  readonly kind: IssuerKind
}

export interface Project extends NamedIssuer {
  /** `owner/name`, at GitLab with all its groups. */
  readonly name: string
}

/** Origin and path of the site where an issuer's projects are, without a slash at the end. */
export function siteOf({ issuer, kind }: NamedIssuer): string {
  const url = new URL(issuer)
  if (kind === 'github') {
    // GitHub Enterprise Server issues at `https://HOST/_services/token`.
    if (url.pathname.startsWith('/_services/')) return url.origin
    if (url.hostname === 'token.actions.githubusercontent.com') return 'https://github.com'
    return url.origin.replace('//token.actions.', '//')
  }
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

/**
 * The project that an address names: of any page of the project, or of its repository (`https://…​.git`, `git@host:…​.git`).
 * @returns undefined if it is no project of these issuers
 */
export function projectAt(issuers: readonly NamedIssuer[], address: string): Project | undefined {
  const text = address
    .trim()
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/')
    .replace(/^(?!https?:)/, 'https://')
  if (!URL.canParse(text)) return undefined
  const { origin, pathname } = new URL(text)
  for (const issuer of issuers) {
    if (issuer.kind !== 'github' && issuer.kind !== 'gitlab') continue
    const site = new URL(siteOf(issuer))
    const base = site.pathname.replace(/\/$/, '')
    if (site.origin !== origin || !pathname.startsWith(`${base}/`)) continue
    const parts = nameParts(issuer.kind, pathname.slice(base.length + 1))
    if (parts !== undefined) return { issuer: issuer.issuer, kind: issuer.kind, name: parts.join('/') }
  }
  return undefined
}

function nameParts(kind: IssuerKind, path: string): string[] | undefined {
  const [project = ''] = path.split('/-/')
  const parts = (kind === 'gitlab' ? project : path).split('/').filter((part) => part !== '')
  const named = kind === 'github' ? parts.slice(0, 2) : parts
  if (named.length < 2) return undefined
  const last = named.at(-1)!.replace(/\.git$/, '')
  const all = [...named.slice(0, -1), last]
  return all.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)) ? all : undefined
}
