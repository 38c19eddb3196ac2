import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compressAnswers, nameCodings, preferredCoding } from './compression.ts'

test.each([
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, br, zstd', 'zstd'],
  ['gzip;q=0, *', 'zstd'],
  ['zstd;q=0, *', 'br'],
  ['*, zstd;q=0, br;Q=0', 'gzip'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br ; q=0.5 , gzip ; Q=0.7', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', 'identity'],
  ['', 'identity'],
  ['deflate', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['Identity;q=0', 'identity'],
  ['identity;q=0, BR', 'br'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0.000', 'identity'],
  ['gzip;q=2', 'identity'],
  ['gzip;q=nonsense', 'identity'],
  ['gzip;level=9', 'gzip'],
])('who accepts %j is answered with %s', (accepted, coding) => {
  expect(preferredCoding(accepted)).toBe(coding)
})

describe('over HTTP', () => {
  const text = JSON.stringify('text '.repeat(1_000))
  let app: FastifyInstance

  beforeAll(async () => {
    app = Fastify()
    nameCodings(app)
    await compressAnswers(app)
    app.get('/', async (_request, reply) => reply.type('application/json').send(text))
    app.post('/', async ({ body }) => body)
  })
  afterAll(() => app.close())

  test.each([
    ['gzip;q=0, *', 'zstd', zstdDecompressSync],
    ['BR', 'br', brotliDecompressSync],
    ['GZip;q=0.5, identity;q=0', 'gzip', gunzipSync],
  ] as const)('%s', async (accepted, coding, decoded) => {
    const answer = await app.inject({ url: '/', headers: { 'accept-encoding': accepted } })
    expect(answer.headers['content-encoding']).toBe(coding)
    expect(decoded(answer.rawPayload).toString()).toBe(text)
  })

  test.each(['identity', 'Identity;q=0', 'gzip;q=0'])('%s', async (accepted) => {
    const answer = await app.inject({ url: '/', headers: { 'accept-encoding': accepted } })
    expect([answer.statusCode, answer.headers['content-encoding'], answer.body]).toEqual([
      200,
      undefined,
      text,
    ])
  })

  test.each(['gzip', 'GZIP', 'X-Gzip'])('a body that is said to be %s', async (coding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding }
    const answer = await app.inject({ url: '/', method: 'POST', headers, payload: gzipSync('{"a":1}') })
    expect([answer.statusCode, answer.json()]).toEqual([200, { a: 1 }])
  })

  test.each(['deflate', 'gzip', 'nonsense'])('what comes with a GET as %s is not read', async (coding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding }
    const answer = await app.inject({ url: '/', headers, payload: 'not encoded so' })
    expect([answer.statusCode, answer.body]).toEqual([200, text])
  })
})
