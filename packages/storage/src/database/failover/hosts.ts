/**
 * Connection strings with several hosts, in libpq's form `postgres://user@a:5432,b:5432/database?target_session_attrs=read-write`. The
 * driver knows neither lists of hosts nor `target_session_attrs`.
 */

/** Servers of one database, of which one is the primary. */
export interface DatabaseHosts {
  /** One connection string per host, without `target_session_attrs`. At least one. */
  readonly urls: readonly string[]
  /** True if only the primary may be used: there are several hosts, or the connection string demands it. */
  readonly onlyPrimary: boolean
}

const attribute = 'target_session_attrs'
/** Both mean the same here: a server whose primary accepts no writes cannot be used. */
const attributes = ['read-write', 'primary']

/** The driver takes all of these for verify-full, but the ones here with a long warning about its next version. */
const aliases = /^sslmode=(?:prefer|require|verify-ca)$/

/**
 * Splits the connection string. A list in the query (`?host=a,b&port=1,2`) is not supported.
 * @throws Error with a sentence for an unsupported `target_session_attrs`
 */
export function databaseHosts(url: string): DatabaseHosts {
  const [, before = '', authority = '', path = '', query = ''] =
    /^([a-z]+:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/is.exec(url) ?? []
  const parameters = query.split('&').filter((one) => one !== '')
  const demanded = parameters.filter((one) => one.startsWith(`${attribute}=`))
  for (const one of demanded)
    if (!attributes.includes(one.slice(attribute.length + 1)))
      throw new Error(`${attribute} must be read-write: Ulmus can only use the primary.`)
  const isCompatible = parameters.includes('uselibpqcompat=true')
  const others = parameters
    .filter((one) => !demanded.includes(one))
    .map((one) => (aliases.test(one) && !isCompatible ? 'sslmode=verify-full' : one))
  const after = path + (others.length > 0 ? `?${others.join('&')}` : '')
  const hosts = authority.split(',')
  const onlyPrimary = hosts.length > 1 || demanded.length > 0
  const isUnchanged = !onlyPrimary && parameters.every((one) => others.includes(one))
  return { urls: isUnchanged ? [url] : hosts.map((host) => before + host + after), onlyPrimary }
}
