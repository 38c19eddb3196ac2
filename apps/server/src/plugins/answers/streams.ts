/** Streams answers: backpressure, disconnects, and errors before and after the first byte. */
import { Readable } from 'node:stream'
import { statusOf } from '@ulmus/wire/refusals'
import { type FastifyRequest, LogController } from 'fastify'
import { logFault, refusalOf } from './errors.ts'

/**
 * Streams a handler's answer with backpressure, and stops when the caller disconnects. An error before the first byte becomes a refusal. A
 * later error closes the connection, so that the caller never takes half an answer for a whole one. HEAD reads nothing from the source.
 */
export const bytesFrom = (request: FastifyRequest, source: AsyncIterable<Uint8Array>): Readable =>
  Readable.from(request.method === 'HEAD' ? [] : source, { objectMode: false })

/** Same, for a source that reuses the memory of a chunk after the next request for one. */
export const bytesLentBy = (request: FastifyRequest, source: AsyncGenerator<Uint8Array>): Readable =>
  request.method === 'HEAD' ? Readable.from([]) : new LentBytes(source)

/** When piped, requests a chunk only after the previous one has left this process. Other readers get copies. */
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
        // The owner of both streams also ends this one.
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

/** Logs interrupted answers, because their callers get no error. Another plugin logs requests. */
export class StreamLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true })
  }

  override streamError(error: Error, request: FastifyRequest): void {
    // The caller disconnected.
    if (request.raw.socket.destroyed) return
    const refusal = refusalOf(error, request)
    const { code, message } = refusal
    if (statusOf(code) >= 500) logFault(request, error, refusal, 'An answer was broken off. ')
    else request.log.info({ code }, `An answer was broken off. ${message}`)
  }
}
