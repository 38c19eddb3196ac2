/** A real HTTP server with planned faults, for tests of the client's reaction. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { resourceText } from '@ulmus/content'

/**
 * A fault that happens once:
 * - `drop`: the connection closes before the request is processed.
 * - `lose_answer`: the request is processed, then the connection closes.
 * - `cut`: the answer breaks off after its first `bytes`.
 * - `end_early`: the answer ends after its first `bytes` as if it were complete.
 * - `stall`: the request is processed, the answer follows after `ms`.
 * - `stall_body`: the answer stops after its first `bytes` and never ends.
 * - `status`: the request is refused with this status and not processed.
 */
export type Fault =
  | { how: 'drop' | 'lose_answer' }
  | { how: 'cut' | 'end_early' | 'stall_body'; bytes: number }
  | { how: 'stall'; ms: number }
  | { how: 'status'; status: number; retryAfter?: string; body?: string }

export interface Request {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

export interface FaultyServer {
  readonly url: string
  /** `METHOD /path?query` of every request that reached the server, in order. */
  readonly requests: string[]
  /** Time of each request, by `performance.now()`. */
  readonly times: number[]
  /** Plans faults for the next requests that match; faults of one pattern happen in order. */
  fail(pattern: RegExp, ...faults: Fault[]): void
  close(): Promise<void>
}

export async function startFaultyServer(handle: (request: Request) => Reply): Promise<FaultyServer> {
  const planned: { pattern: RegExp; fault: Fault }[] = []
  const requests: string[] = []
  const times: number[] = []
  const server = createServer(async (incoming, response) => {
    const line = `${incoming.method} ${incoming.url}`
    requests.push(line)
    times.push(performance.now())
    const index = planned.findIndex((plan) => plan.pattern.test(line))
    const fault = index < 0 ? undefined : planned.splice(index, 1)[0]!.fault
    try {
      if (fault?.how === 'drop') return response.destroy()
      const request = await readRequest(incoming)
      const resource = resourceText(request.path, `${request.query}`)
      await answer(response, fault, resource, () => handle(request))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    times,
    fail: (pattern, ...faults) => planned.push(...faults.map((fault) => ({ pattern, fault }))),
    close: () => close(server),
  }
}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const url = new URL(incoming.url ?? '/', 'http://server.invalid')
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body:
      incoming.headers['content-encoding'] === 'gzip'
        ? gunzipSync(Buffer.concat(chunks))
        : Buffer.concat(chunks),
  }
}

async function answer(
  response: ServerResponse,
  fault: Fault | undefined,
  resource: string,
  handle: () => Reply,
): Promise<void> {
  if (fault?.how === 'status') {
    const after = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }
    response.writeHead(fault.status, after).end(fault.body ?? '')
    return
  }
  const reply = handle()
  if (fault?.how === 'lose_answer') {
    response.destroy()
    return
  }
  if (fault?.how === 'stall') await new Promise((resolve) => setTimeout(resolve, fault.ms))
  const body = Buffer.from(reply.body ?? '')
  // A registry names what it answers, with the number of the latest version.
  const latest = /"(?:semver|to)":"(v[^"]+)"/.exec(body.toString())?.[1] ?? 'v1.0.0'
  const named = resource.replace(/(versions\/|version=)latest/, `$1${latest}`)
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'x-resource': named,
    ...reply.headers,
  })
  if (fault?.how === 'cut') response.write(body.subarray(0, fault.bytes), () => response.destroy())
  else if (fault?.how === 'end_early') response.end(body.subarray(0, fault.bytes))
  else if (fault?.how === 'stall_body') response.write(body.subarray(0, fault.bytes))
  else response.end(body)
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
