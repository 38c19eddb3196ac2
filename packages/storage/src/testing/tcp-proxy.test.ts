import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TcpProxy } from './tcp-proxy.ts'

let proxy: TcpProxy
let ending: AsyncDisposableStack
let accepted: Socket[]

beforeEach(async () => {
  ending = new AsyncDisposableStack()
  accepted = []
  const echo = createServer((socket) => {
    accepted.push(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const { port } = echo.address() as { port: number }
  proxy = await TcpProxy.before({ host: '127.0.0.1', port })
  ending.defer(async () => {
    await proxy.close()
    for (const socket of accepted) socket.destroy()
    echo.close()
  })
})
afterEach(() => ending.disposeAsync())

async function connected(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1')
  ending.defer(async () => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** The answer within this time; undefined if there is none. */
async function echoed(socket: Socket, text: string, milliseconds = 300): Promise<string | undefined> {
  const answer = once(socket, 'data').then(([bytes]) => String(bytes))
  socket.write(text)
  return Promise.race([answer, sleep(milliseconds, undefined)])
}

test('passes on what comes, both ways, and the ends of connections', async () => {
  const socket = await connected()
  expect(await echoed(socket, 'hello', 5_000)).toBe('hello')
  socket.end()
  await once(accepted[0]!, 'end')
  await once(socket, 'close')
  await expect.poll(() => proxy.connections).toBe(0)
})

test('refuses, and listens again on the same port', async () => {
  const socket = await connected()
  const cut = once(socket, 'close')
  await proxy.become({ kind: 'refuse' })
  await cut
  await expect(connected()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await proxy.become({ kind: 'pass' })
  expect(await echoed(await connected(), 'again', 5_000)).toBe('again')
})

test('resets', async () => {
  const socket = await connected()
  // Only a socket that is being read notices a reset.
  socket.resume()
  const [error] = await Promise.all([once(socket, 'error'), proxy.become({ kind: 'reset' })])
  expect(error).toMatchObject([{ code: 'ECONNRESET' }])
})

test('hangs, keeps what came meanwhile, and does not tell of ends', async () => {
  const [socket, leaving] = [await connected(), await connected()]
  expect(await echoed(leaving, 'here', 5_000)).toBe('here')
  await proxy.become({ kind: 'hang' })
  expect(await echoed(socket, 'held')).toBeUndefined()
  leaving.destroy()
  await sleep(100)
  expect(accepted.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([false, false])
  const later = once(socket, 'data')
  await proxy.become({ kind: 'pass' })
  expect(String(await later)).toBe('held')
  await expect.poll(() => proxy.connections).toBe(1)
})

test('forgets connections for good, and passes new ones', async () => {
  const socket = await connected()
  expect(await echoed(socket, 'hello', 5_000)).toBe('hello')
  await proxy.become({ kind: 'hang' }, { forgetting: true })
  await proxy.become({ kind: 'pass' })
  expect(await echoed(socket, 'lost')).toBeUndefined()
  socket.destroy()
  await sleep(100)
  expect(accepted[0]!.readableEnded).toBe(false)
  expect(await echoed(await connected(), 'new', 5_000)).toBe('new')
})

test('delays, in order', async () => {
  const socket = await connected()
  await proxy.become({ kind: 'delay', milliseconds: 100 })
  const began = performance.now()
  expect(await echoed(socket, 'slow', 5_000)).toBe('slow')
  expect(performance.now() - began).toBeGreaterThan(190)
})
