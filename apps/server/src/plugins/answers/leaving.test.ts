import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goneOf } from './leaving.ts'

const app = fastify({ forceCloseConnections: true })
let end: Promise<void> = Promise.resolve()
let isGone = false
let arrived: () => void = () => undefined
app.get('/:how', async (request, reply) => {
  isGone = false
  end = goneOf(reply).then(() => {
    isGone = true
  })
  arrived()
  if ((request.params as { how: string }).how === 'failing') throw new Error('failed')
  return 'x'.repeat(30_000_000)
})
beforeAll(() => app.listen({ port: 0 }))
afterAll(() => app.close())
const port = () => (app.server.address() as AddressInfo).port

test.each(['whole', 'failing'])('an answer that is taken is gone then: %s', async (how) => {
  await (await fetch(`http://127.0.0.1:${port()}/${how}`)).text()
  await end
  expect(isGone).toBe(true)
})

test('an unread answer ends with its connection', async () => {
  const asked = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const socket = connect(port(), '127.0.0.1')
  await once(socket, 'connect')
  socket.pause()
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await asked
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isGone).toBe(false)
  socket.destroy()
  await end
  expect(isGone).toBe(true)
})
