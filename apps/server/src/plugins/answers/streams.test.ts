import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { ObjectCorruptError, RegistryError } from '@ulmus/registry'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { compressAnswers } from './compression.ts'
import { answerErrors } from './errors.ts'
import { bytesFrom, bytesLentBy, StreamLog } from './streams.ts'

describe('streams that fail after their first bytes', () => {
  let app: FastifyInstance
  let url: string
  let logged: Record<string, unknown>[] = []
  let left = 0
  const chunk = Buffer.alloc(200_000, 'text\n')

  async function* damaged() {
    for (let chunks = 0; chunks < 4; chunks++) yield chunk
    throw new ObjectCorruptError('body', 'c0ffee' as never, 'pack')
  }
  // biome-ignore lint/correctness/useYield: it is refused before the first byte
  async function* refused(): AsyncGenerator<Uint8Array> {
    throw new RegistryError('busy')
  }
  async function* endless() {
    try {
      for (;;) yield chunk
    } finally {
      left++
    }
  }

  beforeAll(async () => {
    const to = new Writable({
      write(line, _encoding, done) {
        logged.push(JSON.parse(String(line)))
        done()
      },
    })
    const loggerInstance: FastifyBaseLogger = pino({}, to)
    app = Fastify({ loggerInstance, logController: new StreamLog() })
    answerErrors(app, async (_error, _request, reply) => reply)
    await compressAnswers(app)
    for (const [name, source] of Object.entries({ damaged, endless, refused }))
      for (const [how, stream] of Object.entries({ own: bytesFrom, lent: bytesLentBy }))
        app.get(`/${name}/${how}`, async (request, reply) =>
          reply.type('application/x-ndjson').send(stream(request, source())),
        )
    url = await app.listen()
  })
  beforeEach(() => {
    logged = []
    left = 0
  })
  afterAll(() => app.close())

  const open = async (path: string, encoding: string, status = 200) => {
    const asked = get(`${url}${path}`, { headers: { 'accept-encoding': encoding } })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(status)
    return answer
  }

  describe.each(['identity', 'gzip', 'zstd'])('with %s', (encoding) => {
    test.each(['own', 'lent'])('are broken off, and the log says why: %s chunks', async (how) => {
      const answer = await open(`/damaged/${how}`, encoding)
      await expect(answer.resume().toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(logged).toMatchObject([
        {
          ...{ level: 50, code: 'object_corrupt', reqId: expect.anything() },
          msg: expect.stringMatching(/^An answer was broken off\. .*c0ffee/),
        },
      ])
    })

    test.each(['own', 'lent'])(
      'a refusal before the first byte is answered, and is no error in the log: %s chunks',
      async (how) => {
        const answer = await open(`/refused/${how}`, encoding, 429)
        expect(`${Buffer.concat(await answer.toArray())}`).toContain('"code":"busy"')
        expect(logged).toEqual([])
      },
    )

    test.each(['own', 'lent'])('a caller who goes is not an error: %s chunks', async (how) => {
      const answer = await open(`/endless/${how}`, encoding)
      await once(answer, 'readable')
      answer.destroy()
      await expect.poll(() => left, { timeout: 20_000 }).toBe(1)
      expect(logged).toEqual([])
    })
  })
})
