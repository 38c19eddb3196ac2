/**
 * Disconnects clients that send a body or read an answer too slowly, so that none occupies a connection and memory for ever. Time in which
 * the server itself is slow does not count.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Minimum progress of a body or an answer per interval: 270 bytes a second, about the limit of other servers. */
export const slowestPace = { bytes: 16 * 1024, seconds: 60 }

/**
 * Maximum duration of a transfer that is buffered in memory, even at a steady pace: a body from the request's headers to its last byte,
 * after which its push session may have expired; an answer from its rendering to its last byte. Seconds.
 */
export const wholeSecondsMax = 3_600

/** Disconnects clients whose body stalls or is too slow. */
export function cutSlowBodies(app: FastifyInstance, pace = slowestPace): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!hasBodyToCome(raw)) return
    const stop = demandPace(raw.socket, pace, {
      bytes: () => raw.socket.bytesRead,
      // If bytes wait in the buffer, the server is slow, not the peer.
      isPeersTurn: () => raw.readableLength === 0,
    })
    // After the last byte, the handler takes the time.
    onceReceived(raw, stop)
  })
}

/** In the scope of routes that buffer bodies in memory: disconnects clients that take too long in total. */
export function cutLateBodies(scope: FastifyInstance, seconds = wholeSecondsMax): void {
  scope.addHook('onRequest', async ({ raw }) => {
    if (hasBodyToCome(raw)) onceReceived(raw, demandEnd(raw.socket, seconds))
  })
}

/**
 * Disconnects clients that stop reading an answer, read too slowly, or take too long over a fully rendered one. A stream has no total
 * limit, and may wait for its source.
 */
export function cutSlowAnswers(
  app: FastifyInstance,
  { pace = slowestPace, wholeSeconds = wholeSecondsMax } = {},
): void {
  const watched = new WeakSet<Socket>()
  app.addHook('onRequest', async ({ raw: { socket } }) => {
    if (watched.has(socket) || socket.destroyed) return
    watched.add(socket)
    // Watch once per connection, so that many small answers cost nothing extra.
    const stop = demandPace(socket, pace, {
      bytes: () => queueOf(socket).sent,
      isPeersTurn: () => queueOf(socket).unsent > 0,
    })
    socket.once('close', stop)
  })
  // Register before compression, which turns whole answers into streams.
  app.addHook('onSend', async ({ raw: { socket } }, { raw }, payload) => {
    // Shorter answers are sent, or cut off, after one interval.
    if (!isWhole(payload) || payload.length <= pace.bytes || raw.closed) return
    raw.once('close', demandEnd(socket, wholeSeconds))
  })
}

interface Transfer {
  /** Bytes transferred so far. */
  bytes(): number
  /** True if the server waits for the peer. */
  isPeersTurn(): boolean
}

/**
 * Closes the connection after an interval with too few bytes, if the server waited for the peer at its beginning and its end.
 * @returns a function that stops the check
 */
function demandPace(socket: Socket, pace: typeof slowestPace, transfer: Transfer): () => void {
  const look = () => ({ bytes: transfer.bytes(), isPeersTurn: transfer.isPeersTurn() })
  let before = look()
  const checking = setInterval(() => {
    const now = look()
    if (before.isPeersTurn && now.isPeersTurn && now.bytes - before.bytes < pace.bytes) socket.destroy()
    before = now
  }, pace.seconds * 1000)
  return () => clearInterval(checking)
}

/** Closes the connection after a time limit. @returns a function that stops the timer */
function demandEnd(socket: Socket, seconds: number): () => void {
  const end = setTimeout(() => socket.destroy(), seconds * 1000)
  return () => clearTimeout(end)
}

type RawRequest = FastifyRequest['raw']

/** True if the body of a request has not arrived whole. */
export function hasBodyToCome({ headers, readableEnded }: RawRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return !readableEnded && (coding !== undefined || (length !== undefined && length !== '0'))
}

function onceReceived(raw: RawRequest, then: () => void): void {
  raw.once('end', then)
  raw.once('close', then)
}

const isWhole = (payload: unknown): payload is string | Uint8Array =>
  typeof payload === 'string' || payload instanceof Uint8Array

/**
 * Bytes of a connection's answers that the system has accepted, and bytes that wait because the peer is slow. Node's public members
 * (`bytesWritten`, `writableLength`) count whole writes, and an answer of 16 MiB is one write. So this reads a private member, as Node's
 * own timeouts do. `socket-queue.test.ts` fails if a newer Node lacks it; then no answer counts as slow.
 */
export function queueOf(socket: Socket): { sent: number; unsent: number } {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  if (!handle) return { sent: 0, unsent: 0 }
  const { bytesWritten, writeQueueSize: unsent } = handle
  return { sent: bytesWritten - unsent, unsent }
}
