/** Settings of a PostgreSQL server. docs/configuration.md */
import { databaseHosts } from '@ulmus/registry'
import { isLoopback } from '../loopback.ts'
import { ConfigError, passwordEscapes } from './variables.ts'

/** Values of `sslmode` that the driver knows. It would take any other for verify-full. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** @throws ConfigError if the database driver cannot parse the URL of each host */
export function demandDatabaseUrl(text: string): void {
  let hosts: readonly string[] = []
  try {
    hosts = databaseHosts(text).urls
  } catch (error) {
    throw new ConfigError(`DATABASE_URL: ${(error as Error).message}`)
  }
  if (!hosts.every(isDatabaseUrl))
    throw new ConfigError(
      `DATABASE_URL must be like postgres://user:password@host:5432/database, with special characters of the password percent-encoded (${passwordEscapes}), or with several hosts: postgres://user:password@one:5432,two:5432/database. Unset it to use the embedded database.`,
    )
  const mode = parametersOf(text).get('sslmode')
  if (mode !== null && !sslModes.includes(mode))
    throw new ConfigError(
      `sslmode in DATABASE_URL must be one of ${sslModes.join(', ')}; it is "${mode}". disable encrypts nothing, no-verify trusts any server, and the others demand a valid certificate.`,
    )
}

/** True if the driver can parse the URL of one host. It decodes each part by itself. */
function isDatabaseUrl(text: string): boolean {
  // A URL without a host has the folder of a socket in its query. The URL parser refuses a user without a host.
  const url = URL.parse(text.replace('@/', '@host/'))
  if (!/^postgres(?:ql)?:\/\//.test(text) || url === null) return false
  // An unescaped character of the password has ended the host, in whose place is the user then.
  if (
    url.hash !== '' ||
    url.hostname.includes(';') ||
    url.pathname.includes('@') ||
    /^\?[^=]*@/.test(url.search)
  )
    return false
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const parametersOf = (url: string) => new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '')

/**
 * The other machine to which a connection with a password goes unencrypted; undefined if there is none, or if the URL itself says how to
 * connect, such as by `sslmode=disable` in a network of its own.
 * @param url as `readSecrets` returns it
 */
export function unencryptedHost(url: string): string | undefined {
  const parameters = parametersOf(url)
  if (['sslmode', 'ssl', 'sslcert', 'sslrootcert', 'sslnegotiation'].some((name) => parameters.has(name)))
    return undefined
  const hosts = databaseHosts(url).urls.map((one) => URL.parse(one))
  const hasPassword = parameters.has('password') || hosts.some((host) => (host?.password ?? '') !== '')
  if (!hasPassword) return undefined
  const names = [...(parameters.get('host')?.split(',') ?? []), ...hosts.map((host) => host?.hostname ?? '')]
  return names.find((name) => name !== '' && !/^(?:\/|%2f)/i.test(name) && !isLoopback(name))
}
