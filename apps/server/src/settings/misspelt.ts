/** Finds environment variables that look like a misspelt setting. */
import { distance } from 'fastest-levenshtein'
import type { Environment } from '../variables/variables.ts'

/** Beginnings of names that only settings of this server have. */
const ownBeginnings = [
  ...['OIDC_', 'S3_', 'VERSION_LOG_', 'RATE_LIMIT_', 'OUTSIDE_', 'SECRETS_KEY_', 'OPERATOR_', 'QUOTA_'],
  ...['KEEP_DELETED_', 'SITE_', 'TABLES_', 'TRUSTED_ISSUERS_', 'DISK_RESERVE_', 'PUSH_IDLE_'],
]
/** Variables of the command line `ulmus`. */
const ofClients = new Set(['ULMUS_HOST', 'ULMUS_TOKEN'])
/** Kubernetes sets these for each service, with the name of the service before them. */
const ofKubernetes = /_(?:SERVICE_(?:HOST|PORT(?:_.*)?)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)$/
/** It sets `…_PORT` too, which a person sets to a number. */
const isServicePort = (name: string, value: string): boolean =>
  name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value)

/** Names that other programs give to what a setting says. */
const otherNames = new Map([
  ...['HOST', 'PORT', 'SERVER', 'USER', 'USERNAME', 'PASS', 'PASSWORD', 'URI'].map(
    (part): [string, string] => [`SMTP_${part}`, 'SMTP_URL'],
  ),
  ...['SMTP_FROM', 'SMTP_SENDER'].map((name): [string, string] => [name, 'MAIL_FROM']),
  ['S3_BUCKET', 'OBJECT_STORE'],
  ['S3_REGION', 'AWS_REGION'],
  ['S3_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
  ['S3_SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'],
  ['SITE_URL', 'PUBLIC_URL'],
  ['BASE_URL', 'PUBLIC_URL'],
  ...['POSTGRES_URL', 'POSTGRES_URI', 'DATABASE_URI', 'DB_URL', 'DB_URI'].map((name): [string, string] => [
    name,
    'DATABASE_URL',
  ]),
])
/** Words that begin settings, and are names of variables of other programs by themselves. */
const words = new Set(['VERSION', 'SESSION', 'EVENT', 'PUBLIC', 'README'])

/** Typing errors that a name may have. Short names, such as PORT, are near to names of other programs. */
const errorsMax = (name: string): number => (name.length < 7 ? 0 : name.length < 9 ? 1 : 2)

const sorted = (name: string): string => name.split('_').sort().join('_')

/** @param known names of all settings. @returns a sentence for each variable that is set and probably a misspelt setting */
export function misspeltSettings(env: Environment, known: readonly string[]): string[] {
  const sentences: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (known.includes(name) || ofClients.has(name) || ofKubernetes.test(name)) continue
    if (value === undefined || value.trim() === '' || isServicePort(name, value)) continue
    const meant = meantBy(name, known)
    if (meant !== undefined) sentences.push(`${name} is not a setting: did you mean ${meant}?`)
    else if (ownBeginnings.some((beginning) => name.startsWith(beginning)))
      sentences.push(`${name} is not a setting: docs/configuration.md lists them all.`)
  }
  return sentences
}

function meantBy(given: string, known: readonly string[]): string | undefined {
  const name = given.replace(/^ULMUS_/, '')
  const isOurs = name !== given
  const upper = name.toUpperCase()
  if (known.includes(upper) && (upper.length > 6 || isOurs)) return upper
  if (name !== upper) return undefined
  const [nearest] = known
    .map((one) => ({ one, errors: errorsBetween(one, name) }))
    .filter(({ one, errors }) => errors <= (isOurs ? Math.max(1, errorsMax(one)) : errorsMax(one)))
    .sort((a, b) => a.errors - b.errors)
  return nearest?.one ?? otherNames.get(name) ?? known.find((one) => lacksWords(name, one))
}

/** Typing errors, of which none is counted for another order of words, a wrong number, or two letters in the wrong order. */
function errorsBetween(known: string, name: string): number {
  const isPlural = `${known}S` === name || known === `${name}S`
  return isPlural || sorted(known) === sorted(name) || areSwapped(known, name) ? 0 : distance(known, name)
}

/** True if two neighbouring letters changed their places, as in PROT. */
function areSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, place) => letter !== b[place])
  return at >= 0 && a.slice(0, at) + a[at + 1] + a[at] + a.slice(at + 2) === b
}

/** True if `name` is `known` without some of its words: QUOTA of QUOTA_BYTES, or OIDC_SECRET of OIDC_CLIENT_SECRET. */
function lacksWords(name: string, known: string): boolean {
  const [given, all] = [name.split('_'), known.split('_')]
  if (given.length >= all.length || given[0] !== all[0]) return false
  // Another program's name of one word lacks much more than a unit, and is short or among `words`.
  if (given.length === 1) return all.length === 2 && name.length > 4 && !words.has(name)
  return given.every((word) => all.includes(word))
}
