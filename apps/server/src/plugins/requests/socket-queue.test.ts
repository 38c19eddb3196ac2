import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { queueOf } from './slow-peers.ts'

const bytes = 32 * 1_048_576

test('of one long write it is known how much the peer has yet to take, also in the middle of it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  expect(queueOf(socket)).toEqual({ sent: 0, unsent: 0 })
  socket.write(Buffer.alloc(bytes))
  await sleep(50)
  const stuck = queueOf(socket)
  expect(stuck.unsent).toBeGreaterThan(1_048_576)
  expect(stuck.sent + stuck.unsent).toBe(bytes)
  let taken = 0
  for await (const chunk of peer.iterator({ destroyOnReturn: false })) {
    taken += (chunk as Buffer).length
    if (taken > bytes / 2) break
  }
  await sleep(50)
  const halfway = queueOf(socket)
  expect(halfway.sent).toBeGreaterThan(stuck.sent)
  expect(halfway.unsent).toBeGreaterThan(0)
  peer.resume()
  while (queueOf(socket).unsent > 0) await sleep(5)
  expect(queueOf(socket)).toEqual({ sent: bytes, unsent: 0 })
  peer.destroy()
  socket.destroy()
  await once(socket, 'close')
  expect(queueOf(socket)).toEqual({ sent: 0, unsent: 0 })
  server.close()
})
