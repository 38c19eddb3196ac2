/** Answers that are streams of bytes. */
import { Readable } from 'node:stream'
import { type FastifyRequest, LogController } from 'fastify'
import { logFault, refusalOf, statusFor } from './errors.ts'

/**
 * What a handler sends: read as fast as the caller takes it, and left when the caller goes. An error before the first byte is answered
 * as a refusal, one after it breaks the connection off, so that half an answer is never taken for a whole one. An answer to HEAD has
 * no body, so nothing is read for it.
 */
export const bytesFrom = (request: FastifyRequest, source: AsyncIterable<Uint8Array>): Readable =>
  Readable.from(request.method === 'HEAD' ? [] : source, { objectMode: false })

/** The same from a source whose chunks are ours only until we ask for the next one. */
export const bytesLentBy = (request: FastifyRequest, source: AsyncGenerator<Uint8Array>): Readable =>
  request.method === 'HEAD' ? Readable.from([]) : new LentBytes(source)

/** Piped, it asks for a chunk when the one before has left this process. Other readers get copies. */
class LentBytes extends Readable {
  readonly #source: AsyncGenerator<Uint8Array>

  constructor(source: AsyncGenerator<Uint8Array>) {
    super()
    this.#source = source
  }

  override pipe<To extends NodeJS.WritableStream>(to: To, options?: { end?: boolean }): To {
    if (options?.end !== false) this.once('end', () => to.end())
    void this.#writeTo(to)
    return to
  }

  async #writeTo(to: NodeJS.WritableStream): Promise<void> {
    try {
      for (;;) {
        const { value: chunk, done } = await this.#source.next()
        if (this.destroyed) return
        if (done) break
        const failed = await new Promise((resolve) => to.write(chunk, resolve))
        // The owner of both streams ends this one as well.
        if (failed) return
      }
      this.push(null)
      this.resume()
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  override _read(): void {
    this.#source.next().then(
      ({ value: chunk, done }) => this.push(done ? null : Buffer.from(chunk)),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#source.return(undefined).then(() => callback(error), callback)
  }
}

/** Logs no requests (that is another plugin's part), but what broke an answer off: its caller cannot be told any more. */
export class StreamLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true })
  }

  override streamError(error: Error, request: FastifyRequest): void {
    // The caller went.
    if (request.raw.socket.destroyed) return
    const refusal = refusalOf(error, request)
    const { code, message } = refusal
    if (statusFor(code) >= 500) logFault(request, error, refusal, 'An answer was broken off. ')
    else request.log.info({ code }, `An answer was broken off. ${message}`)
  }
}
