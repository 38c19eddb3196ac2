/** Answers compressed as the caller accepts: zstd, br, gzip, in this order of preference. */
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Smaller answers are sent as they are: they fit one packet. Bytes. */
const compressedBytesMin = 1024

/**
 * Up to this size an answer is compressed where it is, in a millisecond or two. A stream through other threads takes the caller
 * longer, and this thread not much less. Bytes.
 */
const compressedAtOnceMax = 131_072

/** A page of records comes out a sixteenth larger than at the usual levels, in half the time. Whoever wants it smaller takes zstd. */
const gzipLevel = 1
const brotliQuality = 3

/** Text only. What files hold is not ours to judge, and most of it is compressed already. */
const compressible =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?json(?:;|$)|application\/(?:x-)?(?:ndjson|jsonl|javascript))/

export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    encodings: ['zstd', 'br', 'gzip'],
    requestEncodings: ['zstd', 'br', 'gzip'],
    threshold: compressedBytesMin,
    syncThreshold: compressedAtOnceMax,
    zlibOptions: { level: gzipLevel },
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
    customTypes: compressible,
  })
}
