/** Finds environment variables that look like a misspelt setting. */
import { distance } from 'fastest-levenshtein'
import type { Environment } from '../variables/variables.ts'

/** Beginnings of names that only settings of this server have. */
const ownBeginnings = ['OIDC_', 'S3_', 'VERSION_LOG_', 'RATE_LIMIT_', 'OUTSIDE_', 'SECRETS_KEY_']
/** Variables of the command line `ulmus`. */
const ofClients = new Set(['ULMUS_HOST', 'ULMUS_PORT', 'ULMUS_TOKEN'])
/** Kubernetes sets these for each service, with the name of the service before them. */
const ofKubernetes = /_(?:SERVICE_(?:HOST|PORT(?:_.*)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)?)$/

/** Typing errors that a name may have. Short names, such as PORT, are near to names of other programs. */
const errorsMax = (name: string): number => (name.length < 7 ? 0 : name.length < 9 ? 1 : 2)

const sorted = (name: string): string => name.split('_').sort().join('_')

/** @param known names of all settings. @returns a sentence for each variable that is set and probably a misspelt setting */
export function misspeltSettings(env: Environment, known: readonly string[]): string[] {
  const sentences: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (known.includes(name) || ofClients.has(name) || ofKubernetes.test(name)) continue
    if (value === undefined || value.trim() === '') continue
    const meant = meantBy(name, known)
    if (meant !== undefined) sentences.push(`${name} is not a setting: did you mean ${meant}?`)
    else if (ownBeginnings.some((beginning) => name.startsWith(beginning)))
      sentences.push(`${name} is not a setting: docs/configuration.md lists them all.`)
  }
  return sentences
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const upper = name.replace(/^ULMUS_/, '').toUpperCase()
  if (known.includes(upper) && (upper.length > 6 || name.startsWith('ULMUS_'))) return upper
  if (name !== name.toUpperCase()) return undefined
  const [nearest] = known
    .map((one) => ({ one, errors: sorted(one) === sorted(name) ? 0 : distance(one, name) }))
    .filter(({ one, errors }) => errors <= errorsMax(one))
    .sort((a, b) => a.errors - b.errors)
  if (nearest !== undefined) return nearest.one
  // `OIDC_SECRET` lacks a word of `OIDC_CLIENT_SECRET`.
  const words = name.split('_')
  const beginning = ownBeginnings.find((one) => name.startsWith(one))
  return beginning === undefined
    ? undefined
    : known.find((one) => one.startsWith(beginning) && words.every((word) => one.split('_').includes(word)))
}
