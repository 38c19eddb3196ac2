/** The settings as a server would use them, for `ulmus-server config`. */
import { usualTablesBytes } from '@ulmus/registry'
import { readConfig, readSecrets } from '../config.ts'
import { connectionsFor, readDescriptors } from '../descriptors.ts'
import { urlAt } from '../loopback.ts'
import type { Environment, ReadVariable } from '../variables/variables.ts'
import { ownKeys } from './files.ts'
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

export const settingNames = (): string[] => [...readAll({}).keys()]

/** Sentences about variables that are probably misspelt settings. */
export const misspeltIn = (env: Environment): string[] => misspeltSettings(env, settingNames())

/** Defaults that follow from other settings or from this machine, as a start finds them. @throws ConfigError */
async function foundDefaults(env: Environment): Promise<ReadonlyMap<string, unknown>> {
  const { host, port, dataFolder } = readConfig(env)
  const { databaseUrl } = readSecrets(env)
  const own = ownKeys(dataFolder, databaseUrl)
  return new Map<string, unknown>([
    ['PUBLIC_URL', port === 0 ? undefined : urlAt(host, port)],
    ['SECRETS_KEY_FILE', own?.secrets],
    ['VERSION_LOG_KEY_FILE', own?.log],
    ['MAX_CONNECTIONS', connectionsFor(readDescriptors(databaseUrl === undefined))],
    ['TABLES_BYTES', await usualTablesBytes(dataFolder)],
  ])
}

/**
 * One line per setting: name, source and value, in the order in which they are read.
 * @param file variables of a file, which take precedence; undefined: there is none
 * @throws ConfigError for the first invalid setting
 */
export async function effectiveSettings(env: Environment, file: Environment | undefined): Promise<string[]> {
  const all = { ...env, ...file }
  const isSet = (from: Environment | undefined, name: string) => (from?.[name]?.trim() ?? '') !== ''
  const defaults = await foundDefaults(all)
  return [...readAll(all)].map(([name, value]) => {
    const source = isSet(file, name) ? 'file' : isSet(all, name) ? 'environment' : 'default'
    return `${name.padEnd(28)}${source.padEnd(13)}${shownValue(name, value ?? defaults.get(name))}`
  })
}

function shownValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return secretNames.has(name) ? '(set, not shown)' : withoutPasswords(String(value))
}

/** Hides passwords in URLs: `https://user:…@host`, `?password=…`. */
export const withoutPasswords = (text: string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):[^/?#]*@/i, '$1:***@')
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, '$1***')
