import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutStalledAnswers, cutStalledBodies, receiveBytes } from './bodies.ts'

const app = Fastify()
cutStalledBodies(app, 0.4)
cutStalledAnswers(app, 0.4)
receiveBytes(app)
app.post('/', async (request) => {
  const body = await text(request.body as AsyncIterable<Uint8Array> & NodeJS.ReadableStream)
  // Longer than a body may be silent.
  await sleep(700)
  return { body }
})
let left = 0
app.get('/endless', async (_request, reply) => {
  const endless = async function* () {
    try {
      for (;;) yield Buffer.alloc(2 ** 20)
    } finally {
      left++
    }
  }
  return reply.send(Readable.from(endless(), { objectMode: false }))
})
beforeAll(() => app.listen({ host: '127.0.0.1', port: 0 }))
afterAll(() => app.close())

/** Sends the parts of a body of 10 bytes with 250 ms between them; what came back until the connection ended. */
async function send(parts: readonly string[]): Promise<string> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (more: string) => {
    answer += more
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: a/b\r\nContent-Length: 10\r\n\r\n',
  )
  for (const part of parts) {
    socket.write(part)
    await sleep(250)
  }
  await closed
  return answer
}

test('a body that stalls is cut', async () => {
  const began = performance.now()
  expect(await send(['half'])).toBe('')
  expect(performance.now() - began).toBeLessThan(3_000)
})

test('a slow body is not, nor is the wait for its answer', async () => {
  expect(await send(['0', '12', '34', '56', '789'])).toMatch(/^HTTP\/1\.1 200 .*\{"body":"0123456789"\}$/s)
})

test('an answer that nobody takes is cut, one that is taken slowly is not', async () => {
  const { port } = app.server.address() as { port: number }
  const ask = () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    return socket
  }
  const slow = ask()
  slow.on('data', () => {
    slow.pause()
    setTimeout(() => slow.resume(), 5)
  })
  const stalled = ask().pause()
  await expect.poll(() => left, { timeout: 5_000 }).toBe(1)
  const before = slow.bytesRead
  await sleep(700)
  expect(slow.bytesRead).toBeGreaterThan(before)
  expect(left).toBe(1)
  for (const socket of [slow, stalled]) socket.destroy()
  await expect.poll(() => left).toBe(2)
})
