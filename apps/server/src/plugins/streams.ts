/** Answers that are streams of bytes. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'

/**
 * What a handler sends: read as fast as the caller takes it, and left when the caller goes. An error before the first byte is answered
 * as a refusal, one after it breaks the connection off, so that half an answer is never taken for a whole one. An answer to HEAD has
 * no body, so nothing is read for it.
 */
export const bytesFrom = (request: FastifyRequest, source: AsyncIterable<Uint8Array>): Readable =>
  Readable.from(request.method === 'HEAD' ? [] : source, { objectMode: false })
