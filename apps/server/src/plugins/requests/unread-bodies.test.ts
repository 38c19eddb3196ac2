/** A request refused before its body was read does not block the next one on its connection. */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compressAnswers, nameCodings } from '../answers/compression.ts'
import { bytesOf, dropUnreadBodies, receiveNdjson } from './bodies.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = Fastify()
  nameCodings(app)
  await compressAnswers(app)
  dropUnreadBodies(app)
  app.post('/json', async () => ({}))
  await app.register(async (scope) => {
    receiveNdjson(scope)
    scope.post('/', async (_request, reply) => reply.code(404).send({}))
    scope.post('/half', async ({ body }, reply) => {
      for await (const _ of bytesOf(body)) return reply.code(413).send({})
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

const large = randomBytes(1_000_000)

/** Status of three successive requests on one connection; null: the connection was closed. */
async function answersTo(body: Buffer, encoding: string | undefined, path = '/'): Promise<(number | null)[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = app.server.address() as AddressInfo
  const headers = {
    'content-type': path === '/json' ? 'application/json' : 'application/x-ndjson',
    'content-length': body.length,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  }
  const post = () =>
    new Promise<number | null>((resolve) => {
      const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', path, headers }, (answer) =>
        answer.resume().on('end', () => resolve(answer.statusCode!)),
      )
      sent.on('error', () => resolve(null)).end(body)
    })
  const answers = await Promise.all([post(), post(), post()])
  agent.destroy()
  return answers
}

test.each<[what: string, encoding: string | undefined, body: Buffer]>([
  ['as it is', undefined, large],
  ['compressed', 'gzip', gzipSync(large)],
  ['that is compressed and short', 'gzip', gzipSync('short')],
])('a body %s', async (_, encoding, body) => {
  expect(await answersTo(body, encoding)).toEqual([404, 404, 404])
})

test.each(['gzip', 'zstd', 'br'])(
  'a body that is not compressed as %s: an answer or an end',
  async (encoding) => {
    const answers = await answersTo(large, encoding)
    expect(answers[0]).toBe(404)
    expect(answers.filter((status) => status !== 404 && status !== null)).toEqual([])
  },
)

test('a body that is refused after its first bytes', async () => {
  expect(await answersTo(large, undefined, '/half')).toEqual([413, 413, 413])
})

test.each<[status: number, body: Buffer, encoding: string | undefined]>([
  [413, randomBytes(2_000_000), undefined],
  [400, large, 'gzip'],
])('JSON that is refused with %i', async (status, body, encoding) => {
  expect(await answersTo(body, encoding, '/json')).toEqual([status, status, status])
})
