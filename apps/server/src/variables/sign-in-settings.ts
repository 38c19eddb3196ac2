/** Settings of the sign-in and of operators. docs/configuration.md */
import { hasPlainHost } from '@ulmus/registry'
import { isLoopback } from '../loopback.ts'
import { ConfigError, hasSecondUrl, type Variables } from './variables.ts'

/** Address of the provider's description, below its issuer. Providers name it beside the issuer, so it is given in place of it. */
const descriptionPath = /\/\.well-known\/openid-configuration\/?$/

interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
}

/** True if `readOidc` shortens the issuer. */
export const namesDescription = (read: Variables): boolean =>
  descriptionPath.test(read.text('OIDC_ISSUER') ?? '')

/** @throws ConfigError */
export function readOidc(read: Variables): ProviderSettings | null {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  const set = names.filter((name) => read.text(name) !== undefined)
  if (set.length === 0) return null
  const missing = names.find((name) => !set.includes(name))
  if (missing !== undefined)
    throw new ConfigError(
      `${missing} is not set, but ${set[0]} is. Set all three of ${names.join(', ')}, or none.`,
    )
  const issuer = read.url('OIDC_ISSUER')!
  if (issuer.protocol !== 'https:' && !isLoopback(issuer.hostname)) {
    throw new ConfigError(
      'OIDC_ISSUER must begin with https://; plain http is only for providers on this machine.',
    )
  }
  return Object.freeze({
    issuer: read.text('OIDC_ISSUER')!.replace(descriptionPath, ''),
    clientId: read.text('OIDC_CLIENT_ID')!,
  })
}

/** True if the parts are an issuer with a subject, and not several: URLs and subjects may have a semicolon. */
const isOne = (issuer: string, subject: string): boolean =>
  !hasSecondUrl(issuer) &&
  (!/^https?:/i.test(issuer) || (URL.canParse(issuer) && hasPlainHost(new URL(issuer)))) &&
  !/;.*(?:#|:\/\/)/.test(subject)

/** `issuer#subject`, separated by commas. A subject may contain `#`, the URL of an issuer cannot. */
export function readOperators(read: Variables): { issuer: string; subject: string }[] {
  const given = read.text('OPERATORS')?.split(',') ?? []
  return given.map((one) => {
    const [, issuer, subject] = /^\s*([^#\s]+)#(\S+)\s*$/.exec(one) ?? []
    if (issuer === undefined || subject === undefined)
      throw new ConfigError(
        `OPERATORS must be issuer#subject, with commas between several, such as https://login.example#248289761001; it has "${one.trim()}". (In a file of variables it needs double quotes around it: there a \`#\` may begin a comment.)`,
      )
    if (!isOne(issuer, subject))
      throw new ConfigError(
        `OPERATORS must have commas between several operators, such as https://login.example#248289761001,https://login.example#5; it has "${one.trim()}".`,
      )
    return { issuer, subject }
  })
}

/** `claim:value`. */
export function readOperatorClaim(read: Variables): { readonly name: string; readonly value: string } | null {
  const given = read.text('OPERATOR_CLAIM')
  if (given === undefined) return null
  const [, name, value] = /^([^:\s]+):(\S+)$/.exec(given) ?? []
  if (value?.split(/[;,|]/).some((part, place) => place > 0 && part.startsWith(`${name}:`)))
    throw new ConfigError(
      `OPERATOR_CLAIM must be one claim with one value; it is "${given}". Name further operators in OPERATORS.`,
    )
  if (name !== undefined && value !== undefined) return Object.freeze({ name, value })
  throw new ConfigError(
    `OPERATOR_CLAIM must be claim:value, such as groups:registry-admins; it is "${given}".`,
  )
}
