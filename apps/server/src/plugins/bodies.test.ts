import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutLateBodies, cutSlowBodies, cutStalledAnswers, receiveBytes } from './bodies.ts'

const app = Fastify()
cutSlowBodies(app, { bytes: 500, seconds: 0.5 })
cutStalledAnswers(app, 0.4)
receiveBytes(app)
const lengthOf = async (body: unknown) => (await buffer(body as AsyncIterable<Uint8Array>)).length
app.post('/', async ({ body }) => {
  const length = await lengthOf(body)
  // Longer than a body may be silent.
  await sleep(800)
  return { length }
})
app.post('/later', async ({ body }) => {
  await sleep(1_300)
  return { length: await lengthOf(body) }
})
app.register(async (scope) => {
  cutLateBodies(scope, 1)
  scope.post('/gathered', async ({ body }) => ({ length: await lengthOf(body) }))
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

/** Sends the parts of a body of 10 kB, so many bytes each, with 100 ms between them; what came back until the connection ended. */
async function send(path: string, parts: readonly number[]): Promise<string> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (more: string) => {
    answer += more
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: a/b\r\nContent-Length: 10000\r\n\r\n`,
  )
  for (const part of parts) {
    if (socket.destroyed) break
    socket.write(Buffer.alloc(part))
    await sleep(100)
  }
  await closed
  return answer
}
const steadily = Array<number>(10).fill(1_000)
const whole = /^HTTP\/1\.1 200 .*\{"length":10000\}$/s

test('a body that stalls is cut, and so is one that only drips', async () => {
  const began = performance.now()
  expect(await send('/', [4_000])).toBe('')
  expect(await send('/', [4_000, ...Array<number>(50).fill(1), 5_950])).toBe('')
  expect(performance.now() - began).toBeLessThan(4_000)
})

test('a slow body is not, nor is the wait for its answer', async () => {
  expect(await send('/', steadily)).toMatch(whole)
})

test('nor is one that came and waits to be read', async () => {
  expect(await send('/later', [10_000])).toMatch(whole)
})

test('a body that is to be gathered is cut when it takes too long, however steadily it comes', async () => {
  expect(await send('/gathered', [5_000, 5_000])).toMatch(whole)
  expect(await send('/gathered', [...steadily.slice(1), ...Array<number>(10).fill(100)])).toBe('')
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
