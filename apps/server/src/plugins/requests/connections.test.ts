import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { networkOf, peerOf } from '@ulmus/registry'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionsFor } from '../../descriptors.ts'
import { answerUnreadable } from '../answers/errors.ts'
import { type ConnectionLimits, carriesMany, limitConnections } from './connections.ts'

test('a process has descriptors left for files, the database and threads, however few there are', () => {
  const limits = [512, 1_024, 4_096, 20_000, Number.POSITIVE_INFINITY]
  expect(limits.map((limit) => connectionsFor({ limit, open: 224 }))).toEqual([80, 336, 1_872, 8_192, 8_192])
  expect(connectionsFor({ limit: 256, open: 64 })).toBe(32)
  expect(() => connectionsFor({ limit: 256, open: 224 })).toThrow(/256 .* needs 224 without .*LimitNOFILE/)
})

test('one who connects is an IPv4 address, however it is written, or the network of an IPv6 one', () => {
  const names = [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '2001:db8:1:2:3:4:5:6',
    '2001:db8:1:2::9',
    'fe80::1%eth0',
    '::1',
  ]
  expect(names.map(peerOf)).toEqual([
    '192.0.2.7',
    '192.0.2.7',
    '2001:db8:1:2',
    '2001:db8:1:2',
    'fe80:0:0:0',
    '0:0:0:0',
  ])
  expect(networkOf('1:2::')).toBe('1:2:0:0')
})

test('connections of trusted proxies and of this machine are those of many', () => {
  const of = (trustProxy: ConnectionLimits['trustProxy']) =>
    ['127.0.0.9', '::1', '::ffff:127.0.0.1', '10.1.2.3', '2001:db8::1', ''].filter(carriesMany(trustProxy))
  const own = ['127.0.0.9', '::1', '::ffff:127.0.0.1']
  expect(of(false)).toEqual(own)
  expect(of('10.0.0.0/8, 2001:db8::/32')).toEqual([...own, '10.1.2.3', '2001:db8::1'])
  expect(of((_address, hop) => hop < 1)).toEqual([...own, '10.1.2.3', '2001:db8::1'])
})

describe('a server with few connections', () => {
  const most = 20
  let app: FastifyInstance
  let openConnections: () => number
  const said: string[] = []
  const sockets: Socket[] = []

  beforeAll(async () => {
    app = Fastify({
      http: { headersTimeout: 1_000, connectionsCheckingInterval: 200 },
      clientErrorHandler: answerUnreadable,
    })
    const log = { warn: (_facts: object, line: string) => void said.push(line) }
    // All connections are local: treat loopback as an ordinary address.
    openConnections = limitConnections(
      app.server,
      { most, trustProxy: false, isOfMany: (from) => from === '127.0.0.3' },
      log,
    )
    app.get('/', async () => 'ok')
    await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await app.close()
  })

  const open = async (localAddress: string): Promise<Socket> => {
    const { port } = app.server.address() as { port: number }
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const isOpen = async (socket: Socket) => {
    socket.resume()
    await sleep(50)
    return !socket.destroyed && !socket.readableEnded
  }
  const ended = (socket: Socket) => (socket.destroyed ? undefined : once(socket.resume(), 'close'))

  test('one address has a quarter of them, a proxy all; further ones are closed at once and logged once', async () => {
    const of = async (address: string, count: number) => {
      const opened = await Promise.all(Array.from({ length: count }, () => open(address)))
      return async () => (await Promise.all(opened.map(isOpen))).filter(Boolean).length
    }
    await expect.poll(await of('127.0.0.2', 8)).toBe(5)
    expect(openConnections()).toBe(5)
    await expect.poll(await of('127.0.0.3', 20)).toBe(15)
    await expect.poll(await of('127.0.0.4', 2)).toBe(0)
    expect(openConnections()).toBe(most)
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(/^One address .* TRUST_PROXY/)
    // Silent connections are closed without an answer.
    await Promise.all(sockets.map(ended))
    expect(sockets.map(({ bytesRead }) => bytesRead)).toEqual(sockets.map(() => 0))
    await expect.poll(openConnections).toBe(0)
  })

  test('headers that drip in are cut, and told why', async () => {
    const socket = await open('127.0.0.3')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    const dripping = setInterval(() => socket.write('X: y\r\n'), 100)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await ended(socket)
    clearInterval(dripping)
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*took too long to arrive/s)
  })

  test('connections that wait for their next request go when others find no place', async () => {
    const kept = await Promise.all(Array.from({ length: most }, () => open('127.0.0.3')))
    for (const socket of kept) {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket, 'data')
    }
    expect(openConnections()).toBe(most)
    await ended(await open('127.0.0.5'))
    await Promise.all(kept.map(ended))
    const next = await open('127.0.0.5')
    next.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(`${(await once(next, 'data'))[0]}`).toMatch(/^HTTP\/1\.1 200 /)
  })
})
