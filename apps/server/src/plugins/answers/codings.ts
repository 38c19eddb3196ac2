/** Content codings that a request names, made what the compression plugin takes: one of ours, in lower case. RFC 9110 §8.4.1, §12.5.3. */
import type { FastifyInstance } from 'fastify'

/** In the order of our preference, where a caller has none. */
export const codings = ['zstd', 'br', 'gzip'] as const

/**
 * `Accept-Encoding` becomes the one coding that the answer is to have, `Content-Encoding` the name of the coding as we know it. Register
 * it before the compression.
 */
export function nameCodings(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, raw: { headers } }) => {
    const { 'accept-encoding': accepted, 'content-encoding': sent } = headers
    if (accepted !== undefined) headers['accept-encoding'] = preferredCoding(String(accepted))
    // Bodies of GET are not read, so their encoding does not matter.
    if (method === 'GET' || method === 'HEAD') delete headers['content-encoding']
    else if (sent !== undefined) headers['content-encoding'] = known(sent)
  })
}

const known = (name: string): string => {
  const coding = name.trim().toLowerCase()
  return coding === 'x-gzip' ? 'gzip' : coding
}

/**
 * Picks the supported coding with the highest weight, else `identity`. Callers that refuse `identity` too still get it: a 406
 * would be uncompressed as well, and say less.
 */
export function preferredCoding(accepted: string): string {
  const weights = new Map<string, number>()
  for (const part of accepted.split(',')) {
    const [name = '', ...parameters] = part.split(';')
    if (name.trim() !== '') weights.set(known(name), weightOf(parameters))
  }
  const others = weights.get('*') ?? 0
  let best = { coding: 'identity', weight: weights.get('identity') ?? 0 }
  for (const coding of codings) {
    const weight = weights.get(coding) ?? others
    // On equal weights, prefer compression, then the first coding.
    if (weight > best.weight || (weight === best.weight && weight > 0 && best.coding === 'identity'))
      best = { coding, weight }
  }
  return best.coding
}

/** An invalid weight counts as 0, so that such callers get the uncompressed answer. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value.trim()) ? Number(value) : 0
  }
  return 1
}
