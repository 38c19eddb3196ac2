/** Proxy in front of an HTTP server that simulates failures of networks and servers, on real sockets. */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Fate of one request. */
export type Mishap =
  | 'none'
  /** The connection is closed before the request reaches the server. */
  | 'drop'
  /** The server executes the request; then the connection is closed without an answer. */
  | 'lose answer'
  /** There is never an answer. */
  | 'silence'
  /** The request does not reach the server; the answer has this status, as S3 would send it. */
  | { status: number; code: string }
  /** The answer is delayed. Milliseconds. */
  | { delay: number }
  /** The body of the answer stops after this many bytes: the connection closes or stays silent. */
  | { cutAfter: number; end: 'close' | 'silence' }
  /** The body ends cleanly after this many bytes, and the headers declare that length. */
  | { shortenTo: number }

export interface Call {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** `bytes=0-99`, if a range is requested. */
  readonly range: string | undefined
  /** Number of earlier requests. */
  readonly index: number
}

export interface FlakyProxy {
  /** `http://127.0.0.1:<port>`; stays the same across outages. */
  readonly url: string
  /** Every request so far. */
  readonly calls: readonly Call[]
  /** Sets the mishap of each request from now on. Default: none. */
  misbehave(mishapOf: (call: Call) => Mishap): void
  /** Number of connections that clients keep open. */
  connections(): Promise<number>
  /** Stops listening and cuts connections. */
  leave(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port: targetPort } = new URL(target)
  const agent = new Agent({ keepAlive: true })
  const calls: Call[] = []
  let mishapOf: (call: Call) => Mishap = () => 'none'
  const server = createServer((incoming, outgoing) => {
    const call = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      range: incoming.headers.range,
      index: calls.length,
    }
    calls.push(call)
    const mishap = mishapOf(call)
    incoming.on('error', () => undefined)
    outgoing.on('error', () => undefined)
    if (mishap === 'drop') return void incoming.socket.destroy()
    if (mishap === 'silence') return void incoming.resume()
    if (typeof mishap === 'object' && 'status' in mishap) return refuse(incoming, outgoing, mishap)
    const { method, url: path, headers } = incoming
    const onward = request({ hostname, port: targetPort, method, path, headers, agent }, (answer) => {
      answer.on('error', () => outgoing.destroy())
      pass(answer, outgoing, mishap).catch(() => outgoing.destroy())
    })
    onward.on('error', () => incoming.socket.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const leave = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    misbehave(next) {
      mishapOf = next
    },
    connections: promisify(server.getConnections.bind(server)),
    leave,
    comeBack: () => listen(port),
    async close() {
      if (server.listening) await leave()
      agent.destroy()
    },
  }
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, code }: { status: number; code: string },
): void {
  incoming.resume()
  incoming.on('end', () => {
    outgoing.writeHead(status, { 'content-type': 'application/xml' })
    outgoing.end(
      incoming.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>No.</Message></Error>`,
    )
  })
}

async function pass(answer: IncomingMessage, outgoing: ServerResponse, mishap: Mishap): Promise<void> {
  if (mishap === 'lose answer') {
    answer.resume()
    return void outgoing.destroy()
  }
  const status = answer.statusCode ?? 502
  if (typeof mishap === 'object' && 'delay' in mishap) await sleep(mishap.delay)
  if (typeof mishap === 'object' && 'cutAfter' in mishap) {
    outgoing.writeHead(status, answer.headers)
    outgoing.write((await gather(answer)).subarray(0, mishap.cutAfter), () => {
      if (mishap.end === 'close') outgoing.destroy()
    })
  } else if (typeof mishap === 'object' && 'shortenTo' in mishap) {
    const body = (await gather(answer)).subarray(0, mishap.shortenTo)
    outgoing.writeHead(status, { ...answer.headers, 'content-length': body.length })
    outgoing.end(body)
  } else {
    outgoing.writeHead(status, answer.headers)
    answer.pipe(outgoing)
  }
}

async function gather(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
