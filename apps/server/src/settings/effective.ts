/** The settings as a server would use them, for `ulmus-server config`. */
import { readConfig, readSecrets } from '../config.ts'
import type { Environment, ReadVariable } from '../variables/variables.ts'
import { misspeltSettings } from './misspelt.ts'

/** Values that are never printed. */
const secretNames = new Set(['OIDC_CLIENT_SECRET', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])

/** All variables that are read from `env`. @throws ConfigError */
function readAll(env: Environment): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const note = ({ name, value }: ReadVariable) => {
    values.set(name, value ?? values.get(name))
  }
  readConfig(env, note)
  readSecrets(env, note)
  return values
}

/** Sentences about variables that are probably misspelt settings. */
export const misspeltIn = (env: Environment): string[] => misspeltSettings(env, [...readAll({}).keys()])

/**
 * One line per setting: name, source and value, in the order in which they are read.
 * @param file variables of a file, which take precedence; undefined: there is none
 * @throws ConfigError for the first invalid setting
 */
export function effectiveSettings(env: Environment, file: Environment | undefined): string[] {
  const all = { ...env, ...file }
  const isSet = (from: Environment | undefined, name: string) => (from?.[name]?.trim() ?? '') !== ''
  return [...readAll(all)].map(([name, value]) => {
    const source = isSet(file, name) ? 'file' : isSet(all, name) ? 'environment' : 'default'
    return `${name.padEnd(28)}${source.padEnd(13)}${shownValue(name, value)}`
  })
}

function shownValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return secretNames.has(name) ? '(set, not shown)' : withoutPasswords(String(value))
}

/** Hides passwords in URLs: `https://user:…@host`, `?password=…`. */
const withoutPasswords = (text: string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):[^/?#]*@/i, '$1:***@')
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, '$1***')
