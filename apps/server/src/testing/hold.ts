/** Bodies of many MiB, and how long they hold the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { parseStrict } from '@ulmus/registry'
import { expect } from 'vitest'
import type { Asker } from './asker.ts'

/** 24 MiB of JSON that takes longest to parse for its size. */
export const costlyJson = `[${'[],'.repeat(8 * 1024 ** 2)}[]]`

/** Sends a body, packed; while it is answered, nobody may wait a quarter as long as it takes to parse. The answer's status. */
export async function sentHoldingNobodyUp(
  who: Asker,
  method: 'POST' | 'PATCH',
  path: string,
  body: string,
): Promise<number> {
  const packed = zstdCompressSync(body)
  const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
  const { held, result } = await heldDuring(() => who.ask(method, path, { body: packed, headers }))
  expect(held).toBeLessThan(timeToParse(body) / 4)
  return result.status
}

const ticksMilliseconds = 20

/** The longest that the event loop was held while `work` was done. Milliseconds. */
export async function heldDuring<T>(work: () => Promise<T>): Promise<{ held: number; result: T }> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // It tells of what lies between two ticks: one has to be before the work, and one after it.
  await setTimeout(ticksMilliseconds)
  const result = await work()
  await setTimeout(ticksMilliseconds)
  delay.disable()
  return { held: delay.max / 1e6, result }
}

/** Milliseconds. */
export function timeToParse(body: string): number {
  const from = performance.now()
  parseStrict(body)
  return performance.now() - from
}
