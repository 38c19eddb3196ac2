/** Compression of answers and of request bodies: zstd, br or gzip, in this order of preference. RFC 9110 §8.4.1, §12.5.3. */
import { Readable } from 'node:stream'
import zlib, { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Smaller answers are sent uncompressed: they fit into one packet. Bytes. */
const compressedBytesMin = 1024

/**
 * Up to this size an answer is compressed on the event loop, in a millisecond or two. A stream through other threads would take longer for
 * the caller, and hardly less time on this thread. Bytes.
 */
const compressedAtOnceMax = 131_072

/**
 * A page of 100 records, 72 kB, takes 0.6 ms with gzip, 0.5 with Brotli and 0.2 with zstd. The usual levels take twice as long for a
 * sixteenth fewer bytes; Brotli's quality 3 a fifth longer for 1 %, and zstd's level 3 a fifth longer for 0.4 %.
 */
const gzipLevel = 1
const brotliQuality = 2
const zstdLevel = 2

/** A stream is compressed in a single thread, so the level determines its speed: a third of the time for 5 % more bytes. */
const streamedBrotliQuality = 1
/**
 * Output buffer of a stream's compression. Each time the buffer is full, it changes threads and comes back; with the default of 16 KiB that
 * happens twenty times for a leaf of records. Bytes.
 */
const streamedPieceBytes = 262_144

/**
 * Maximum window of a zstd body, as a power of two: 8 MiB, as RFC 9659 requires. Zstandard's own limit is 128 MiB, and five kilobytes can
 * make a decoder allocate all of it.
 */
const windowLogMax = 23

/** Compress text only. Most uploaded files are compressed already. */
const compressible =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?json(?:;|$)|application\/(?:x-)?(?:ndjson|jsonl|javascript))/

/** Register it after `nameCodings`, which reduces `Accept-Encoding`. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  // The plugin logs every stream error with its stack, including refusals. Silence it: refusals are answered, or logged by `StreamLog`.
  const silent = app.log.child({}, { level: 'silent' })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (payload instanceof Readable) reply.log = silent
    return payload
  })
  await app.register(compress, {
    encodings: [...codings],
    requestEncodings: [...codings],
    threshold: compressedBytesMin,
    syncThreshold: compressedAtOnceMax,
    // gzip takes the level, and zstd the parameters.
    zlibOptions: { level: gzipLevel, ...zstdOptions },
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
    customTypes: compressible,
    zlib: {
      ...zlib,
      createGzip: () => zlib.createGzip({ level: gzipLevel, chunkSize: streamedPieceBytes }),
      createBrotliCompress: () =>
        zlib.createBrotliCompress({
          params: { [constants.BROTLI_PARAM_QUALITY]: streamedBrotliQuality },
          chunkSize: streamedPieceBytes,
        }),
      createZstdCompress: () => zlib.createZstdCompress({ ...zstdOptions, chunkSize: streamedPieceBytes }),
      createZstdDecompress: () =>
        zlib.createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
    },
  })
}

const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }

/** In order of preference if the caller states none. */
export const codings = ['zstd', 'br', 'gzip'] as const

/**
 * Reduces `Accept-Encoding` to the single coding of the answer, and `Content-Encoding` to its usual name. Register it before the
 * compression.
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
 * Picks the supported coding with the highest weight, else `identity`. Callers that refuse `identity` too still get it: a 406 would also be
 * uncompressed, and less useful.
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
