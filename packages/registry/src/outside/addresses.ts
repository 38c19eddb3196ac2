/**
 * Addresses that requests to others' servers may reach: public unicast addresses, and others that the operator lists in `OUTSIDE_ALLOW`.
 * Without this, anyone who may name an address could make the registry read the operator's inner network.
 */
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.process>
type Range = [Address, number]

/** Of `OUTSIDE_ALLOW`. */
export interface Allowed {
  /** `10.1.0.0/16`, or one address: hosts in it are reached by https on port 443. */
  readonly networks: readonly Range[]
  /** `https://ci.internal:8443`, as `URL.origin` has it without `https:`' own port: reached whatever its address is. */
  readonly origins: ReadonlySet<string>
}

export const nothingAllowed: Allowed = { networks: [], origins: new Set() }

/** Public addresses of IPv6 are in here alone; `::a.b.c.d` and other forms of old are not. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** These never receive a request, even in an allowed network: they stand for this machine, or for many. */
const never = new Set(['unspecified', 'broadcast', 'multicast'])

/** Host of a `URL`, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** True of names that always mean the machine itself (RFC 6761 §6.3), also with a dot at the end. `host` is in lower case. */
export const isThisMachine = (host: string): boolean => /(?:^|\.)localhost\.?$/.test(host)

export const isLiteral = (host: string): boolean => ipaddr.isValid(host)

/** Ends of names that the public DNS does not have, by RFC 6761, 6762 and 8375 and by custom. */
const innerNames = /(?:^[^.]+|\.(?:localhost|local|internal|intranet|lan|corp|home\.arpa|test))\.?$/

/** True of hosts that only this machine or an inner network knows. */
export function isInnerHost(url: URL): boolean {
  const host = hostOf(url)
  return isLiteral(host) ? !mayReach(host, nothingAllowed) : innerNames.test(host)
}

/**
 * Reads `OUTSIDE_ALLOW`: networks (`10.1.0.0/16`), addresses, hosts with a port (`ci.internal:8443`) and origins
 * (`http://127.0.0.1:9000`), separated by commas.
 * @throws Error with a sentence that names the faulty part
 */
export function readAllowed(text: string): Allowed {
  const networks: Range[] = []
  const origins = new Set<string>()
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const network = networkOf(part)
    const origin = network === null ? originOf(part) : null
    if (network !== null) networks.push(network)
    else if (origin !== null) origins.add(origin)
    else
      throw new Error(
        `"${part}" is neither a network (10.1.0.0/16), an address, a host with its port (ci.internal:443) nor an origin (http://127.0.0.1:9000)`,
      )
  }
  return { networks, origins }
}

function networkOf(part: string): Range | null {
  if (ipaddr.isValidCIDR(part)) {
    const [address, bits] = ipaddr.parseCIDR(part)
    return [address, bits]
  }
  if (!ipaddr.isValid(part) || !/[:.].*[:.]/.test(part)) return null
  const address = ipaddr.process(part)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Names and bracketed addresses. */
const plainHost = /^(?:[a-z0-9_.-]+|\[[0-9a-f:]+\])$/i

/** False for characters that a URL may have in its host, but no host in its name: `*`, or `;` between two URLs. */
export const hasPlainHost = (url: URL): boolean => plainHost.test(url.hostname)

function originOf(part: string): string | null {
  const hasScheme = /^https?:\/\//i.test(part)
  // A bare name may as well be a slip for an address. With its port it is meant.
  if (!hasScheme && !/:\d+$/.test(part)) return null
  const text = hasScheme ? part : `https://${part}`
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const { origin, username, password, pathname, search, hash } = url
  const isPlain = hasPlainHost(url) && username + password + search + hash === ''
  return isPlain && pathname === '/' ? origin : null
}

/**
 * Whether a request may go to `address`.
 * @param named whether the operator allowed the host by its name; then only the addresses of `never` and of link-local are refused
 */
export function mayReach(address: string, allowed: Allowed, named = false): boolean {
  if (!ipaddr.isValid(address)) return false
  const read = ipaddr.process(address)
  const range: string = read.range()
  if (never.has(range)) return false
  const holding = allowed.networks
    .filter(([network]) => network.kind() === read.kind())
    .filter(([network, bits]) => read.match(network, bits))
  // Clouds tell secrets of a machine at 169.254.169.254: a wide network must not open it by accident.
  if (range === 'linkLocal')
    return holding.some(([network, bits]) => bits === (network.kind() === 'ipv4' ? 32 : 128))
  if (named || holding.length > 0) return true
  return range === 'unicast' && (read.kind() === 'ipv4' || read.match(globalUnicast))
}
