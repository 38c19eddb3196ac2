/** Against requests that another site makes a signed-in browser send. http-api §1. */
import { RegistryError } from '@ulmus/registry'
import type { FastifyRequest } from 'fastify'

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Passes reads, and writes that a page of this site itself makes. Browsers say where a request comes from in `Sec-Fetch-Site`,
 * which no page can forge, older ones in `Origin`; a request with neither is refused, for its sender can use an API key.
 * @param origin of this site, as `https://registry.example`
 * @throws cross_site
 */
export function demandSameSite(request: FastifyRequest, origin: string): void {
  if (reads.has(request.method)) return
  const site = request.headers['sec-fetch-site']
  const from = request.headers.origin
  // The host the browser itself used is this site too: the session cookie came with the request, and it goes to no other host.
  const own = from === origin || from === `${request.protocol}://${request.host}`
  if (site === undefined ? own : site === 'same-origin' && (from === undefined || own)) return
  throw new RegistryError('cross_site')
}
