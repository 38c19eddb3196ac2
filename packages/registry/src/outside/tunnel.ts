/** Connections through `OUTSIDE_PROXY`, by CONNECT. */
import { request } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { hostOf, isLiteral } from './addresses.ts'
import { AskError } from './failure.ts'

/** @returns a connection to the host of `url`, with TLS if its scheme has it */
export async function tunnel(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const port = url.port || (url.protocol === 'http:' ? '80' : '443')
  const { username, password } = proxy
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const sent = (proxy.protocol === 'https:' ? tlsRequest : request)({
    host: hostOf(proxy),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: `${url.hostname}:${port}`,
    headers: {
      host: `${url.hostname}:${port}`,
      ...(username !== '' && {
        'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    },
    agent: false,
    signal,
  })
  sent.on('connect', (answer, socket) => {
    if (answer.statusCode === 200) resolve(socket as Socket)
    else {
      socket.destroy()
      // One word for a forbidden name and for one without an address, as without a proxy. 407 is about the operator's password.
      reject(new AskError(answer.statusCode === 407 ? 'proxy' : 'refused_address'))
    }
  })
  sent.on('response', () => reject(new AskError('proxy')))
  sent.on('error', () => reject(new AskError('proxy')))
  sent.end()
  const socket = await promise
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  if (url.protocol === 'http:') return socket
  const host = hostOf(url)
  return connect({ socket, host, ...(!isLiteral(host) && { servername: host }), rejectUnauthorized: true })
}
