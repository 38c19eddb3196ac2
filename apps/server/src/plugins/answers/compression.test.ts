import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compressAnswers } from './compression.ts'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
const encodings = Object.keys(decoders) as (keyof typeof decoders)[]

describe('answers compressed as streams', () => {
  /** Compresses by half at most. */
  const text = randomBytes(3_000_000).toString('base64')
  let app: FastifyInstance

  beforeAll(async () => {
    app = Fastify()
    await compressAnswers(app)
    app.get('/stream', async (_request, reply) => {
      const source = function* () {
        for (let at = 0; at < text.length; at += 700_000) yield Buffer.from(text.slice(at, at + 700_000))
      }
      return reply.type('application/x-ndjson').send(Readable.from(source(), { objectMode: false }))
    })
    app.get('/whole', async (_request, reply) => reply.type('application/json').send(JSON.stringify(text)))
  })
  afterAll(() => app.close())

  test.each(encodings)('with %s they hold what was sent, and leave in large pieces', async (encoding) => {
    for (const [url, sent] of [
      ['/stream', text],
      ['/whole', JSON.stringify(text)],
    ] as const) {
      const answer = await app.inject({
        url,
        headers: { 'accept-encoding': encoding },
        payloadAsStream: true,
      })
      expect(answer.headers['content-encoding']).toBe(encoding)
      const pieces: Buffer[] = []
      for await (const piece of answer.stream()) pieces.push(piece as Buffer)
      const packed = Buffer.concat(pieces)
      expect(packed.length).toBeLessThan(sent.length * 0.9)
      expect(decoders[encoding](packed).toString() === sent).toBe(true)
      expect(packed.length / pieces.length).toBeGreaterThan(100_000)
    }
  })
})
