/** Bodies of many MiB, and how long they hold the event loop. */
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
export async function sentHoldingNobodyUp(
  who: TestClient,
  method: 'POST' | 'PATCH',
  path: string,
  body: string,
): Promise<number> {
  const packed = zstdCompressSync(body)
  const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
  const most = timeToParse(body) / 4
  for (let tries = 1; ; tries++) {
    const { held, result } = await heldDuring(() => who.request(method, path, { body: packed, headers }))
    if (held >= most && tries < triesMax) continue
    expect(held).toBeLessThan(most)
    return result.status
  }
}

/** Of this thread. A turn of the event loop in which it waits for a core counts for nothing. Milliseconds. */
const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest that one turn held the event loop while `work` was done. Milliseconds of CPU time. */
export async function heldDuring<T>(work: () => Promise<T>): Promise<{ held: number; result: T }> {
  let [held, last, isWatching] = [0, cpuMilliseconds(), true]
  const look = () => {
    const now = cpuMilliseconds()
    held = Math.max(held, now - last)
    last = now
    if (isWatching) setImmediate(look)
  }
  setImmediate(look)
  const result = await work()
  isWatching = false
  look()
  return { held, result }
}

/** Milliseconds of CPU time. */
export function timeToParse(body: string): number {
  const from = cpuMilliseconds()
  parseStrict(body)
  return cpuMilliseconds() - from
}
