/**
 * Disconnects clients that send a body or read an answer too slowly, so that none holds a connection and memory for ever. Time
 * in which the server itself is slow does not count.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What a body or an answer must go on by in so many seconds: 270 bytes a second, about what other servers demand. */
export const slowestPace = { bytes: 16 * 1024, seconds: 60 }

/**
 * What is held in memory whole, however steadily it comes or goes: a body from its request's headers to its last byte, after which
 * its push session may have expired; an answer from its making to its last byte. Seconds.
 */
export const wholeSecondsMax = 3_600

/** Disconnects clients whose body stalls or is too slow. */
export function cutSlowBodies(app: FastifyInstance, pace = slowestPace): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!hasBodyToCome(raw)) return
    const stop = demandPace(raw.socket, pace, {
      bytes: () => raw.socket.bytesRead,
      // For what lies here the server has not had the time.
      isPeersTurn: () => raw.readableLength === 0,
    })
    // From its last byte on, the time is the handler's.
    onceReceived(raw, stop)
  })
}

/** In the scope of routes whose bodies are gathered in memory: disconnects clients that take too long in total. */
export function cutLateBodies(scope: FastifyInstance, seconds = wholeSecondsMax): void {
  scope.addHook('onRequest', async ({ raw }) => {
    if (hasBodyToCome(raw)) onceReceived(raw, demandEnd(raw.socket, seconds))
  })
}

/**
 * Disconnects clients that stop reading an answer, read too slowly, or take too long over a fully rendered one.
 * A stream may last, and waits for its own source as long as that takes.
 */
export function cutSlowAnswers(
  app: FastifyInstance,
  { pace = slowestPace, wholeSeconds = wholeSecondsMax } = {},
): void {
  const watched = new WeakSet<Socket>()
  app.addHook('onRequest', async ({ raw: { socket } }) => {
    if (watched.has(socket) || socket.destroyed) return
    watched.add(socket)
    // Once a connection: of many small answers none has to pay for it.
    const stop = demandPace(socket, pace, {
      bytes: () => queueOf(socket).sent,
      isPeersTurn: () => queueOf(socket).unsent > 0,
    })
    socket.once('close', stop)
  })
  // Before compression, which makes streams of whole answers.
  app.addHook('onSend', async ({ raw: { socket } }, { raw }, payload) => {
    // Shorter answers are sent or cut after one span.
    if (!isWhole(payload) || payload.length <= pace.bytes || raw.closed) return
    raw.once('close', demandEnd(socket, wholeSeconds))
  })
}

interface Transfer {
  /** How many have come or gone. */
  bytes(): number
  /** True if the server waits for the peer. */
  isPeersTurn(): boolean
}

/**
 * Cuts the connection when a span passes with too few bytes, and the peer was waited for as it began and as it ended.
 * @returns ends it.
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

/** Cuts the connection when the time is over. @returns ends it. */
function demandEnd(socket: Socket, seconds: number): () => void {
  const end = setTimeout(() => socket.destroy(), seconds * 1000)
  return () => clearTimeout(end)
}

type RawRequest = FastifyRequest['raw']

function hasBodyToCome({ headers, readableEnded }: RawRequest): boolean {
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
 * Bytes that the system has taken of a connection's answers, and bytes that wait because the peer is slow. Node's public members
 * (`bytesWritten`, `writableLength`) count whole writes, and an answer of 16 MiB is one write; so this reads a private member, as
 * Node's own timeouts do. `socket-queue.test.ts` fails if a newer Node lacks it; then no answer counts as slow.
 */
export function queueOf(socket: Socket): { sent: number; unsent: number } {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  if (!handle) return { sent: 0, unsent: 0 }
  const { bytesWritten, writeQueueSize: unsent } = handle
  return { sent: bytesWritten - unsent, unsent }
}

/**
 * Reads and drops the rest of a body, so that the next request of its connection is reached. Node does so itself, unless the body
 * was piped elsewhere, as to a decompressor: then an early refusal would leave the connection waiting for ever. After a failed
 * decompression the rest cannot be read, so the connection is closed.
 */
export function dropUnreadBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    // Node drains unencoded bodies.
    if (raw.headers['content-encoding'] === undefined) return
    const { socket } = raw
    reply.raw.once('finish', () => {
      const close = () => {
        if (!raw.readableEnded) socket.destroySoon()
      }
      if (raw.destroyed) close()
      else {
        raw.once('close', close)
        raw.unpipe()
        raw.resume()
      }
    })
  })
}
