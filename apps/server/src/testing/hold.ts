/** Bodies of many MiB, and how long they block the event loop. */
import { zstdCompressSync } from 'node:zlib'
import { parseStrict } from '@ulmus/registry'
import { expect } from 'vitest'
import type { TestClient } from './test-client.ts'

/** 24 MiB of JSON that takes longest to parse for its size. */
export const costlyJson = `[${'[],'.repeat(8 * 1024 ** 2)}[]]`

/** So that a collection of the heap or a compilation does not count. */
const triesMax = 4

/**
 * Sends a compressed body and returns the status. In one of several tries, no other request may wait a quarter of the time that
 * parsing takes.
 */
export async function sendWithoutBlocking(
  client: TestClient,
  method: 'POST' | 'PATCH',
  path: string,
  body: string,
): Promise<number> {
  const packed = zstdCompressSync(body)
  const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
  const most = timeToParse(body) / 4
  for (let tries = 1; ; tries++) {
    const { blocked, result } = await blockedDuring(() =>
      client.request(method, path, { body: packed, headers }),
    )
    if (blocked >= most && tries < triesMax) continue
    expect(blocked).toBeLessThan(most)
    return result.status
  }
}

/** Of this thread. A turn of the event loop in which it waits for a core counts for nothing. Milliseconds. */
const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest that one turn blocked the event loop while `work` was done. Milliseconds of CPU time. */
export async function blockedDuring<T>(work: () => Promise<T>): Promise<{ blocked: number; result: T }> {
  let [blocked, last, isWatching] = [0, cpuMilliseconds(), true]
  const look = () => {
    const now = cpuMilliseconds()
    blocked = Math.max(blocked, now - last)
    last = now
    if (isWatching) setImmediate(look)
  }
  setImmediate(look)
  const result = await work()
  isWatching = false
  look()
  return { blocked, result }
}

/** Milliseconds of CPU time. */
export function timeToParse(body: string): number {
  const from = cpuMilliseconds()
  parseStrict(body)
  return cpuMilliseconds() - from
}
