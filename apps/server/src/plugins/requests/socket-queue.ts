/**
 * How far a connection is with what is sent on it. Node says in public only which writes are done (`bytesWritten`, `writableLength`), and an
 * answer of 16 MiB is one write. So this reads a private member of Node 24, as Node's own time-outs do; `socket-queue.test.ts` says
 * whether a newer Node still has it. Where it does not, no answer counts as slow.
 */
import type { Socket } from 'node:net'

/** Bytes that the system has taken, and bytes that it has not because the peer is slow. */
export function queueOf(socket: Socket): { sent: number; unsent: number } {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  if (!handle) return { sent: 0, unsent: 0 }
  const { bytesWritten, writeQueueSize: unsent } = handle
  return { sent: bytesWritten - unsent, unsent }
}
