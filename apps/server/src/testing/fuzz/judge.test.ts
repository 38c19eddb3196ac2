/** The judge finds every kind of wrong or missing response. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { type ApiDocument, contractOf } from '../contract.ts'
import { judgeOf } from './judge.ts'
import { senderTo, type Wire } from './sending.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const error = { type: 'object', properties: { error: {}, code: {}, statusCode: {} } }
const document = {
  paths: {
    '/api/things/{id}': {
      get: {
        operationId: 'getThing',
        responses: {
          200: json({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
          404: { ...json(error), 'x-codes': ['thing_not_found'] },
        },
      },
    },
  },
  components: { schemas: {}, examples: {} },
} as unknown as ApiDocument
const judge = judgeOf(contractOf(document))

const ends: (() => unknown)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))

const boundMs = 300

/** Faults of a response. */
async function faultsOf(listener: RequestListener, more: Partial<Wire> = {}): Promise<string[]> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sender = senderTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, boundMs)
  ends.push(
    sender.end,
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const wire: Wire = {
    ...{ method: 'GET', target: '/api/things/a', headers: {}, body: undefined },
    ...{ chunked: false, breaksOff: false, ...more },
  }
  const { response, fault } = await sender.send(wire)
  return fault !== undefined ? [fault] : judge.faultsOf(wire, response!)
}

const answering =
  (status: number, body: unknown): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const refusal = (code: string, statusCode: number) => ({ error: 'No.', code, statusCode })

test('a described response is no fault', async () => {
  expect(await faultsOf(answering(200, { id: 'a' }))).toEqual([])
  expect(await faultsOf(answering(404, refusal('thing_not_found', 404)))).toEqual([])
  expect(await faultsOf(answering(404, refusal('route_not_found', 404)), { target: '/api/x' })).toEqual([])
})

test.each<[fault: string, listener: RequestListener, more?: Partial<Wire>]>([
  ['500', answering(500, refusal('internal', 500))],
  ['503', answering(503, refusal('unavailable', 503))],
  ['409 is not described', answering(409, refusal('thing_not_found', 409))],
  ['has the code other', answering(404, refusal('other', 404))],
  ["must have required property 'id'", answering(200, {})],
  ['must NOT have additional properties', answering(200, { id: 'a', more: 1 })],
  ['/id must be string', answering(200, { id: 7 }), { target: '/api/%74hings/%2e%2e?x=%zz' }],
  ['where no operation is', answering(200, {}), { target: '/api/others/a' }],
  ['where no operation is', answering(404, { message: 'Not found' }), { target: '/api/things/a/b' }],
  ['where no operation is', answering(200, { id: 'a' }), { method: 'PUT' }],
  ['hangs: no response began', () => undefined],
  ['hangs in the middle', (_request, response) => void response.writeHead(200).write('{')],
  ['has no response', (request) => request.socket.destroy()],
  [
    'must be object',
    (_request, response) => void response.setHeader('content-type', 'application/json').end('{,'),
  ],
  [
    'ends badly',
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
  ],
])('a fault is found: %s', async (fault, listener, more) => {
  const found = await faultsOf(listener, more)
  expect(found.join()).toContain(fault)
})
