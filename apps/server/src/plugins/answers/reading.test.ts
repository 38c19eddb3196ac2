/** Memory budget of large answers that callers do not read: it limits reading routes, and no others. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { AnswerBudget, anonymous, countAnswer, RegistryError } from '@ulmus/registry'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countAnswers } from './reading.ts'

const megabyte = 1_000_000
const app = fastify({ forceCloseConnections: true })
app.decorateRequest('principal', { getter: () => anonymous })
app.setErrorHandler((error, _request, reply) =>
  reply.code(429).send(error instanceof RegistryError ? error.code : `${error}`),
)
await app.register(async (scope) => {
  // One address may use an eighth, and data counts four times.
  countAnswers(scope, new AnswerBudget(100 * megabyte))
  for (const url of ['/one', '/other']) {
    scope.get(url, async () => {
      countAnswer(2 * megabyte)
      return 'x'.repeat(30 * megabyte)
    })
  }
  scope.post('/writing', async () => {
    countAnswer(200 * megabyte)
    return 'written'
  })
  await scope.register(async (inner) => {
    inner.get('/small', async (_request, reply) => reply.send('small'))
  })
})
beforeAll(() => app.listen({ port: 0 }))
afterAll(() => app.close())
const port = () => (app.server.address() as AddressInfo).port

/** Sends a request and reads nothing beyond the system's buffers. */
async function leave(path: string) {
  const socket = connect(port(), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head.toString('latin1'))![1]), socket }
}

test('what one route holds is not there for another, until it is taken or left', async () => {
  const first = await leave('/one')
  expect(first.status).toBe(200)
  const second = await fetch(`http://127.0.0.1:${port()}/other`)
  expect([second.status, await second.text()]).toEqual([429, 'busy'])
  expect(await (await fetch(`http://127.0.0.1:${port()}/small`)).text()).toBe('small')
  const written = await fetch(`http://127.0.0.1:${port()}/writing`, { method: 'POST' })
  expect(await written.text()).toBe('written')
  first.socket.destroy()
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port()}/other`)).status).toBe(200)
})
