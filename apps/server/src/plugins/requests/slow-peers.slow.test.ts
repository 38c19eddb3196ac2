import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood } from '../../../../../packages/content/src/testing/measured.ts'
import { receiveBytes } from './bodies.ts'
import { cutLateBodies, cutSlowAnswers, cutSlowBodies } from './slow-peers.ts'

const app = Fastify()
cutSlowBodies(app, { bytes: 500, seconds: 0.5 })
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

const mebibyte = 2 ** 20
const answerBytes = 60 * mebibyte
/** Parts sent by `/source`: smaller than the connection's buffers, and slower than the pace demanded of clients. */
const sourceParts = 20
let left = 0
/** Demanded pace. Connections buffer a MiB and more at a time. */
const pace = { bytes: 4 * mebibyte, seconds: 0.5 }
for (const [prefix, options] of Object.entries({ '/slow': { pace }, '/late': { pace, wholeSeconds: 1 } }))
  app.register(
    async (scope) => {
      cutSlowAnswers(scope, options)
      scope.get('/whole', async () => Buffer.alloc(answerBytes))
      scope.get('/stream', async (_request, reply) =>
        reply.send(Readable.from(pieces(), { objectMode: false })),
      )
      scope.get('/source', async (_request, reply) =>
        reply.send(Readable.from(drops(), { objectMode: false })),
      )
    },
    { prefix },
  )
async function* pieces() {
  try {
    for (let sent = 0; sent < answerBytes; sent += mebibyte) yield Buffer.alloc(mebibyte)
  } finally {
    left++
  }
}
async function* drops() {
  for (let n = 0; n < sourceParts; n++) {
    await sleep(n === 0 ? 1_300 : 50)
    yield Buffer.alloc(10)
  }
}
beforeAll(() => app.listen({ host: '127.0.0.1', port: 0 }))
afterAll(() => app.close())

/** Sends a body of 10 kB in parts of the given sizes, with 100 ms between them. Returns everything received until the connection closed. */
async function send(path: string, parts: readonly number[]): Promise<string> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (more: string) => {
    answer += more
  })
  // `once` would reject if the connection is cut with an error.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
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
/** Expects the answer to a body. The paces of these tests are so high that a pause of the machine looks like a slow peer. */
async function expectWhole(path: string, parts: readonly number[]): Promise<void> {
  expect(
    await firstGood(
      () => send(path, parts),
      (answer) => whole.test(answer),
    ),
  ).toMatch(whole)
}

test('a body that stalls is cut, and so is one that only drips', async () => {
  const cutAfter = async () => {
    const began = performance.now()
    expect(await send('/', [4_000])).toBe('')
    expect(await send('/', [4_000, ...Array<number>(50).fill(1), 5_950])).toBe('')
    return performance.now() - began
  }
  expect(await firstGood(cutAfter, (took) => took < 4_000)).toBeLessThan(4_000)
})

test('a slow body is not, nor is the wait for its answer', async () => {
  await expectWhole('/', steadily)
})

test('nor is one that came and waits to be read', async () => {
  await expectWhole('/later', [10_000])
})

test('a body that is to be gathered is cut when it takes too long, however steadily it comes', async () => {
  await expectWhole('/gathered', [5_000, 5_000])
  expect(await send('/gathered', [...steadily.slice(1), ...Array<number>(10).fill(100)])).toBe('')
})

/**
 * Reads an answer, some 64 KiB at a time. Returns the number of bytes received until the connection closed.
 * @param rate bytes a second; 0: never reads
 */
async function take(path: string, rate: number): Promise<number> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  socket.on('error', () => undefined)
  let bytes = 0
  const began = performance.now()
  socket.on('data', (more) => {
    bytes += more.length
    const ahead = (bytes / rate) * 1_000 - (performance.now() - began)
    // A timer of less takes as long as this one.
    if (ahead < 2) return
    socket.pause()
    setTimeout(() => socket.resume(), ahead)
  })
  if (rate === 0) socket.pause()
  // A client that reads nothing does not notice the end.
  const end =
    rate === 0
      ? once(app.server, 'connection').then(([there]) => once(there as Socket, 'close'))
      : new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await end
  socket.destroy()
  return bytes
}
/** Expects an answer of more than so many bytes. */
async function expectTaken(path: string, rate: number, least = answerBytes): Promise<void> {
  expect(
    await firstGood(
      () => take(path, rate),
      (bytes) => bytes > least,
    ),
  ).toBeGreaterThan(least)
}
/** Three times the demanded pace, and half of it. */
const [slowly, dripping] = [24 * mebibyte, 4 * mebibyte]
const asTheyCome = Number.POSITIVE_INFINITY

describe.each(['whole', 'stream'])('an answer, %s', (kind) => {
  test('that its client does not read is cut, and so is one that is read in drips', async () => {
    const before = left
    expect(await take(`/slow/${kind}`, 0)).toBe(0)
    expect(await take(`/slow/${kind}`, dripping)).toBeLessThan(answerBytes / 2)
    if (kind === 'stream') await expect.poll(() => left).toBe(before + 2)
  })

  test('that is taken slowly is not', async () => {
    await expectTaken(`/slow/${kind}`, slowly)
  })
})

test('an answer that waits for its own source is not cut', async () => {
  await expectTaken('/slow/source', asTheyCome, sourceParts * 10)
  await expectTaken('/late/source', asTheyCome, sourceParts * 10)
})

test('one that was put together whole is cut when it is taken for too long, however steadily; a stream is not', async () => {
  await expectTaken('/late/whole', asTheyCome)
  await expectTaken('/late/stream', slowly)
  expect(await take('/late/whole', slowly)).toBeLessThan(answerBytes * 0.9)
})
