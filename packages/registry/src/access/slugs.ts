/**
 * Slugs, the names of accounts and collections in paths: their form, reserved words, proposals for new ones. http-api §1. Look-ups
 * skip accounts with an impossible slug, so a stricter form would make existing accounts unreachable.
 */
import { randomBytes } from 'node:crypto'
import { RegistryError } from '../errors/errors.ts'

/** Maximum length of an account's slug, as in docs/limits.md. Characters. */
export const accountSlugMax = 39
/** Maximum length of a collection's slug, as in docs/limits.md. Characters. */
export const collectionSlugMax = 100

const shape = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** Paths that the service uses or may use one day. An account with such a slug would be mistaken for part of the service. */
export const reservedAccountSlugs: ReadonlySet<string> = new Set(
  `about access account accounts admin administrator api app apps assets auth billing blog browse cdn changelog collection
  collections config console contact dashboard demo dev developers docs download downloads explore export favicon file files
  fork forks health healthz help home import index internal invitation invitations issues jobs keys legal livez log login logout mail me members
  membership memberships metadata metrics new news notifications null oauth oidc org organization organizations orgs owner
  pages ping policy press pricing privacy private profile profiles public push pushes readyz records register registry robots
  root schemas search security session sessions settings shop sign-in sign-out sign-up signin signout signup sitemap src
  staff static status store support system teams terms tokens trending ulmus undefined user users versions web webhooks
  well-known www`
    .split(/\s+/)
    .sort(),
)

/** Only the registry assigns slugs with this prefix, so that one is always free when a person is erased. */
const givenPrefix = 'erased-'
export const isErasedSlug = (slug: string): boolean => slug.startsWith(givenPrefix)
/** A new slug for the anonymous account that remains of an erased person. */
export const erasedSlug = (): string => givenPrefix + randomBytes(12).toString('hex')
const isReserved = (slug: string): boolean => reservedAccountSlugs.has(slug) || slug.startsWith(givenPrefix)

/** True if an account can have this slug. Callers skip the look-up otherwise. */
export const isAccountSlug = (text: string): boolean => text.length <= accountSlugMax && shape.test(text)
export const isCollectionSlug = (text: string): boolean =>
  text.length <= collectionSlugMax && shape.test(text)

/** @throws invalid_slug, reserved_slug */
export function checkAccountSlug(slug: string): void {
  if (!isAccountSlug(slug)) throw invalid(slug, accountSlugMax)
  if (isReserved(slug)) throw new RegistryError('reserved_slug', { say: { slug } })
}

/** @throws invalid_slug */
export function checkCollectionSlug(slug: string): void {
  if (!isCollectionSlug(slug)) throw invalid(slug, collectionSlugMax)
}

/** Escapes and shortens the slug, so that any log and terminal can show it. */
function invalid(slug: string, max: number): RegistryError {
  const shown = JSON.stringify(slug.toWellFormed()).slice(1, -1)
  return new RegistryError('invalid_slug', {
    say: { slug: shown.length > 120 ? `${shown.slice(0, 120)}…` : shown, max },
  })
}

/**
 * Makes an account slug from any text: strips accents and replaces runs of other characters by hyphens. Returns undefined if
 * nothing is left, as for a name in another script, or if only the registry may assign the slug.
 */
export function slugFrom(text: string): string | undefined {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimHyphens(trimHyphens(plain).slice(0, accountSlugMax))
  // A suffix would not help: the prefix is the registry's own.
  return slug === '' || slug.startsWith(givenPrefix) ? undefined : slug
}

/** `ann`, `ann-2`, `ann-3`…, cut to the maximum length, without reserved slugs. Begins at number `from`; the first is 1. */
export function slugCandidates(base: string, from: number, count: number): string[] {
  return numbered(base, from, count, accountSlugMax).filter((slug) => !isReserved(slug))
}

/** The same for a collection: `maps`, `maps-2`, `maps-3`… */
export const collectionSlugCandidates = (base: string, from: number, count: number): string[] =>
  numbered(base, from, count, collectionSlugMax)

const numbered = (base: string, from: number, count: number, max: number): string[] =>
  Array.from({ length: count }, (_, i) => {
    const suffix = from + i === 1 ? '' : `-${from + i}`
    return trimHyphens(base.slice(0, max - suffix.length)) + suffix
  })

const trimHyphens = (text: string) => text.replace(/^-+|-+$/g, '')
