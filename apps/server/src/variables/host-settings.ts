/** The address to listen on: HOST, and the sentences about one that this machine does not have. */
import { isIP } from 'node:net'
import { ConfigError, type Variables } from './variables.ts'

const wayOut =
  'Unset HOST for this machine alone, or set it to an address that `ip addr` lists, or to 0.0.0.0 or :: for all of them.'

/** @throws ConfigError for characters that no address and no name has, such as those of a port */
export function readHost(read: Variables): string {
  const host = read.textOr('HOST', '127.0.0.1')
  if (isIP(host) !== 0 || /^[a-z0-9_][a-z0-9_.-]{0,252}$/i.test(host)) return host
  throw new ConfigError(
    `HOST is ${host}, which is not an address or a name of this machine (the port goes into PORT). ${wayOut}`,
  )
}

/** Returns undefined for an error that HOST does not cause. @param error of listening on `host` */
export function hostFault(host: string, error: unknown): ConfigError | undefined {
  const { code, syscall, address } = error as NodeJS.ErrnoException & { address?: string }
  if (syscall === 'getaddrinfo')
    return new ConfigError(
      `HOST is ${host}, which is not an address or a name of this machine (${code}). ${wayOut}`,
      { cause: error },
    )
  if (syscall !== 'listen' || !['EADDRNOTAVAIL', 'EINVAL'].includes(code ?? '')) return undefined
  const resolved = address === undefined || address === host ? '' : ` (${address})`
  return new ConfigError(
    `HOST is ${host}${resolved}, which is not an address of this machine (${code}). ${wayOut}`,
    { cause: error },
  )
}
