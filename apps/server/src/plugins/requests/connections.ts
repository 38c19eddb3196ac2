/**
 * Limits connections, in total and per address. Excess connections are closed at once: a process without free descriptors cannot read files
 * or start threads, and aborts.
 */
import { BlockList, isIP, type Server, type Socket } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import { peerOf, withoutMapping } from '@ulmus/registry'
import type { FastifyServerOptions } from 'fastify'

export interface ConnectionLimits {
  /** Limit in total. */
  readonly most: number
  /** Fastify's setting: trusted proxies share connections of many clients. */
  readonly trustProxy: FastifyServerOptions['trustProxy']
  /** True for an address that many clients share. Default: `carriesMany`. */
  readonly isOfMany?: (address: string) => boolean
}

/** Share of all connections for one address. */
const addressShare = 1 / 4
/** Above this share of the limit, idle connections are closed earlier. */
const scarceShare = 1 / 2
/** Idle time of a connection. Usual proxies keep one for 60 s, and should be the first to close it. Milliseconds. */
const keptMilliseconds = 72_000
/** Idle time above `scarceShare`. Milliseconds. */
const keptMillisecondsScarce = 5_000
/** Minimum interval between two rounds that close idle connections. Milliseconds. */
const closingMilliseconds = 1_000
/** Minimum interval between log lines about refused connections. Milliseconds. */
const loggingMilliseconds = 60_000

/** Time for the request line and headers, from the connection or from the first byte, and the interval between checks. Milliseconds. */
export const headersTimes = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Returns the number of open connections. Call it before the server listens. */
export function limitConnections(
  server: Server & { keepAliveTimeout: number; closeIdleConnections(): void },
  { most, trustProxy, isOfMany = carriesMany(trustProxy) }: ConnectionLimits,
  log: { warn(facts: object, line: string): void },
): () => number {
  const mostOfAddress = Math.max(1, Math.floor(most * addressShare))
  const openByAddress = new Map<string, number>()
  let open = 0
  let refused = 0
  const closeIdle = atMostEvery(closingMilliseconds, () => server.closeIdleConnections())
  const tell = atMostEvery(loggingMilliseconds, (what: string) => {
    log.warn({ open, most, mostOfAddress, refused }, what)
    refused = 0
  })
  const adjust = () => {
    server.keepAliveTimeout = open > most * scarceShare ? keptMillisecondsScarce : keptMilliseconds
  }

  server.maxConnections = most
  adjust()
  server.on('drop', () => {
    refused++
    closeIdle()
    tell(
      'There are as many connections as there may be: others are closed at once. MAX_CONNECTIONS sets how many.',
    )
  })
  server.on('connection', (socket: Socket) => {
    open++
    adjust()
    const address = peerOf(socket.remoteAddress)
    const count = (openByAddress.get(address) ?? 0) + 1
    openByAddress.set(address, count)
    socket.once('close', () => {
      open--
      adjust()
      const left = openByAddress.get(address)! - 1
      if (left > 0) openByAddress.set(address, left)
      else openByAddress.delete(address)
    })
    if (count <= mostOfAddress || isOfMany(socket.remoteAddress ?? '')) return
    refused++
    socket.destroy()
    tell(
      'One address has as many connections as it may have: others are closed at once. If it is a proxy, name it in TRUST_PROXY.',
    )
  })
  return () => open
}

/** Matches addresses shared by many clients: trusted proxies, and this machine, where unnamed proxies may run. */
export function carriesMany(trustProxy: ConnectionLimits['trustProxy']): (address: string) => boolean {
  const isTrusted = trustFunction(trustProxy)
  return (address) => {
    const plain = withoutMapping(address)
    const version = isIP(plain)
    if (version === 0) return false
    return loopback.check(plain, version === 6 ? 'ipv6' : 'ipv4') || isTrusted(plain, 0)
  }
}

/** Same interpretation as Fastify's. */
function trustFunction(
  trustProxy: ConnectionLimits['trustProxy'],
): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'function') return trustProxy
  if (typeof trustProxy === 'string') return compile(trustProxy.split(',').map((part) => part.trim()))
  return Array.isArray(trustProxy) ? compile(trustProxy) : () => trustProxy === true
}

function atMostEvery<Args extends unknown[]>(milliseconds: number, act: (...args: Args) => void) {
  let last = Number.NEGATIVE_INFINITY
  return (...args: Args) => {
    const now = performance.now()
    if (now - last < milliseconds) return
    last = now
    act(...args)
  }
}
