/**
 * Maximum throughput of a server: repeats one request on several connections, several at a time on each (pipelined). Uses bare sockets,
 * because an HTTP client would cost more than the measured servers.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly connections?: number
  /** Concurrent requests on each connection. */
  readonly pipelined?: number
  readonly warmUpMs?: number
  readonly ms?: number
}

const statusLine = Buffer.from('HTTP/1.1 ')

/** @returns requests per second. @throws Error if an answer is not 200 */
export async function loadOf(
  url: string,
  headers: string[] = [],
  options: LoadOptions = {},
): Promise<number> {
  const { connections = 16, pipelined = 4, warmUpMs = 1_500, ms = 2_500 } = options
  const { hostname, port, pathname, search } = new URL(url)
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${hostname}:${port}`, ...headers, '', '']
  const request = lines.join('\r\n')
  let answered = 0
  let failure: Error | undefined
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.setNoDelay(true)
      socket.on('error', (error) => {
        failure ??= error
      })
      keepAsking(socket, request, pipelined, (ok, text) => {
        answered++
        if (!ok) failure ??= new Error(`GET ${pathname}: ${text}`)
      })
      return socket
    }),
  )
  await sleep(warmUpMs)
  const before = answered
  const start = performance.now()
  await sleep(ms)
  const rate = ((answered - before) * 1_000) / (performance.now() - start)
  for (const socket of sockets) socket.destroy()
  if (failure !== undefined) throw failure
  return rate
}

/** Sends another request after each answer. Recognises an answer by its status line, which no body here contains. */
function keepAsking(
  socket: Socket,
  request: string,
  pipelined: number,
  told: (ok: boolean, text: string) => void,
): void {
  // End of the previous chunk, which may contain the beginning of a status line.
  let rest: Buffer = Buffer.alloc(0)
  const keep = statusLine.length + 2
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let answers = 0
    let at = bytes.indexOf(statusLine)
    let beyond = 0
    while (at >= 0 && at + keep < bytes.length) {
      const status = bytes.toString('latin1', at + statusLine.length, at + statusLine.length + 3)
      told(status === '200', status)
      answers++
      beyond = at + statusLine.length
      at = bytes.indexOf(statusLine, beyond)
    }
    rest = bytes.subarray(Math.max(beyond, bytes.length - keep))
    if (answers > 0) socket.write(request.repeat(answers))
  })
  socket.write(request.repeat(pipelined))
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
