/**
 * How many bytes of an answer the peer has taken. Node's public members (`bytesWritten`, `writableLength`) count whole writes, and an answer
 * of 16 MiB is one write. So this reads a private member of Node 24, as Node's own time-outs do. `socket-queue.test.ts` fails when a newer
 * Node lacks it. Without it, no answer counts as slow.
 */
import type { Socket } from 'node:net'

/** Bytes that the system has taken, and bytes that it has not because the peer is slow. */
export function queueOf(socket: Socket): { sent: number; unsent: number } {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  if (!handle) return { sent: 0, unsent: 0 }
  const { bytesWritten, writeQueueSize: unsent } = handle
  return { sent: bytesWritten - unsent, unsent }
}
