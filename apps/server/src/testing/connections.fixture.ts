/** Loaded into a server by `--import`: appends each address that it connects to, and each name that it resolves, to CONNECTIONS_FILE. */
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const note = (what: unknown) => appendFileSync(process.env['CONNECTIONS_FILE']!, `${String(what)}\n`)

const { connect } = net.Socket.prototype as unknown as { connect(...given: unknown[]): unknown }
Object.assign(net.Socket.prototype, {
  connect(this: net.Socket, ...given: unknown[]) {
    // `net.connect` passes its arguments as one array.
    const [first, host] = (Array.isArray(given[0]) ? given[0] : given) as unknown[]
    const to = (typeof first === 'object' ? first : { host }) as { path?: string; host?: string }
    note(to.path ?? to.host ?? 'localhost')
    return connect.apply(this, given)
  },
})
const resolve = dns.Resolver.prototype.resolve4
dns.Resolver.prototype.resolve4 = function (this: dns.Resolver, ...given: Parameters<typeof resolve>) {
  note(given[0])
  return resolve.apply(this, given)
} as typeof resolve
const lookup = dns.lookup
Object.assign(dns, {
  lookup(...given: unknown[]) {
    note(given[0])
    return (lookup as (...given: unknown[]) => unknown)(...given)
  },
})
syncBuiltinESMExports()
