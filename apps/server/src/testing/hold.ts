/** Bodies of many MiB, and how long they block the event loop. */
import { zstdCompressSync } from 'node:zlib'
import { parseStrict } from '@ulmus/registry'
import { expect } from 'vitest'
import type { TestClient } from './test-client.ts'

/** 24 MiB of JSON with the longest parsing time for its size. */
export const costlyJson = `[${'[],'.repeat(8 * 1024 ** 2)}[]]`

/** Several tries, so that garbage collection and compilation do not count. */
const triesMax = 4

/**
 * Sends a compressed body and returns the status. In at least one of several tries, other requests must wait less than a quarter of the
 * parsing time.
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

/** CPU time of this thread; waiting for a core does not count. Milliseconds. */
const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Longest turn of the event loop during `work`. Milliseconds of CPU time. */
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
