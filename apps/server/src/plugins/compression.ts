/** Answers compressed as the caller accepts: zstd, br, gzip, in this order of preference. */
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Smaller answers are sent as they are: they fit one packet. Bytes. */
const compressedBytesMin = 1024

/** Text only. What files hold is not ours to judge, and most of it is compressed already. */
const compressible =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?json(?:;|$)|application\/(?:x-)?(?:ndjson|jsonl|javascript))/

export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    encodings: ['zstd', 'br', 'gzip'],
    requestEncodings: ['zstd', 'br', 'gzip'],
    threshold: compressedBytesMin,
    customTypes: compressible,
  })
}
