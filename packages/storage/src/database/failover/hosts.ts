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
  const others = parameters.filter((one) => !demanded.includes(one))
  const after = path + (others.length > 0 ? `?${others.join('&')}` : '')
  const hosts = authority.split(',')
  if (hosts.length === 1 && demanded.length === 0) return { urls: [url], onlyPrimary: false }
  return { urls: hosts.map((host) => before + host + after), onlyPrimary: true }
}
