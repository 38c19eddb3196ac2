/** Address to listen on: HOST. */
import { isIP } from 'node:net'
import { ConfigError, type Variables } from './variables.ts'

export const hostWayOut =
  'Unset HOST for this machine alone, or set it to an address that `ip addr` lists, or to 0.0.0.0 or :: for all of them.'

/** @throws ConfigError for characters that no address and no name has, such as those of a port */
export function readHost(read: Variables): string {
  const host = read.textOr('HOST', '127.0.0.1')
  if (isIP(host) !== 0 || /^[a-z0-9_][a-z0-9_.-]{0,252}$/i.test(host)) return host
  throw new ConfigError(
    `HOST is ${host}, which is not an address or a name of this machine (the port goes into PORT). ${hostWayOut}`,
  )
}
