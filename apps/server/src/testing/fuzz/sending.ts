/** Sends generated requests and reads their responses, with a time limit. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { parseJson } from '@ulmus/content'
import type { TestResponse } from '../test-client.ts'

export interface Wire {
  readonly method: string
  /** Path and query, already encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** Sent without a length. */
  readonly chunked: boolean
  /** Cuts the body and the connection in the middle; awaits no response. */
  readonly breaksOff: boolean
}

export interface Outcome {
  /** Undefined if there was none, because of `fault` or because the request was cut. */
  readonly response: TestResponse | undefined
  readonly fault: string | undefined
  /** Milliseconds. */
  readonly took: number
}

const codings: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  deflate: inflateSync,
}

/** @param boundMs time limit; a request without a complete response hangs */
export function senderTo(url: string, boundMs: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const { hostname, port } = new URL(url)

  async function once(wire: Wire): Promise<Outcome> {
    const began = performance.now()
    const outcome = await new Promise<IncomingMessage | string | undefined>((resolve) => {
      const sent = request(
        { hostname, port, agent, method: wire.method, path: wire.target, headers: headersOf(wire) },
        resolve,
      )
      const timer = setTimeout(() => {
        resolve(`hangs: no response began in ${boundMs} ms`)
        sent.destroy()
      }, boundMs)
      sent.on('close', () => {
        clearTimeout(timer)
        resolve('has no response: the connection was closed')
      })
      sent.on('error', (error) => resolve(wire.breaksOff ? undefined : `has no response: ${error}`))
      sent.on('response', () => clearTimeout(timer))
      if (!wire.breaksOff) sent.end(wire.body)
      else
        sent.write(wire.body?.subarray(0, wire.body.length >> 1) || ' ', () => {
          resolve(undefined)
          sent.destroy()
        })
    })
    const took = () => performance.now() - began
    if (outcome === undefined || typeof outcome === 'string')
      return { response: undefined, fault: outcome, took: took() }
    try {
      const response = await readResponse(outcome, boundMs - took())
      return { response, fault: undefined, took: took() }
    } catch (error) {
      return { response: undefined, fault: `${outcome.statusCode} ends badly: ${error}`, took: took() }
    }
  }

  return {
    async send(wire: Wire): Promise<Outcome> {
      const first = await once(wire)
      // The server may close an idle connection just as a request arrives, or refuse a body that is still being sent.
      const isRace = first.fault?.startsWith('has no response') === true
      return isRace ? once({ ...wire, headers: { ...wire.headers, connection: 'close' } }) : first
    },
    end: () => agent.destroy(),
  }
}

function headersOf({ headers, body, chunked, breaksOff }: Wire): Record<string, string> {
  if (breaksOff) return { ...headers, 'content-length': `${(body?.length ?? 0) + 2}` }
  if (body === undefined) return { ...headers }
  // Set it for every method: Node would send the body of a GET without a length.
  return {
    ...headers,
    ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${body.length}` }),
  }
}

async function readResponse(message: IncomingMessage, boundMs: number): Promise<TestResponse> {
  const timer = setTimeout(() => message.destroy(new Error('it hangs in the middle')), Math.max(1, boundMs))
  const chunks: Buffer[] = []
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer)
  } finally {
    clearTimeout(timer)
  }
  const raw = Buffer.concat(chunks)
  const coding = message.headers['content-encoding']
  const bytes = coding === undefined || raw.length === 0 ? raw : codings[coding]!(raw)
  const text = bytes.toString('utf8')
  const isJson = String(message.headers['content-type']).startsWith('application/json')
  const json: unknown = isJson && text !== '' ? parsed(text) : undefined
  return { status: message.statusCode ?? 0, headers: message.headers, bytes, text, json }
}

/** A file may claim to be JSON without being any. Where the description promises JSON, the missing value fails the check of its shape. */
function parsed(text: string): unknown {
  try {
    return parseJson(text) as unknown
  } catch {
    return text
  }
}
