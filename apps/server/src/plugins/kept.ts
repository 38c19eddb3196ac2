/** Cached answers that are equal for all callers: rendered once, or once a second, and stored in each encoding. */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import zlib, { constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { codings } from './answers/compression.ts'

/** Caches the result of `make` for some milliseconds, with one call for all concurrent callers. Failures are not cached. */
export function keptFor<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let kept: { made: Promise<T>; until: number } | undefined
  return () => {
    if (kept === undefined || performance.now() >= kept.until) {
      const made = make()
      const mine = { made, until: Number.POSITIVE_INFINITY }
      kept = mine
      made.then(
        () => {
          mine.until = performance.now() + milliseconds
        },
        () => {
          if (kept === mine) kept = undefined
        },
      )
    }
    return kept.made
  }
}

/** Compresses each answer once, in Node's thread pool, so the levels may be slow. */
const compressed = {
  zstd: (bytes: Uint8Array) =>
    promisify(zlib.zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
  br: (bytes: Uint8Array) =>
    promisify(zlib.brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Uint8Array) => promisify(zlib.gzip)(bytes, { level: 9 }),
}
type Coding = (typeof codings)[number]

/** An answer that never changes while the process runs. Its route must set `compress: false`. */
export class KeptAnswer {
  readonly #type: string
  readonly #plain: Buffer
  /** Hash of the content. */
  readonly hash: string
  readonly #forms = new Map<Coding, Promise<Buffer>>()

  constructor(type: string, body: string | Buffer) {
    this.#type = type
    this.#plain = Buffer.from(body)
    this.hash = hash('sha256', this.#plain)
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // `nameCodings` has reduced the header to a single coding.
    const coding = codings.find((one) => one === request.headers['accept-encoding'])
    reply.tagBy(this.hash)
    reply.type(this.#type)
    if (coding === undefined) return reply.send(this.#plain)
    let form = this.#forms.get(coding)
    if (form === undefined) {
      form = compressed[coding](this.#plain)
      this.#forms.set(coding, form)
    }
    return reply.header('Content-Encoding', coding).send(await form)
  }
}
